"""The page: its template, style and program, put into one file."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources

from jinja2 import Environment, StrictUndefined
from jinja2.loaders import FunctionLoader
from markupsafe import Markup

from flake8_torchtrace.report.content import Content, Level
from flake8_torchtrace.report.html import overview
from flake8_torchtrace.report.html.data import data
from flake8_torchtrace.report.html.units import MODULE, units

_PROGRAM = ("dom.js", "filter.js", "lists.js", "detail.js", "main.js")
_MAY_NOT_STAND = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def page(content: Content) -> str:
    """The whole file."""
    found = units(content)
    environment = Environment(loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"plain": plain, "breakable": breakable, "prose": prose, "encodable": encodable}
    style, program = _text("style.css"), "\n".join(map(_text, _PROGRAM))
    return environment.get_template("page.html.j2").render(
        content=content,
        cards=overview.cards(content, found),
        targets=overview.target_bars(content, found) if content.torch else [],
        families=overview.family_bars(content),
        files=overview.file_bars(content),
        costly=overview.costly(content),
        changes=overview.changed(content),
        modules=sum(unit.kind == MODULE for unit in found),
        levels={level.value: sum(item.level is level for item in content.items) for level in reversed(Level)},
        style=style,
        style_hash=_hash(style),
        program=program,
        program_hash=_hash(program),
        data=encodable(json.dumps(data(content, found), separators=(",", ":"), ensure_ascii=False)).translate(_MAY_NOT_STAND),
    )


def plain(text: str) -> str:
    """``text`` without control characters, which HTML cannot hold."""
    return "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)


def encodable(text: str) -> str:
    """``text`` with a mark for what UTF-8 cannot hold: the bytes of a file name that are no text."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def breakable(path: str) -> Markup:
    """A path that may be broken into lines behind its slashes."""
    return Markup("/<wbr>").join(plain(path).split("/"))


def prose(text: str) -> Markup:
    """Text with what stands between backticks as code."""
    parts = plain(text).split("`")
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(part) if number % 2 and number < len(parts) - 1 else part for number, part in enumerate(parts))


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names what may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
