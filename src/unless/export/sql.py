"""Write programs as one SQL expression.

A missing cell is NULL, or NaN in a numeric column. Three-valued logic does not matter: under a NOT, every test is true
or false for every cell. No text is pasted: names, texts and numbers are nodes of a sqlglot tree, which quotes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args
from typing import Literal as OneOf

from unless.errors import ParameterError, ProgramError, suggest
from unless.export.conditions import card_of, decisions, writer_for
from unless.model import Model, model_of, tests_of
from unless.model.prediction import Decider
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import ScoreDecider
from unless.table import Schema
from unless.values import Label, count_text

try:
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel
    from sqlglot.generator import Generator
except ImportError as error:
    raise ImportError("SQL is written with sqlglot; install it with: pip install 'unless[sql]'") from error
from unless.export import committee_sql, cost_sql, sql_scores
from unless.export.sql_columns import ColumnKind, SqlColumns, find_column_kinds
from unless.export.sql_dialects import DIALECTS
from unless.export.sql_interface import Dialect
from unless.export.sql_writer import SqlWriter

What = OneOf["label", "rule", "because", "probability", "reasons"]


def to_sql(
    program: Decider | Model,
    dialect: str = "duckdb",
    what: What = "label",
    columns: Mapping[str, ColumnKind] | None = None,
) -> str:
    """Write a program as one SQL expression over the columns of a table: ``SELECT *, <expression> FROM ...``.

    Parameters
    ----------
    program
        A program or a committee, or a fitted classifier, which stores the kinds of its columns.
    dialect
        ``duckdb``, ``postgres``, ``sqlite``, ``spark``, ``mysql`` (run in MariaDB), ``bigquery``, ``snowflake`` or
        ``tsql``. The last three follow manuals, and were never run in their databases.
    what
        ``label``: the result of `predict`, NULL for None. ``rule``: the number of the deciding rule, from
        1, or NULL if no rule decides. ``because``: a sentence, with the record's values as the database writes them.
        A committee has neither ``rule`` nor ``because``. ``probability``: for a model or a committee with two labels,
        the probability of the second; `to_query` writes the probabilities of any number of labels, and ``reasons``.
    columns
        The kinds of columns, if the literals do not show them. ``number``: a numeric type; NULL and NaN are missing.
        ``text``: never a number, even if it looks like one. ``mixed``: a numeric type, or text in which cells that
        `read_table` reads as numbers are numbers. ``boolean``: TRUE and FALSE are the categories
        ``True`` and ``False``. By default, a feature that is compared with numbers is mixed, unless it is known that
        training had numbers there, not text; and a feature that is only compared with ``True`` and ``False`` is
        boolean.

        ``date``, ``timestamp``, ``timestamptz``, ``time``, ``interval``: columns of these types; ``timestamp_ns`` if
        cells have digits finer than microseconds, which are cut off. In ``text`` and ``mixed`` columns of a feature
        compared with dates or times, cells in ISO 8601 are dates or times. By default, dates are
        ``date``, dates with a time ``timestamp``, or with a zone ``timestamptz``, times of the day ``time``, durations
        ``interval``, and ordered categories ``text``.
    """
    if what not in get_args(What):
        raise ParameterError(f"no SQL for {what!r}{suggest(str(what), get_args(What))}")
    if what == "reasons":
        raise ParameterError(
            "one expression cannot return several reasons; to_query has a column for each: to_query(model, table, "
            'what=["label", "reasons"]), or in the shell --table NAME'
        )
    rules, engine, writer = prepare_writer(program, dialect, columns)
    return text_writer(engine, rules)(decision_node(program, what, writer))


def decision_node(model: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    """Build the expression of `to_sql`, as a tree."""
    writers: Mapping[type, Callable[..., Any]] = {Program: _list_node, Committee: _vote_node, ScoreDecider: _score_node}
    found: exp.Expression = writer_for(model, "SQL", writers)(model, what, writer)
    return found


def _list_node(rules: Program, model: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    if what != "probability":
        return _decision_case(rules, what, writer)
    card = card_of(model)
    _refuse_many(card.classes)
    return sql_scores.second_probability(card, writer)


def prepare_writer(
    program: Decider | Model, dialect: str, columns: Mapping[str, ColumnKind] | None
) -> tuple[Program, Dialect, SqlWriter]:
    """Prepare the rules, the database, and the writer of conditions for the database."""
    if dialect not in DIALECTS:
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), DIALECTS)}")
    rules, engine = tests_of(program), DIALECTS[dialect]
    known = model_of(program)
    schema = Schema({}) if known is None else known.schema
    refuse_column_names(rules, engine)
    written = {**schema.notations, **rules.notations}
    notations = {name: one for name, one in written.items() if not one.plain}
    kinds = find_column_kinds(rules, SqlColumns(schema.kinds, schema.typed, notations, engine, written), columns or {})
    compared = {name: one for name, one in notations.items() if name in rules.notations}
    special = {
        name: codes for name, codes in schema.special.items() if kinds.get(name, "number") in {"number", "mixed"}
    }
    return rules, engine, SqlWriter(engine, kinds, compared, special)


def text_writer(engine: Dialect, rules: Program) -> Callable[[exp.Expression], str]:
    """Return the function that writes expressions about these rules as text."""
    # sqlglot 30 indents inside names with line breaks, and a text may already contain its mark for line breaks.
    marked = Generator.SENTINEL_LINE_BREAK.rstrip("_") in str(rules)
    pretty = not marked and not any("\n" in feature for feature in rules.used)
    return lambda found: found.sql(engine.syntax, copy=False, pretty=pretty, unsupported_level=ErrorLevel.RAISE)


def _vote_node(committee: Committee, _: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    if what == "label":
        return committee_sql.label(committee, writer, [writer.label(label) for label in committee.classes])
    if what != "probability":
        raise ParameterError(f"no SQL for {what!r} of a committee: many rules decide; use label or probability")
    _refuse_many(committee.classes)
    return committee_sql.second_probability(committee, writer)


def _score_node(decider: ScoreDecider, _: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    if what == "label":
        return cost_sql.label(decider, writer)
    if what != "probability":
        raise ParameterError(f"no SQL for {what!r} of a {decider.noun}: points decide; use label or probability")
    _refuse_many(decider.classes)
    return cost_sql.second_probability(decider, writer)


def _refuse_many(classes: Sequence[Label]) -> None:
    if len(classes) != 2:
        raise ParameterError(
            f"there {'is' if len(classes) == 1 else 'are'} {count_text(len(classes), 'label')}, "
            "and one expression is for "
            'two; to_query gives a column for each: to_query(model, table, what=["probability"]), or in the shell '
            "--table NAME"
        )


def refuse_column_names(program: Program, dialect: Dialect) -> None:
    """Reject names that no column can have, and pairs of names that the database takes for one column."""
    seen: dict[str, str] = {}
    for feature in program.used:
        if not dialect.has_name(feature):
            raise ProgramError(f"no column of {dialect.name} can have the name {feature!r}; rename the feature")
        twin = seen.setdefault(dialect.fold_name(feature), feature)
        if twin != feature:
            raise ProgramError(f"{twin!r} and {feature!r} are one column in {dialect.name}; rename one of the features")


def _decision_case(program: Program, what: str, writer: SqlWriter) -> exp.Expression:
    """Write the decision list: the first condition that holds gives the result."""
    case = exp.Case()
    for condition, index in decisions(program, writer):
        result = _decided_value(program, index, what, writer)
        if condition is not None:
            case = case.when(condition, result, copy=False)
    if not case.args.get("ifs"):
        return result
    return case if isinstance(result, exp.Null) else case.else_(result, copy=False)


def _decided_value(program: Program, index: int | None, what: str, writer: SqlWriter) -> exp.Expression:
    rule = None if index is None else program.rules[index]
    label = program.otherwise if rule is None else rule.head
    match what:
        case "label":
            return exp.Null() if label is None else writer.label(label)
        case "rule":
            return exp.Null() if index is None else exp.Literal.number(index + 1)
    return writer.sentence(program.target, label, rule)
