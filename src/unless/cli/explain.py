"""`unless explain`: why a record got its label, why not another, and what would change it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from typing import Literal as OneOf

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions, split_names
from unless.cli.file_io import check_files
from unless.cli.layout import grid, hanging, unseen_lines
from unless.cli.loading import DataSource, label_among, read_any_model, read_records
from unless.cli.options import Json, Model, Quiet, Strict, complete_features, complete_labels, flag_option, value_option
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.unseen_values import Unseen, refuse, refuse_ignorance, unseen_values
from unless.explanation.proof import Proof, RuleProof
from unless.explanation.score_explanation import ScoreExplanation, explain_score, label_probability
from unless.explanation.sentences import failing_conditions, story_lines, words_for
from unless.explanation.why import Explanation, WhyNot, explain_record
from unless.explanation.why import why_not as why_not_of
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import Model as FittedModel
from unless.model import decider_of, is_all_holdout
from unless.model.rule_statistics import RuleStatistics
from unless.read.csv_files import TextFile
from unless.read.dialect import TextDialect
from unless.read.table import read_table
from unless.rule import Program
from unless.score.score_card import require_card
from unless.table import Column, Table
from unless.values import Label, Value, count_text, label_to_json, same_label, value_to_json

if TYPE_CHECKING:
    from unless.explanation.counterfactuals.nearest import Counterfactuals

_ROWS = re.compile(r"\s*([0-9]{1,18})\s*(?:-\s*([0-9]{1,18})\s*)?")
_STYLES = {"decision": "bold", "exception": "dim", "other": "dim"}
_FEW = 3  # rules that did not apply are shown, unless all are asked for
_LISTS = 8  # lists of a committee are shown one by one, unless all are asked for


def explain(
    model: Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="The records: a file, a folder, or - for standard input. Not needed with --set.",
            show_default=False,
        ),
    ] = None,
    *,
    row: Annotated[
        list[str] | None, value_option("N", "Which records, counted from 1: 8, or 3-8 (repeat, or 3,8).", "--row", "-r")
    ] = None,
    assigned: Annotated[
        list[str] | None,
        value_option(
            "NAME=VALUE",
            "Give a feature a value. Without DATA, all others are missing.",
            "--set",
            complete=complete_features("="),
        ),
    ] = None,
    style: Annotated[
        OneOf["plain", "tree", "rules"],
        flag_option("plain is sentences; tree and rules are the justifications of the paper."),
    ] = "plain",
    why_not: Annotated[
        str | None, value_option("LABEL", "Show what stopped the rules for this label.", complete=complete_labels)
    ] = None,
    what_if: Annotated[
        bool, flag_option("Show the nearest changes that give another label, or that of --why-not.", "--what-if")
    ] = False,
    fixed: Annotated[
        list[str] | None,
        value_option("NAME", "A feature that must not change (repeat, or a,b).", complete=complete_features()),
    ] = None,
    most: Annotated[int | None, value_option("N", "How many changes to show.  [default: 3]", low=1)] = None,
    points: Annotated[
        bool, flag_option("Show the score card: the points of what holds, and the probabilities.", "--points")
    ] = False,
    all: Annotated[bool, flag_option("Show every rule that did not apply, not just the nearest.", "--all")] = False,
    strict: Strict = False,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Explain a decision: why, why not another label, and what would change it.

    It shows the three rules that came nearest to applying: those with the fewest failing conditions. Of a committee it
    shows the lists and rules that carried the vote, and points that add up.

    Example: unless explain model.json new.csv --row 8 --what-if

    Example: unless explain model.json --set history=late --why-not accept

    Example: unless explain model.json new.csv --row 8 --points
    """
    wanted_rows = [_span(part) for text in row or () for part in text.split(",")]
    if data is None and (wanted_rows or not assigned):
        raise typer.BadParameter("give the records, such as new.csv, or values: --set NAME=VALUE", param_hint="DATA")
    for option, value in (("--fixed", fixed), ("--most", most)):
        if value and not what_if:
            raise typer.BadParameter("it needs --what-if", param_hint=option)
    check_files(None, model, data, format=file.format)
    screen = Screen(quiet=quiet)
    found = read_any_model(model)
    decider = decider_of(found)
    program = decider.all_rules
    if not decider.by_rule:
        _refuse_without_rules(style, why_not, what_if=what_if, points=points)
    changed = _assignments(assigned or (), found)
    label = None if why_not is None else label_among(decider.labels, why_not, "no rule gives the label")
    stay = _features(split_names(fixed, program.features), program, "--fixed")
    source = None if data is None else DataSource.of(data, file)
    answers = [
        _Answer(
            number,
            changed,
            said,
            found,
            explain_record(decider, record),
            None if label is None or not decider.by_rule else why_not_of(program, record, label),
            _changes(found, record, label, stay, most or 3) if what_if else None,
            _scored(found, record) if points else None,
            held,
        )
        for number, record, said, held in _records(screen, source, found, changed, wanted_rows)
    ]
    unseen = _unseen(found, answers)
    if strict:
        refuse_ignorance(found, program)
        refuse(unseen)
    screen.note(*unseen_lines(unseen))
    if json:
        records = [answer.to_dict() for answer in answers]
        screen.data({"target": program.target, "records": records, "unseen": [one.to_dict() for one in unseen]})
        return
    for place, answer in enumerate(answers):
        screen.show(*[""] * bool(place), *answer.shown(style, everything=all))


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is said about one record; ``number`` is None if all its values come from the command line."""

    number: int | None
    changed: dict[str, Value]
    said: Label | None
    model: FittedModel | Program
    explanation: Explanation
    why_not: WhyNot | None
    changes: Counterfactuals | None
    points: ScoreExplanation | None
    held_back: bool | None = None
    """Whether the rules were not learned from this record, but tested on it."""

    @property
    def label(self) -> Label | None:
        """The label of the record."""
        return self.explanation.label

    @property
    def proof(self) -> Proof | None:
        """The proof, if one rule decides."""
        return self.explanation if isinstance(self.explanation, Proof) else None

    @property
    def statistics(self) -> RuleStatistics | None:
        """What the rules decided in training."""
        return None if isinstance(self.model, Program) else self.model.statistics

    @property
    def probability(self) -> float | None:
        """The probability of the label; None if it is not known."""
        if self.proof is not None:
            return label_probability(self.model, self.proof)
        columns = tuple(Column.of(name, [value]) for name, value in self.explanation.record.items())
        shares = None if isinstance(self.model, Program) else self.model.probabilities(Table(columns, rows=1))
        if isinstance(self.model, Program) or shares is None or self.label is None:
            return None
        return float(shares[0, self.model.statistics.classes.index(self.label)])

    def to_dict(self) -> dict[str, Any]:
        changes = None if self.changes is None else self.changes.to_dict()["changes"]
        found = {
            "row": self.number,
            "set": {name: value_to_json(value) for name, value in self.changed.items()},
            "label_in_data": label_to_json(self.said),
            "held_back": self.held_back,
            "probability": self.probability,
        }
        if self.proof is None:
            return {**found, "vote": self.explanation.to_dict(), "changes": changes}
        return {
            **found,
            "proof": self.proof.to_dict(),
            "statistics": self.statistics and _rule_figures(self.statistics, self.proof.decided),
            "why_not": self.why_not and {key: self.why_not.to_dict()[key] for key in ("label", "rules")},
            "changes": changes,
            "points": None if self.points is None else self.points.to_dict(),
        }

    def shown(self, style: OneOf["plain", "tree", "rules"], *, everything: bool) -> Iterator[Any]:
        words = words_for(decider_of(self.model).all_rules, record=self.explanation.record)
        changed = " and ".join(words.has(name, value) for name, value in self.changed.items())
        if changed and self.number is not None:
            yield hanging(f"Record {self.number}, if ", Text(f"{changed}:"))
        number = None if changed else self.number
        if self.proof is None:
            start = "" if number is None else f"Record {number}: "
            title, *rows = self.explanation.text(None if everything else _LISTS, words=words).split("\n")
            yield hanging(start, Text(title, "bold"))
            yield from (Text(line) for line in rows)
        elif style == "plain":
            yield from reasons(
                self.proof, number, self.statistics, words, probability=self.probability, everything=everything
            )
        else:
            yield self.proof.text(style, number=number)
        if self.said is not None and (self.label is None or not same_label(self.said, self.label)):
            yield hanging("  ", Text(f"(its label in the data is {printable(str(self.said))})", "yellow"))
        if self.held_back:
            yield hanging("  ", Text("(the rules were not learned from this record, but tested on it)", "dim"))
        if self.why_not is not None:
            yield from obstacles(self.why_not, words, everything=everything)
        if self.changes is not None:
            yield what_changes(self.changes, words)
        if self.points is not None:
            yield score_table(self.points)


def _rule_figures(statistics: RuleStatistics, decided: int | None) -> dict[str, Any]:
    """What the deciding rule decided in training, and what to expect of it."""
    place = -1 if decided is None else decided
    known = statistics.known(place)
    return {
        "decided": float(statistics.support[place]) if known else None,
        "right": float(statistics.right[place]) if known else None,
        **statistics.expectation(place),
        "weighted": statistics.weighted,
    }


def _refuse_without_rules(style: str, why_not: str | None, *, what_if: bool, points: bool) -> None:
    """Refuse what is about the one rule that decides."""
    if points:
        raise typer.BadParameter("the points of a committee are always shown; leave it out", param_hint="--points")
    if style != "plain":
        raise typer.BadParameter("a committee has many lists; leave it out", param_hint="--style")
    if why_not is not None and not what_if:
        raise typer.BadParameter(
            "in a committee no single rule stops a label; add --what-if to see what would give it",
            param_hint="--why-not",
        )


def _changes(
    model: FittedModel | Program, record: dict[str, Value], label: Label | None, fixed: list[str], most: int
) -> Counterfactuals:
    from unless.explanation.counterfactuals.nearest import counterfactuals  # 20 ms for --what-if alone

    return counterfactuals(model, record, label, fixed=fixed, most=most)


def _scored(model: FittedModel | Program, record: dict[str, Value]) -> ScoreExplanation:
    if isinstance(model, Program):
        raise ParameterError("the file has only rules, and no points for them; fit a model: unless fit")
    return explain_score(require_card(model.card), record)


def _unseen(model: FittedModel | Program, answers: Sequence[_Answer]) -> tuple[Unseen, ...]:
    """Return what the records have that training did not; nothing is known about rules without a model."""
    if isinstance(model, Program):
        return ()
    records = [answer.explanation.record for answer in answers]
    names = [name for name in model.domain.features if all(name in record for record in records)]
    columns = tuple(Column.of(name, [record[name] for record in records]) for name in names)
    return unseen_values(model, Table(columns, rows=len(records)))


def _records(
    screen: Screen,
    data: DataSource | None,
    model: FittedModel | Program,
    changed: dict[str, Value],
    rows: list[tuple[int, int]],
) -> Iterator[tuple[int | None, dict[str, Value], Label | None, bool | None]]:
    """Yield the records asked for, with their numbers and, if --set changes nothing, their labels in the data.

    Last comes whether the record was held back when the rules were learned, if that can be told.
    """
    used = decider_of(model).used
    if data is None:
        yield None, {**dict.fromkeys(used), **changed}, None, None
        return
    # The data need not have a column whose value --set gives.
    wanted = [name for name in used if name not in changed]
    table = read_records(screen, data, like=model, features=data.known_features(model, wanted))
    for number in _numbers(rows, table, data.name):
        record = table.record(number - 1)
        found = {**{name: record[name] for name in wanted}, **changed}
        if changed or table.target is None:
            yield number, found, None, None
        else:
            row = table[[number - 1]]
            yield number, found, row.labels.labels[int(row.labels.codes[0])], is_all_holdout(model, row)


def _span(text: str) -> tuple[int, int]:
    """Return the first and the last row that a text names."""
    found = _ROWS.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a row; write 8, or 3-8", param_hint="--row")
    first, last = int(found.group(1)), int(found.group(2) or found.group(1))
    if not 1 <= first <= last:
        raise typer.BadParameter(
            f"{text!r} is not a row; rows start at 1, and the smaller number comes first: 2-5", param_hint="--row"
        )
    return first, last


def _numbers(rows: Sequence[tuple[int, int]], table: Table, data: str) -> Iterator[int]:
    """Yield the numbers of the records asked for; without --row, that of the only record."""
    count = len(table)
    if not rows and count != 1:
        raise typer.BadParameter(f"{data} has {count:,} records; say which: --row 8, or --row 3-8", param_hint="--row")
    for first, last in rows or [(1, 1)]:
        if last > count:
            raise ParameterError(f"no record {last:,}: {data} has {count:,}; --row takes 1 to {count}")
        yield from range(first, last + 1)


def _assignments(texts: Sequence[str], model: FittedModel | Program) -> dict[str, Value]:
    """Return the values that --set gives to features, read like cells of a file."""
    cells: dict[str, str] = {}
    for text in texts:
        name, sign, cell = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} has no =; write {text}=VALUE", param_hint="--set")
        cells[name] = cell
    _features(cells, decider_of(model).all_rules, "--set")
    if not cells:
        return {}
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL).writerow(cells.values())
    source = table.getvalue().encode("utf-8", "surrogateescape")  # the bytes that the shell gave
    given = TextFile(source, TextDialect(), where="--set", names=list(cells))
    return read_table(given, like=model, features=list(cells)).record(0)


def _features(names: Iterable[str], program: Program, option: str) -> list[str]:
    """Return the names that an option gives, if they are features of the program."""
    found = list(names)
    for name in found:
        if name not in program.features:
            raise UnknownNameError(f"{option}: no feature {name!r}{suggest(name, program.features)}")
    return found


# The answers.


def reasons(
    proof: Proof,
    number: int | None = None,
    statistics: RuleStatistics | None = None,
    words: Words = DEFAULT,
    *,
    probability: float | None = None,
    everything: bool = False,
) -> Iterator[RenderableType]:
    """Yield the decision, its reasons, and why earlier rules did not apply: the nearest few of them, or all."""
    told = list(story_lines(proof, number, statistics, words, probability))
    shown = _nearest([tried for tried in proof.tried if not tried.covers], everything=everything)
    others = [line for line in told if line.role == "other"]
    for line in told[: len(told) - len(others)] + [others[place] for place in shown]:
        yield hanging(line.lead, Text(line.text, _STYLES.get(line.role, "")))
    if more := len(others) - len(shown):
        yield _more(more, f"{count_text(more, 'other earlier rule')} did not apply")


def obstacles(found: WhyNot, words: Words, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what stopped the rules of a label: the nearest few of them, or all."""
    title, *stops = found.text(words).split("\n")
    shown = _nearest([obstacle.rule for obstacle in found.obstacles], everything=everything)
    yield Text(title, "bold")
    yield from (hanging("  ", Text(stops[place].strip())) for place in shown)
    if more := len(stops) - len(shown):
        yield _more(more, f"{count_text(more, 'other rule')} for this label")


