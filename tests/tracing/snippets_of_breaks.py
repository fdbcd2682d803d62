"""Where a default compile breaks and what the break costs: one frame, callees, resumed frames, libraries."""

from __future__ import annotations

from snippet import Snippet

BREAKS = (
    Snippet(
        "clean",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                if self.training:
                    y = y + 1
                else:
                    y = y - 1
                return y.relu()
        """,
    ),
    Snippet(
        "branch",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                if y.sum() > 0:  # *: value
                    y = y * 2
                return y - 1
        """,
    ),
    Snippet(
        "print_first",
        """
        class Net(nn.Module):
            def forward(self, x):
                print("before any operator")  # compile, fullgraph: no-handler
                return x + 1
        """,
    ),
    Snippet(
        "no_tensors",
        """
        class Net(nn.Module):
            def forward(self, x, n):
                self.check(n)
                return n + 1

            def check(self, n):
                if n < 0:
                    raise ValueError(n)

        def make():
            return Net(), (torch.ones(3), 2), {}
        """,
        targets=("compile",),
    ),
    Snippet(
        "two_prints",
        """
        class Net(nn.Module):
            def forward(self, x):
                x = x + 1
                print("one")  # compile, fullgraph: no-handler
                x = x + 2
                print("two")  # compile: no-handler
                return x + 3
        """,
    ),
    Snippet(
        "loop",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x.sin()
                for _ in range(2):
                    y = y + 1
                    print("in a loop")  # compile, fullgraph: no-handler
                    y = y * 2
                return y.cos()
        """,
    ),
    Snippet(
        "branch_in_loop",
        """
        class Net(nn.Module):
            def forward(self, x):
                for _ in range(2):
                    if x.sum() > 0:  # *: value
                        x = x + 1
                return x
        """,
        targets=("compile", "fullgraph"),
    ),
    Snippet(
        "lock",
        """
        class Net(nn.Module):
            lock = threading.Lock()

            def forward(self, x):
                y = x + 1
                with self.lock:  # compile, fullgraph, export-strict: context
                    y = y * 2
                return y
        """,
        targets=("compile", "fullgraph", "export-strict"),
    ),
    Snippet(
        "in_try",
        """
        class Net(nn.Module):
            def forward(self, x):
                try:
                    y = x + 1
                    print("in a try block")  # compile, fullgraph: no-handler
                    y = y * 2
                except ValueError:
                    y = x
                return y
        """,
        targets=("compile", "fullgraph"),
    ),
    Snippet(
        "in_context_manager",
        """
        class Quiet:
            def __enter__(self):
                return self

            def __exit__(self, *problem):
                return None

        class Net(nn.Module):
            def forward(self, x):
                with Quiet():
                    y = x + 1
                    print("in a with block")  # compile: no-handler
                return y * 2
        """,
        targets=("compile",),
    ),
    Snippet(
        "rest_of_function",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                y = y * 2
                try:
                    raise ValueError(y.sum().item())  # compile: value
                except ValueError:
                    y = y + 3
                return y
        """,
        targets=("compile",),
    ),
    Snippet(
        "inlined",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = self.outer(x) * 2
                return self.inner(y)

            def outer(self, x):
                return self.inner(x) + 1

            def inner(self, x):
                y = x + 2
                print("deep")  # compile, fullgraph: no-handler
                return y
        """,
    ),
    Snippet(
        "library_breaks_twice",
        """
        import library

        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                y = library.noisy(y)  # compile: no-handler; compile: no-handler; fullgraph: no-handler
                return y + 1
        """,
        library="""
        def noisy(x):
            x = x + 1
            print("one")
            x = x * 2
            print("two")
            return x - 1
        """,
    ),
    Snippet(
        "library_called_twice",
        """
        import library

        class Net(nn.Module):
            def forward(self, x):
                y = library.noisy(x)  # compile: no-handler
                y = y * 2
                return library.noisy(y)  # compile: no-handler
        """,
        library="""
        def noisy(x):
            x = x + 1
            print("one")
            return x
        """,
        targets=("compile",),
    ),
    Snippet(
        "decorated",
        """
        import functools

        def announced(function):
            @functools.wraps(function)
            def wrapper(self, x):
                y = x + 1
                print("called")  # compile, fullgraph: no-handler
                return function(self, y)
            return wrapper

        class Net(nn.Module):
            @announced
            def forward(self, x):
                y = x * 2
                return self.twice(y)

            @announced
            def twice(self, x):
                return x * 2
        """,
    ),
    Snippet(
        "library_decorator",
        """
        import library

        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                return self.step(y)  # compile, fullgraph: no-handler

            @library.announced
            def step(self, x):
                return x * 2
        """,
        library="""
        import functools

        def announced(function):
            @functools.wraps(function)
            def wrapper(self, x):
                print("called")
                return function(self, x)
            return wrapper
        """,
    ),
    Snippet(
        "generator",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                return sum(self.parts(y))

            def parts(self, y):
                for n in range(2):
                    if y.sum() > n:  # *: value
                        yield y + n
        """,
    ),
    Snippet(
        "generator_in_one_line",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                return sum(y.sum() for y in y if bool(y.sum() > 0))  # compile: mutation; *: value
        """,
    ),
    Snippet(
        "while_on_a_tensor",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                while y.sum() < 99:  # *: value
                    y = y * 2
                return y
        """,
    ),
    Snippet(
        "finally_block",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                try:
                    y = y + 1
                finally:
                    print("done")  # compile, fullgraph: no-handler
                return y * 3
        """,
    ),
    Snippet(
        "contextmanager_function",
        """
        import contextlib

        @contextlib.contextmanager
        def told():
            print("enter")  # compile, fullgraph: no-handler
            yield

        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                with told():
                    y = y + 1
                return y * 3
        """,
    ),
    Snippet(
        "same_helper_twice",
        """
        def loud(x):
            print("loud")  # compile, fullgraph: no-handler
            return x + 1

        class Net(nn.Module):
            def forward(self, x):
                y = loud(x.sin())
                return loud(y.cos())
        """,
    ),
    Snippet(
        "submodule",
        """
        class Inner(nn.Module):
            def forward(self, x):
                if x.sum() > 0:  # *: value
                    return x + 1
                return x - 1

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = nn.Sequential(Inner(), Inner())

            def forward(self, x):
                return self.steps(x * 2) + 1
        """,
    ),
    Snippet(
        "break_in_property_and_hook",
        """
        def hook(module, args):
            print("hook")  # compile, fullgraph: no-handler

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(3, 3)
                self.inner.register_forward_pre_hook(hook)

            def forward(self, x):
                return self.inner(x * self.factor)

            @property
            def factor(self):
                print("property")  # compile: no-handler
                return 2
        """,
        targets=("compile",),
    ),
    Snippet(
        "yields_to_eager_then_calls_back",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = self.outside(x * 2)  # compile, fullgraph, export-strict: forced
                return y + 1

            @torch.compiler.disable
            def outside(self, x):
                return self.inside(x)

            def inside(self, x):
                print("in Python anyway")
                return x + 1
        """,
    ),
    Snippet(
        "module_being_made",
        """
        class Inner(nn.Module):
            def __init__(self):
                print("making")  # compile: no-handler
                super().__init__()  # compile: construction

            def forward(self, x):
                return x + 1

        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                return Inner()(y)
        """,
        targets=("compile",),
    ),
    Snippet(
        "refusals_caught_by_the_code",
        """
        import contextlib

        class Net(nn.Module):
            def forward(self, x):
                try:
                    if x.sum() > 0:  # export-nonstrict: value
                        x = x + 1
                except RuntimeError:
                    x = x - 1
                n = 0
                with contextlib.suppress(Exception):
                    n = int(x.abs().sum())  # export-nonstrict: value
                return x + n
        """,
        targets=("export-nonstrict",),
    ),
)
