"""What an expression evaluates to, and the truth tests it makes on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import attributes, calls, narrowing
from flake8_torchtrace.source.definitions import FunctionInfo
from flake8_torchtrace.source.elements import HELD, element_of, subscript, with_more
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.guards import is_guard
from flake8_torchtrace.source.sizes import is_data_size
from flake8_torchtrace.source.values import (
    BOOL,
    DATA_ANSWER,
    FALSE,
    NONE,
    PYTHON,
    STR,
    TRUE,
    UNKNOWN,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Python,
    Sequence,
    Tensor,
    Union,
    Value,
    drop_none,
    join,
    join_all,
    known_truth,
    options,
    tensor_of,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter


def evaluate(it: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """The value of ``node`` in ``frame``; remembered in ``frame.values`` for the rules."""
    it.spend()
    value = _TABLE[type(node)](it, node, frame)
    frame.values[node] = value
    return value


def truth_test(it: Interpreter, node: ast.expr, frame: Frame, context: str) -> bool | None:
    """Ask the truth of ``node`` as ``if``, ``while`` and the like do; tells the listener, and the truth where it is known.

    ``and``, ``or`` and ``not`` are taken apart so that what is reported is the operand whose truth is asked.
    """
    if context == "assert" and isinstance(node, ast.BoolOp | ast.UnaryOp | ast.Compare):
        # Dynamo turns `assert t` into an assertion inside the graph, but not an assert that has branches of its own.
        is_chain = isinstance(node, ast.Compare) and len(node.ops) > 1
        context = "assert with branches" if is_chain or not isinstance(node, ast.Compare) else context
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth_test(it, node.operand, frame, "not" if context == "value" else context)
        frame.values[node] = BOOL if inner is None else Python("bool", not inner)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        return _bool_op(it, node, frame, context)[1]
    value = evaluate(it, node, frame)
    it.tested(node, value, frame, context)
    return known_truth(value)


def _bool_op(it: Interpreter, node: ast.BoolOp, frame: Frame, context: str) -> tuple[Value, bool | None]:
    """The value and the truth of ``and``/``or``. As a mere value (context ``value``) the last operand is not asked for its truth."""
    is_and = isinstance(node.op, ast.And)
    before = dict(frame.env)
    results: list[Value] = []
    truths: list[bool | None] = []
    for position, operand in enumerate(node.values):
        is_last = position == len(node.values) - 1
        if is_last and context == "value":
            value = evaluate(it, operand, frame)
            truth = known_truth(value)
        else:
            truth = truth_test(it, operand, frame, "and" if is_and and context == "value" else "or" if context == "value" else context)
            value = frame.values.get(operand, UNKNOWN)
        truths.append(truth)
        if not (not is_last and truth is is_and):
            results.append(value)
        if truth is (not is_and):
            break
        if not is_last:
            narrowing.assume(it, operand, frame, is_and)
    frame.env = {**frame.env, **before}
    if (not is_and) in truths:
        truth = not is_and
    elif all(t is is_and for t in truths) and len(truths) == len(node.values):
        truth = is_and
    else:
        truth = None
    value = join_all(results)
    frame.values[node] = value
    return value, truth


def _constant(it: Interpreter, node: ast.Constant, frame: Frame) -> Value:
    value = node.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    return Python(type(value).__name__, bool(value))


def _name(it: Interpreter, node: ast.Name, frame: Frame) -> Value:
    value = frame.lookup(node.id)
    return value if value is not None else it.global_value(node.id)


def _attribute(it: Interpreter, node: ast.Attribute, frame: Frame) -> Value:
    path = attributes.path_of(node)
    if path is not None:
        known = frame.env.get(path)
        if known is not None:
            return known
    base = evaluate(it, node.value, frame)
    if isinstance(base, Tensor):
        it.attribute_read(node, base, frame)
    return attributes.attribute_value(it, base, node.attr, node, frame)


def _call(it: Interpreter, node: ast.Call, frame: Frame) -> Value:
    return calls.evaluate_call(it, node, frame)


def _expression_bool(it: Interpreter, node: ast.BoolOp, frame: Frame) -> Value:
    return _bool_op(it, node, frame, "value")[0]


def _unary(it: Interpreter, node: ast.UnaryOp, frame: Frame) -> Value:
    if isinstance(node.op, ast.Not):
        truth = truth_test(it, node, frame, "value")
        return BOOL if truth is None else Python("bool", truth)
    value = evaluate(it, node.operand, frame)
    if isinstance(value, Python):
        return Python(value.type, None, value.is_data)
    return value


def _binary(it: Interpreter, node: ast.BinOp, frame: Frame) -> Value:
    left = evaluate(it, node.left, frame)
    right = evaluate(it, node.right, frame)
    return combine(left, right, node.op)


def combine(left: Value, right: Value, op: ast.operator) -> Value:
    """The value of ``left op right``."""
    left, right = drop_none(left), drop_none(right)
    tensors = [tensor for tensor in (tensor_of(left), tensor_of(right)) if tensor is not None]
    if tensors:
        if isinstance(left, Python) and left.type == "str":
            return STR
        is_pure = isinstance(left, Tensor) or isinstance(right, Tensor)
        sure = any(isinstance(side, Tensor) and side.sure for side in (left, right)) if is_pure else False
        has_data_size = any(tensor.has_data_size for tensor in tensors)
        is_computed = any(tensor.is_computed for tensor in tensors)
        return Tensor(
            sure, _result_dtype(tensors, op), tensors[0].origin, _is_scalar(left, right), has_data_size=has_data_size, is_computed=is_computed
        )
    for side in (left, right):
        if isinstance(side, Drawn):
            return side
    if isinstance(left, Sequence) and left.type != "range":
        return _sequence_binary(left, right, op)
    if isinstance(left, External) and left.dotted == "torch.nn.ModuleList" and isinstance(right, Sequence):
        return with_more(left, right.element)
    if isinstance(left, Python) and left.type == "str":
        return STR
    if isinstance(left, Python) and isinstance(right, Python):
        is_float = "float" in (left.type, right.type) or isinstance(op, ast.Div)
        return Python("float" if is_float else left.type, None, left.is_data or right.is_data)
    if isinstance(left, External) and left.dotted == "numpy.ndarray":
        return left
    if isinstance(right, External) and right.dotted == "numpy.ndarray":
        return right
    return UNKNOWN


def _is_scalar(left: Value, right: Value) -> bool:
    """Whether an operator on these leaves no dimension."""
    return all(isinstance(side, Python | Drawn) or (isinstance(side, Tensor) and side.is_scalar) for side in (left, right))


def _result_dtype(tensors: list[Tensor], op: ast.operator) -> str:
    dtypes = {tensor.dtype for tensor in tensors}
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return "bool" if "bool" in dtypes else tensors[0].dtype
    if isinstance(op, ast.Div):
        return "float"
    if "float" in dtypes:
        return "float"
    if dtypes == {"bool"}:
        return "bool" if isinstance(op, ast.Mult) and len(tensors) == 2 else "int"
    return "int" if dtypes == {"int"} else ""


def _sequence_binary(left: Sequence, right: Value, op: ast.operator) -> Value:
    if isinstance(op, ast.Add) and isinstance(right, Sequence):
        items = None if left.items is None or right.items is None else (*left.items, *right.items)
        element = left.element if right.element is UNKNOWN else right.element if left.element is UNKNOWN else join(left.element, right.element)
        return Sequence(element, items, left.type)
    if isinstance(op, ast.Mult):
        return Sequence(left.element, None, left.type)
    return Sequence(left.element, None, left.type)


_PLAIN = ("str", "None", "bytes", "ellipsis")


def _compare(it: Interpreter, node: ast.Compare, frame: Frame) -> Value:
    sides = [evaluate(it, side, frame) for side in (node.left, *node.comparators)]
    found: list[Value] = []
    for position, op in enumerate(node.ops):
        value = compare_pair(sides[position], sides[position + 1], op)
        if isinstance(op, ast.In | ast.NotIn) and _is_asked_membership(sides[position], sides[position + 1]):
            it.tested(node, value, frame, "in")
            value = BOOL
        elif len(node.ops) > 1 and position < len(node.ops) - 1:
            it.tested(node, value, frame, "chained comparison")
        found.append(value)
    if len(found) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        truths = [side.const if isinstance(side, Python) and side.type == "bool" else None for side in sides]
        if None not in truths:
            return Python("bool", (truths[0] is truths[1]) is isinstance(node.ops[0], ast.Is | ast.Eq))
    if len(found) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot) and len(sides) == 2 and NONE in sides:
        return _is_none(sides[0] if sides[1] == NONE else sides[1], isinstance(node.ops[0], ast.Is))
    return found[-1]


def _is_none(value: Value, positive: bool) -> Value:
    """``value is None`` (or ``is not None``), folded where the analysis knows."""
    if value == NONE:
        return TRUE if positive else FALSE
    if is_guard(value):
        return FALSE if positive else TRUE
    if isinstance(value, Union):
        return BOOL
    if isinstance(value, Tensor | Drawn | Sequence | Mapping | Python | Func) and not (isinstance(value, Tensor) and not value.sure):
        return BOOL if isinstance(value, Python) and not value.type else (FALSE if positive else TRUE)
    return BOOL


def _is_asked_membership(left: Value, right: Value) -> bool:
    """Lists and tuples compare with every item and ask for the truth of it; sets and dicts look the hash up. No tensor is asked for a text."""
    if isinstance(left, Python) and left.type == "str":
        return False
    if tensor_of(right) is not None:
        return True
    return isinstance(right, Sequence) and right.type in ("list", "tuple", "sorted") and tensor_of(left) is not None


def compare_pair(left: Value, right: Value, op: ast.cmpop) -> Value:
    """The value of ``left op right``."""
    if isinstance(op, ast.Is | ast.IsNot):
        return BOOL
    left_tensor, right_tensor = tensor_of(left), tensor_of(right)
    if isinstance(op, ast.In | ast.NotIn):
        for side in (left, right):
            if isinstance(side, Drawn):
                return side
        found = right_tensor or left_tensor
        return Tensor(found.sure, "bool", found.origin) if found is not None and _is_asked_membership(left, right) else BOOL
    if isinstance(op, ast.Gt | ast.Lt | ast.GtE | ast.LtE):
        # None has no order: what is compared like this is not None.
        left, right = drop_none(left), drop_none(right)
        left_tensor, right_tensor = tensor_of(left), tensor_of(right)
    for side in (left, right):
        if isinstance(side, Python) and side.type in _PLAIN:
            return BOOL
    if left_tensor is not None or right_tensor is not None:
        sure = any(tensor is not None and tensor.sure for tensor in (left_tensor, right_tensor))
        found = left_tensor or right_tensor
        has_data_size = any(tensor is not None and tensor.has_data_size for tensor in (left_tensor, right_tensor))
        return Tensor(sure, "bool", found.origin if found else None, _is_scalar(left, right), has_data_size=has_data_size)
    for side in (left, right):
        if isinstance(side, Drawn):
            return side
    if is_data_size(left) or is_data_size(right):
        return DATA_ANSWER
    if isinstance(left, Python | Sequence | Mapping) or isinstance(right, Python | Sequence | Mapping):
        return BOOL if not any(option is UNKNOWN for side in (left, right) for option in options(side)) else UNKNOWN
    return UNKNOWN


def _subscript(it: Interpreter, node: ast.Subscript, frame: Frame) -> Value:
    path = attributes.path_of(node)
    if path is not None:
        known = frame.env.get(path)
        if known is not None:
            frame.values[node.value] = evaluate(it, node.value, frame)
            return known
    base = evaluate(it, node.value, frame)
    index = evaluate(it, node.slice, frame)
    it.subscripted(node, base, index, frame)
    if isinstance(base, Instance):
        return _item_of_instance(it, node, base, index, frame)
    return subscript(base, index, node.slice)


def _item_of_instance(it: Interpreter, node: ast.Subscript, base: Instance, index: Value, frame: Frame) -> Value:
    if it.find_method(base.info, "__getitem__") is not None:
        return it.call_method(base, "__getitem__", [index], frame)
    return base if isinstance(node.slice, ast.Slice) else it.stored(base.info).get(HELD, UNKNOWN)


def _slice(it: Interpreter, node: ast.Slice, frame: Frame) -> Value:
    bounds = [NONE if part is None else evaluate(it, part, frame) for part in (node.lower, node.upper, node.step)]
    return Sequence(UNKNOWN, tuple(bounds), "slice")


def _if_expression(it: Interpreter, node: ast.IfExp, frame: Frame) -> Value:
    truth = truth_test(it, node.test, frame, "conditional expression")
    before = dict(frame.env)
    found: list[Value] = []
    if truth is not False:
        narrowing.assume(it, node.test, frame, True)
        found.append(evaluate(it, node.body, frame))
        frame.env = dict(before)
    if truth is not True:
        narrowing.assume(it, node.test, frame, False)
        found.append(evaluate(it, node.orelse, frame))
        frame.env = dict(before)
    return join_all(found)


def _tuple_or_list(it: Interpreter, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Value:
    items: list[Value] = []
    is_exact = True
    for item in node.elts:
        if isinstance(item, ast.Starred):
            inner = evaluate(it, item.value, frame)
            if isinstance(inner, Sequence) and inner.items is not None:
                items.extend(inner.items)
            else:
                is_exact = False
                items.append(element_of(it, inner, frame))
        else:
            items.append(evaluate(it, item, frame))
    kind = "tuple" if isinstance(node, ast.Tuple) else "set" if isinstance(node, ast.Set) else "list"
    return Sequence(join_all(items), tuple(items) if is_exact else None, kind)


def _dict(it: Interpreter, node: ast.Dict, frame: Frame) -> Value:
    keys: list[tuple[str, Value]] = []
    found: list[Value] = []
    for key, item in zip(node.keys, node.values, strict=True):
        value = evaluate(it, item, frame)
        if key is None:
            found.append(value.element if isinstance(value, Mapping) else UNKNOWN)
            continue
        it.keyed(key, evaluate(it, key, frame), frame)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            keys.append((key.value, value))
        found.append(value)
    return Mapping(join_all(found), tuple(keys))


def _comprehension(it: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
    before = dict(frame.env)
    element = evaluate(it, node.elt, frame) if _generators(it, node.generators, frame) else UNKNOWN
    frame.env = before
    return Sequence(element, None, "set" if isinstance(node, ast.SetComp) else "list")


def _dict_comprehension(it: Interpreter, node: ast.DictComp, frame: Frame) -> Value:
    before = dict(frame.env)
    _generators(it, node.generators, frame)
    evaluate(it, node.key, frame)
    element = evaluate(it, node.value, frame)
    frame.env = before
    return Mapping(element)


def _generators(it: Interpreter, generators: list[ast.comprehension], frame: Frame) -> bool:
    """Bind the targets; False if a condition is known never to hold."""
    for generator in generators:
        iterated = evaluate(it, generator.iter, frame)
        it.iterated(generator.iter, iterated, frame)
        it.bind(generator.target, element_of(it, iterated, frame), frame)
        for condition in generator.ifs:
            if truth_test(it, condition, frame, "comprehension condition") is False:
                return False
            narrowing.assume(it, condition, frame, True)
    return True


def _lambda(it: Interpreter, node: ast.Lambda, frame: Frame) -> Value:
    prefix = f"{frame.info.qualname}." if frame.info else ""
    return Func(FunctionInfo(node, "<lambda>", prefix + "<lambda>", frame.info.owner if frame.info else None), None, frame)


def _named(it: Interpreter, node: ast.NamedExpr, frame: Frame) -> Value:
    value = evaluate(it, node.value, frame)
    it.bind(node.target, value, frame)
    return value


def _joined(it: Interpreter, node: ast.JoinedStr, frame: Frame) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(it, part.value, frame)
            it.formatted(part, value, frame)
    return STR


def _starred(it: Interpreter, node: ast.Starred, frame: Frame) -> Value:
    return evaluate(it, node.value, frame)


def _await(it: Interpreter, node: ast.Await, frame: Frame) -> Value:
    evaluate(it, node.value, frame)
    return UNKNOWN


def _yield(it: Interpreter, node: ast.Yield, frame: Frame) -> Value:
    frame.is_generator = True
    frame.yields.append(evaluate(it, node.value, frame) if node.value is not None else NONE)
    return UNKNOWN


def _yield_from(it: Interpreter, node: ast.YieldFrom, frame: Frame) -> Value:
    frame.is_generator = True
    frame.yields.append(element_of(it, evaluate(it, node.value, frame), frame))
    return UNKNOWN


def _other(it: Interpreter, node: ast.expr, frame: Frame) -> Value:
    return PYTHON


class _Table(dict[type, Callable[..., Value]]):
    def __missing__(self, key: type) -> Callable[..., Value]:
        return _other


_TABLE = _Table(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.BoolOp: _expression_bool,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.Compare: _compare,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.IfExp: _if_expression,
        ast.Tuple: _tuple_or_list,
        ast.List: _tuple_or_list,
        ast.Set: _tuple_or_list,
        ast.Dict: _dict,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _dict_comprehension,
        ast.Lambda: _lambda,
        ast.NamedExpr: _named,
        ast.JoinedStr: _joined,
        ast.Starred: _starred,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
    }
)