def _nearest(rules: Sequence[RuleProof | None], *, everything: bool) -> Collection[int]:
    """Return the places of the rules that came nearest to applying, in order: those with the fewest failing conditions.

    A rule that only an exception or an earlier rule stopped has none.
    """
    if everything:
        return range(len(rules))
    fails = [0 if rule is None else len(failing_conditions(rule)) for rule in rules]
    return sorted(sorted(range(len(rules)), key=fails.__getitem__)[:_FEW])


def _more(count: int, said: str) -> Text:
    return Text(f"  and {said}; --all shows {'it' if count == 1 else 'them'}", "dim")


def what_changes(changes: Counterfactuals, words: Words = DEFAULT) -> RenderableType:
    """Return the changes that give another label, each with that label, or that there are none."""
    title = changes.lines(words)[0]
    table = grid({"no_wrap": True}, {}, {})
    for one in changes:
        table.add_row("", one.text(words), Text.assemble(("→ ", "dim"), (one.outcome, "green")))
    return Group(Text(title, "bold"), table)


def score_table(points: ScoreExplanation) -> RenderableType:
    """Return the points of what holds as a table that adds up, and the probabilities."""
    head, *rows, total, shares = points.table()
    table = grid({}, *({"justify": "right", "no_wrap": True} for _ in head[1:]))
    for row, style in ((head, "bold"), *((row, "") for row in rows), (total, "bold"), (shares, "bold")):
        table.add_row(*(Text(cell, style) for cell in row))
    return table
