"""Changed rules for a terminal: ``+`` added, ``-`` removed, ``~`` changed, ``>`` moved, ``~>`` both."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unless.cli.reasons import hanging
from unless.cli.rules import literal_text, rule_lines
from unless.diff import Comparison, LiteralEdit, RuleEdit
from unless.explanation.words import DEFAULT, printable
from unless.rule import Literal

__all__ = ["rule_changes"]

_MARKS = {"added": "+", "removed": "-", "changed": "~", "kept": " "}
_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "kept": "dim"}
_DEEP = 12  # levels that are indented

_Line = tuple[str, int, Text]
"""A mark, how deep the line stands, and what it says."""


def rule_changes(found: Comparison) -> Table:
    """The rules that are not what or where they were, in the order of the new program."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(style="bold cyan")
    table.add_column(overflow="fold")
    for edit in found.rules:
        if edit.status != "kept" or edit.moved:
            mark = _MARKS[edit.status].strip() + ">" * edit.moved
            label = printable(str(edit.rule.head))
            table.add_row(Text(mark, _STYLES.get(edit.status, "")), _numbers(edit), label, _body(edit))
    return table


def _numbers(edit: RuleEdit) -> str:
    numbers = [number + 1 for number in (edit.old_number, edit.new_number) if number is not None]
    return " → ".join(map(str, dict.fromkeys(numbers)))


def _body(edit: RuleEdit) -> Group:
    if edit.status in ("added", "removed"):
        style = _STYLES[edit.status]
        lines: list[_Line] = [
            (" ", depth, Text(f"{word} {literals}".rstrip(), style)) for depth, word, literals in rule_lines(edit.rule)
        ]
    else:
        lines = list(_edited(edit, "if", 0))
    return Group(*map(_laid_out, lines))


def _laid_out(line: _Line) -> RenderableType:
    mark, depth, text = line
    return hanging(f"{mark} {'  ' * min(depth, _DEEP)}", text)


def _edited(edit: RuleEdit, word: str, depth: int) -> Iterator[_Line]:
    """A rule that is in both programs: its literals, what was removed and added, its exceptions."""
    both = [one for one in edit.literals if one.status in ("kept", "changed")]
    if both or not edit.literals:
        style = "yellow" if any(one.status == "changed" for one in both) else "dim" if edit.status == "kept" else ""
        text = Text(" and ").join(map(_literal, both)) if both else Text("always")
        yield "~" if style == "yellow" else " ", depth, Text.assemble((f"{word} ", style), text)
    start = "and" if both else word
    for status in ("removed", "added"):
        found = [one for one in edit.literals if one.status == status]
        if found:
            said = " and ".join(literal_text(_either(one)) for one in found)
            yield _MARKS[status], depth, Text(f"{start} {said}", _STYLES[status])
    for exception in edit.exceptions:
        yield from _exception(exception, depth + 1)


def _exception(edit: RuleEdit, depth: int) -> Iterator[_Line]:
    if edit.status == "changed":
        yield from _edited(edit, "unless", depth)
        return
    for level, word, literals in rule_lines(edit.rule):
        said = "unless" if word == "if" else "unless always" if word == "otherwise" else word
        text = Text(f"{said} {literals}".rstrip(), _STYLES[edit.status])
        yield _MARKS[edit.status], depth + level, text


def _literal(edit: LiteralEdit) -> Text:
    """A literal that is in both rules; of a changed one, the old value and the new one."""
    if edit.old is None or edit.new is None or edit.status == "kept":
        return Text(literal_text(_either(edit)))
    old, new = (DEFAULT.value(one.feature, one.value) for one in (edit.old, edit.new))
    test = literal_text(edit.old).removesuffix(old)
    return Text.assemble(test, (old, "red"), " → ", (new, "green"))


def _either(edit: LiteralEdit) -> Literal:
    literal = edit.new or edit.old
    if literal is None:
        raise AssertionError("an edit is about a literal")
    return literal
