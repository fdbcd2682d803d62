"""``torchtrace explain``: what a code means, and writing the pages of the documentation."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from flake8_torchtrace.explain.index import index_page, listing, rules_table
from flake8_torchtrace.explain.page import rule_page, topic_page
from flake8_torchtrace.explain.topics import TOPICS
from flake8_torchtrace.reasons.tables import TableError, recorded
from flake8_torchtrace.usage import UsageError, known_code, load_rules

BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"
_STDOUT = ""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "explain",
        help="say what a code means, with examples and what each recorded torch does with them",
        description="Prints the page of a code, or without one the list of all codes.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("code", nargs="?", metavar="CODE", help="for example TTR101, or branch-on-tensor")
    what.add_argument("--write", metavar="FOLDER", help="write the pages of all codes and their index into FOLDER")
    what.add_argument(
        "--table", nargs="?", const=_STDOUT, metavar="FILE",
        help=f"print the rules as a Markdown table, or put it into FILE between the lines {BEGIN} and {END}",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    try:
        if options.write is not None:
            _write(Path(options.write))
        elif options.table is not None:
            _table(options.table)
        elif options.code is not None:
            print(_page(options.code), end="")
        else:
            print(listing(load_rules(), TOPICS), end="")
    except TableError as error:
        raise UsageError(str(error)) from error
    return 0


def pages() -> dict[str, str]:
    """Every page of ``docs/rules`` by file name. Raises TableError."""
    rules, tables = load_rules(), recorded()
    found = {f"{rule.code}.md": rule_page(rule, tables) for rule in rules}
    found |= {f"{topic.code}.md": topic_page(topic) for topic in TOPICS}
    return {"README.md": index_page(rules, TOPICS, tables), **found}


def with_table(text: str, table: str) -> str | None:
    """``text`` with ``table`` between its two marks, or None if it has no such marks."""
    before, found, rest = text.partition(BEGIN)
    _, ends, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}{END}{after}" if found and ends else None


def _page(text: str) -> str:
    rules = {rule.code: rule for rule in load_rules()}
    topics = {topic.code: topic for topic in TOPICS}
    code = known_code(text, {**{code: rule.name for code, rule in rules.items()}, **{code: topic.name for code, topic in topics.items()}})
    return rule_page(rules[code], recorded()) if code in rules else topic_page(topics[code])


def _write(folder: Path) -> None:
    written = pages()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (folder / name).write_text(text, encoding="utf-8")
        for path in folder.glob("TTR*.md"):
            if path.name not in written and re.fullmatch(r"TTR\d{3}\.md", path.name):
                print(f"torchtrace: {path} is the page of no code: delete it, or keep the code as a retired topic", file=sys.stderr)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    print(f"torchtrace: wrote {len(written)} pages into {folder}", file=sys.stderr)


def _table(file: str) -> None:
    table = rules_table(load_rules(), recorded())
    if file == _STDOUT:
        print(table, end="")
        return
    path = Path(file)
    try:
        text = with_table(path.read_text(encoding="utf-8"), table)
        if text is None:
            raise UsageError(f"{path} has no lines {BEGIN} and {END}")
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
