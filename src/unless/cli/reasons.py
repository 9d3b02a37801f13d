"""`unless reasons`: show which reasons a model can give, check their wording, and count them in records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts, write_document
from unless.cli.layout import titled_grid
from unless.cli.loading import DataSource, read_any_model, read_records
from unless.cli.options import Codes, Json, Model, MostReasons, Output, Quiet, flag_option
from unless.errors import ParameterError
from unless.explanation.decision_reasons import Reasons, table_reasons
from unless.explanation.reasons_file import ReasonCheck, check_reason_words, read_reason_words, reasons_template
from unless.explanation.words import join_names, printable
from unless.model import Model as FittedModel
from unless.model import decider_of
from unless.rule import Program
from unless.rule.reason_factors import Factor
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, Reason, ReasonWords
from unless.score.principal_reasons import decider_factors, require_wording, voting_lists
from unless.score.score_decider import committee_of
from unless.values import count_text, percent

_NAMED = 8  # rules or lists, in a line

LACKING = 1
"""The exit code if a decision has no reason, or a reason has no wording."""


def reasons(
    model: Model,
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Records in which to count the reasons.", show_default=False)
    ] = None,
    *,
    codes: Codes = None,
    most: MostReasons = None,
    template: Annotated[
        bool, flag_option("Write a TOML file with an entry for each reason, to fill in.", "--template")
    ] = False,
    output: Output = None,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the reasons that a model can give for its decisions, check their wording, and count them in records.

    The reasons for a decision are the conditions of the deciding rule, why its exceptions do not apply, and later rules
    with the same label that hold too. For a decision by default they are what the record lacked for another label, the
    nearest rule first.

    With --codes, every reason must have a code and a text in the file; the exit code is 1 if one has none, or if a
    decision has no reason at all.

    Example: unless reasons model.json --template -o reasons.toml

    Example: unless reasons model.json new.csv
    """
    if output is not None and not template:
        raise typer.BadParameter("it is for --template", param_hint="--output")
    if template and (data is not None or codes is not None):
        raise typer.BadParameter("it takes no DATA and no --codes: it writes a new file", param_hint="--template")
    if most is not None and data is None:
        raise typer.BadParameter("it needs DATA", param_hint="--most")
    check_file_conflicts(output, model, data, codes, format=file.format)
    screen, found = Screen(quiet=quiet), read_any_model(model)
    if template:
        write_document(reasons_template(found), output)
        return
    if data is not None and getattr(found, "relations", None) is not None:
        raise ParameterError(f"{model} is for several tables; unless explain names the parts that decide a record")
    words = DEFAULT_REASONS if codes is None else read_reason_words(codes, found)
    if data is None:
        _show_known(screen, found, words, checked=codes is not None, json=json)
        return
    if codes is not None:
        require_wording(decider_of(found), words)
    used = list(decider_of(found).used)
    table = read_records(screen, DataSource.of(data, file), like=found, features=used)
    _show_counts(screen, table_reasons(decider_of(found), table, words, most or MOST_REASONS), json=json)


def _show_known(screen: Screen, model: FittedModel | Program, words: ReasonWords, *, checked: bool, json: bool) -> None:
    """Show every reason with the decisions that have it, and what has no wording."""
    decider, check = decider_of(model), check_reason_words(model, words)
    noun = "rule" if voting_lists(decider) is None else "part" if committee_of(decider) is None else "list"
    lacking = checked and bool(check.unworded or check.unexplained)
    if json:
        known = [_to_json(words, factor, rules) for factor, rules in decider_factors(decider).items()]
        without = [] if not checked else [str(factor) for factor in check.unworded]
        unexplained = [None if one is None else one + 1 for one in check.unexplained]
        screen.data({"target": decider.target, "reasons": known, "unworded": without, "unexplained": unexplained})
    else:
        table = titled_grid(["code", "text", "of", "if"], ())
        for reason, factors in _by_reason(decider_factors(decider), words).items():
            rules = sorted({_number(one) for own in factors.values() for one in own})
            said = "; ".join(dict.fromkeys(one.condition_text for one in factors))
            text = "" if reason.text == reason.code else reason.text
            table.add_row(*map(Text, (printable(reason.code), text, _rule_names(rules, noun), said)))
        screen.show(table)
        screen.show(*_complaints(check, noun, checked=checked))
    if lacking:
        raise typer.Exit(LACKING)


def _by_reason(factors: dict[Factor, list[int | None]], words: ReasonWords) -> dict[Reason, dict[Factor, Any]]:
    found: dict[Reason, dict[Factor, Any]] = {}
    for factor, rules in factors.items():
        found.setdefault(words.reason(factor), {})[factor] = rules
    return found


def _complaints(check: ReasonCheck, noun: str, *, checked: bool) -> Iterator[str]:
    """Yield what has no wording, and which decisions have no reasons."""
    if checked and check.unworded:
        yield ""
        yield f"{count_text(len(check.unworded), 'reason')} without a code and a text:"
        for factor, rules in check.unworded.items():
            yield f"  {factor} ({factor.condition_text}; {_rule_names(sorted(map(_number, rules)), noun)})"
    if check.unexplained:
        named = _rule_names(sorted(map(_number, check.unexplained)), noun)
        yield ""
        yield f"no reasons for the decisions of {named}, because they test no condition"


def _number(index: int | None) -> int:
    """Return the number of a rule; 0 if no rule decides."""
    return 0 if index is None else index + 1


def _rule_names(numbers: Sequence[int], noun: str) -> str:
    rules = [one for one in numbers if one]
    named = [f"{noun}{'s' if len(rules) > 1 else ''} {join_names(map(str, rules), _NAMED)}"] if rules else []
    return join_names([*named, *(["otherwise"] if 0 in numbers else [])])


def _to_json(words: ReasonWords, factor: Factor, rules: Sequence[int | None]) -> dict[str, Any]:
    reason = words.reason(factor)
    return {
        "code": reason.code,
        "text": reason.text,
        "feature": factor.feature,
        "kind": factor.kind,
        "category": factor.category,
        "condition": factor.condition_text,
        "rules": [None if one is None else one + 1 for one in rules],
    }


def _show_counts(screen: Screen, found: Reasons, *, json: bool) -> None:
    """Show how many records have each reason, by label."""
    if json:
        counts = found.to_dict()["counts"]
        screen.data({"target": found.target, "records": len(found), "counts": counts})
        return
    table = titled_grid([found.target, "code", "text", "records", ""], (3, 4))
    for label, code, text, records, share in found.count_rows():
        name = "not decided" if label is None else str(label)
        cells = (name, code, "" if text == code else text, f"{records:,}", percent(share))
        table.add_row(*(Text(printable(one) if one else "") for one in cells))
    screen.show(table)
