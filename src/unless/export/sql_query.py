"""Write programs as a whole SQL query: the rows of a table with their label, the deciding rule and the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp
from sqlglot.errors import SqlglotError

from unless.errors import ParameterError
from unless.export import committee_sql, cost_sql, sql_scores
from unless.export.committee_sql import batched
from unless.export.conditions import card_of, decisions, writer_for
from unless.export.free_names import FreeNames
from unless.export.reason_terms import ReasonStyle
from unless.export.sql import What, prepare_writer, text_writer, to_sql
from unless.export.sql_columns import ColumnKind
from unless.export.sql_dialects import DIALECTS
from unless.export.sql_interface import Dialect
from unless.export.sql_reasons import SqlReasons, reason_names
from unless.export.sql_scales import ScaleWriter
from unless.export.sql_tree import new_column
from unless.export.sql_writer import SqlWriter
from unless.model import Model, decider_of
from unless.model.prediction import Decider
from unless.rule import Program
from unless.rule.reason_words import MOST_REASONS, ReasonWords
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider
from unless.values import Label

_COLUMNS: dict[What, str] = {"label": "predicted", "rule": "rule", "because": "because"}

_LONGEST = 40
"""The maximum length of a label in the name of a column: PostgreSQL has room for 63."""


def to_query(
    program: Decider | Model,
    table: str,
    dialect: str = "duckdb",
    what: What | Sequence[What] | None = None,
    columns: Mapping[str, ColumnKind] | None = None,
    *,
    words: ReasonWords | None = None,
    most: int = MOST_REASONS,
) -> str:
    """Write a SELECT of all columns of a table, and of ``predicted``, ``rule`` and ``because``; see `to_sql`.

    With ``probability`` in ``what`` there are ``predicted``, ``rule``, and for each label ``points_LABEL`` and
    ``probability_LABEL``; ``points_list`` is what the list adds so that its label leads. With two labels, only the
    second has points.

    For a committee, or a model that decides by points or costs, there is only ``predicted``; with ``probability`` in
    ``what`` also, for each label, ``points_LABEL`` and ``probability_LABEL``, and the number of the deciding rule in
    each list of a committee: ``list_1``, ``list_2`` and so on.

    With ``reasons`` in ``what`` there are the codes of at most ``most`` reasons, ``reason_1`` and so on, and their
    texts, ``reason_1_text`` and so on, worded by ``words``; ``reason_numbers`` has their numbers. It cannot be combined
    with ``probability``.

    The name of the table is written as in SQL, such as ``sales.applicants`` or ``"My table"``. If a feature or the
    target has the name of a new column, the new column gets another name: ``rule_2``.
    """
    by_rule, source = decider_of(program).by_rule, _quote_table_name(table, dialect)
    whats = ([what] if isinstance(what, str) else what) or (("label", "rule", "because") if by_rule else ("label",))
    rules, engine, writer = prepare_writer(program, dialect, columns)
    query = _QueryWriter(source, FreeNames(rules), writer, text_writer(engine, rules))
    if "probability" in whats and not by_rule:
        writers: Mapping[type, Callable[..., str]] = {Committee: query.write_vote, ScoreDecider: query.write_score}
        return writer_for(program, "SQL", writers)()  # type: ignore[no-any-return]
    plain: list[What] = [one for one in whats if one not in ("probability", "reasons")]
    if "reasons" in whats:
        if "probability" in whats:
            raise ParameterError("reasons and probabilities need separate queries; write two")
        found = ReasonStyle(words, most).find(program, "SQL")
        own = {one: query.names.take(_COLUMNS[one]) for one in plain}
        return query.write_reasons([(to_sql(program, dialect, one, columns), own[one]) for one in plain], *found, most)
    if "probability" in whats:
        plain = ["label", "rule", *(one for one in whats if one == "because")]
    own = {one: query.names.take(_COLUMNS[one]) for one in plain}
    parts = [(to_sql(program, dialect, one, columns), own[one]) for one in plain]
    return (
        query.write_scored(card_of(program), parts, own["rule"]) if "probability" in whats else query.write_plain(parts)
    )


@dataclass(frozen=True, slots=True)
class _QueryWriter:
    """Assembles a query from a table, names for new columns, and writers of conditions and expressions."""

    source: str
    names: FreeNames
    writer: SqlWriter
    text: Callable[[exp.Expression], str]

    @property
    def dialect(self) -> Dialect:
        """The database."""
        return self.writer.dialect

    def write_plain(self, parts: Sequence[tuple[str, str]]) -> str:
        """Write the table with new columns."""
        return f"{_select(parts, self.source)};\n"

    def write_scored(self, card: ScoreCard, parts: Sequence[tuple[str, str]], rule: str) -> str:
        """Write the table with new columns, and with the points and the probability of each label."""
        points, listed = self._label_names("points", card.classes[-len(card.base) :]), self.names.take("points_list")
        inner = _select([*parts, *self._name_nodes(sql_scores.point_sums(card, self.writer), points)], self.source)
        added = self._name_nodes([sql_scores.list_points(card, rule, points)], [listed])
        middle = _select(added, self._subquery(inner, "summed"))
        shares = self._name_nodes(
            sql_scores.probabilities(card, rule, points, listed), self._label_names("probability", card.classes)
        )
        return f"{_select(shares, self._subquery(middle, 'scored'))};\n"

    def write_score(self, decider: ScoreDecider) -> str:
        """Write the table with the label that points or costs decide, and each label's points and probability."""
        label = cost_sql.label(decider, self.writer)
        if isinstance(decider.score, Committee):
            return self.write_vote(decider.score, label)
        predicted, points = self.names.take(_COLUMNS["label"]), self._label_names("points", decider.classes)
        inner = _select(self._name_nodes(cost_sql.card_points(decider.score, self.writer), points), self.source)
        names = self._label_names("probability", decider.classes)
        shares = self._name_nodes(sql_scores.shares_of([*map(new_column, points)]), names)
        return f"{_select([(self.text(label), predicted), *shares], self._subquery(inner, 'scored'))};\n"

    def write_vote(self, committee: Committee, label: exp.Expression | None = None) -> str:
        """Write the table with each list's deciding rule, the points and probabilities of the labels, and the label.

        The label is the first with most points, unless another expression decides.
        """
        predicted = self.names.take(_COLUMNS["label"])
        lists = [self.names.take(f"list_{number + 1}") for number in range(len(committee))]
        points = self._label_names("points", committee.classes)
        source, hidden = self.source, list[str]()
        decide: committee_sql.Decide = partial(decisions, writer=self.writer)
        if self.dialect.excludes:
            scales = ScaleWriter.of(committee.all_rules, self.writer, self.names)
            decide, columns = scales.decisions, scales.columns()
            hidden = [name for _, name in columns]
            source = self._subquery(_select([(self.text(node), name) for node, name in columns], source), "numbered")
        for some in batched(self._name_nodes(committee_sql.deciding(committee, decide), lists), self.dialect.at_once):
            source = self._subquery(_select(some, source), "voted")
        middle = _select(self._name_nodes(committee_sql.sums(committee, lists), points), source, hidden)
        label = label or committee_sql.leading(points, [self.writer.label(one) for one in committee.classes])
        names = self._label_names("probability", committee.classes)
        shares = self._name_nodes(sql_scores.shares_of([*map(new_column, points)]), names)
        return f"{_select([(self.text(label), predicted), *shares], self._subquery(middle, 'summed'))};\n"

    def write_reasons(self, parts: Sequence[tuple[str, str]], program: Program, words: ReasonWords, most: int) -> str:
        """Write the table with new columns, and with the codes and texts of reasons."""
        found, numbers = SqlReasons(program, words, self.writer), self.names.take("reason_numbers")
        inner = _select([*parts, (self.text(found.codes), numbers)], self.source)
        named = self._name_nodes(found.columns(numbers, most), [*map(self.names.take, reason_names(most))])
        return f"{_select(named, self._subquery(inner, 'decided'))};\n"

    def _subquery(self, query: str, name: str) -> str:
        """Wrap a query as the source of another query."""
        return "\n".join(["(", query, *filter(None, [self.dialect.fence]), f") AS {name}"])

    def _name_nodes(self, nodes: Iterable[exp.Expression], names: Sequence[str]) -> list[tuple[str, str]]:
        return list(zip(map(self.text, nodes), names, strict=True))

    def _label_names(self, prefix: str, labels: Sequence[Label]) -> list[str]:
        return [self.names.take(f"{prefix}_{_label_in_name(label)}") for label in labels]


def _label_in_name(label: Label) -> str:
    """Write a label as a part of a name."""
    return re.sub(r"[^0-9a-z]+", "_", str(label).lower()).strip("_")[:_LONGEST] or "label"


def _select(parts: Sequence[tuple[str, str]], source: str, hidden: Sequence[str] = ()) -> str:
    """Select all columns of a source except hidden ones, and some expressions with names.

    Not indented: a text may have line breaks.
    """
    everything = f"* EXCLUDE ({', '.join(hidden)})" if hidden else "*"
    selected = ",\n".join([everything, *(f"{expression} AS {name}" for expression, name in parts)])
    return f"SELECT\n{selected}\nFROM {source}"


def _quote_table_name(name: str, dialect: str) -> str:
    """Write the name of a table, with quotes around every part that needs them."""
    syntax = DIALECTS[dialect].syntax
    try:
        found = exp.to_table(name, dialect=syntax)
    except SqlglotError as error:
        raise ParameterError(f'{name!r} is not the name of a table; write one, such as sales or "My table"') from error
    for part in found.find_all(exp.Identifier):
        part.set("quoted", part.args.get("quoted") or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part.name))
    return found.sql(syntax)
