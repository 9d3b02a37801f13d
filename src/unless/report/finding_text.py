"""Write remarks as readable lines: the finding and advice, for Python or for the command line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from unless.explanation.words import printable
from unless.inspection import Remark

MAX_LETTERS = 40  # letters of a name or a cell
_NAMES = 8  # columns that a line names, and lines with the same code

SHARED_ADVICE: Mapping[str, str] = {
    "empty": "Nothing can be learned from an empty column.",
    "constant": "Nothing can be learned from a constant.",
    "nearly-constant": "Such a column affects only few records.",
    "mostly-missing": "Rules can ask whether a cell is missing.",
    "number-as-text": "Each becomes a separate category; write plain numbers, such as 1234.5.",
    "spellings": "They are different categories; correct them in the data.",
    "several-values": "Each combination is a separate category; make a yes/no column for each value.",
    "one-label": "There is nothing to learn.",
    "continuous": "Rules predict labels; divide the numbers into a few ranges first.",
    "unique-labels": "Is it the right column?",
    "rare-labels": "They are too few to learn from or to test on.",
    "separator": "Each line is one cell.",
    "no-header": "If so, add a first line with the names of the columns.",
    "few-records": "Rules learned from so few records are guesses.",
    "duplicates": "Test records that were also in training make the result look too good.",
    "contradictions": "Is a feature missing that distinguishes them?",
    "idle-code": "Check how the data writes it, if some should have it.",
    "idle-cut": "No rule can use it.",
    "locked-idle": "The rule stays, because it is locked.",
    "locked-breaks": "The rule stays, because it is locked; change the rule or the constraint.",
}
"""Advice on remarks that is the same in Python and for the command."""

_TOGETHER: Mapping[str, str] = {
    "identifier": "are identifiers",
    "unique": "are unique",
    "nearly-unique": "are nearly unique",
    "sentences": "have sentences",
    "empty": "are empty",
    "constant": "are constant",
    "nearly-constant": "are nearly constant",
    "mostly-missing": "are missing in more than half of the records",
    "number-as-text": "have numbers with separators or units",
    "date-as-text": "have dates",
}
"""The wording of a remark about several columns."""

IDENTIFIER_CODES = ("identifier", "unique", "nearly-unique", "sentences")
"""Codes of remarks on columns that identify records."""

_SORTED = "Are the records sorted by their label?"


@dataclass(frozen=True, slots=True)
class AdviceStyle:
    """The style of advice: for Python, or with options of the command.

    ``advice`` contains ``{name}`` for the columns and ``{example}``; ``{tokens}`` are the texts that mean "missing" so
    far; ``{codes}`` are the codes of a column. ``names``, ``token`` and ``code`` write columns, one such text, and a
    code of a column, as a user types them.
    """

    advice: Mapping[str, str]
    names: Callable[[Sequence[str]], str]
    cell: Callable[[str], str]
    token: str
    code: Callable[[str, str], str]


PYTHON = AdviceStyle(
    {
        **SHARED_ADVICE,
        **dict.fromkeys(
            ("identifier", "unique", "nearly-unique"), "Rules about such columns fit no new records; leave out {name}."
        ),
        "sentences": "Leave out {name}, or make columns of its words first, such as by CountVectorizer.",
        "date-as-text": "Each is a category without order; say how they are written: dates={{{name}: {example}}}",
        "missing-word": "If they do: read_table(…, missing=[{example}{tokens}])",
        "missing-number": "If it does: read_table(…, missing=[{example}{tokens}])",
        "special-number": "Name what each means: read_table(…, special={{{name}: {{{codes}}}}})",
        "copy": "One of them is enough; leave out {name}.",
        "gives-away": "Is it known before the label is? If not, leave out {name}.",
        "no-labels": "Leave these records out, as read_table(…, drop_unlabelled=True) does.",
        "limited": "Is that meant?",
        "too-late": "Give it more max_seconds.",
        "sampled": "A single list without a teacher learns from all of them.",
        "no-knowledge": "Weak patterns may show in predict_proba, with class_weight='balanced' or in UnlessCommittee.",
        "no-knowledge-of-many": "Weaker patterns may show in predict_proba, or with class_weight='balanced'.",
        "one-decision": "A cost is of a true label, then a decided one: is one of them the wrong way round?",
        "past-dates": "If new records have later ones, learn from weekday, month and hour instead: parts=[{name}]",
        "repeated-group": "A random split overstates accuracy on new ones: use GroupKFold and fit(X, y, groups=…).",
        "drifting-date": "A random split overstates accuracy on later records: test on those, with TimeSeriesSplit.",
        "weak-rule": "Try a smaller penalty, a larger max_rules, tune=True, teacher='committee' or UnlessCommittee.",
        "unpromising": "UnlessClassifier drops such rules.",
        "uncovered": "Try UnlessClassifier or UnlessCommittee.",
    },
    lambda names: ", ".join(map(repr, names)),
    repr,
    ", {}",
    lambda _, code: f"{code}: 'code {code}'",
)


@dataclass(frozen=True, slots=True)
class RemarkLine:
    """A remark as a line: the columns it is about, if any, the finding, and the advice, which may be empty."""

    about: str
    finding: str
    advice: str

    def __str__(self) -> str:
        said = f"{self.about} {self.finding}".lstrip()
        return f"{said}. {self.advice}" if self.advice else said


def remark_lines(
    remarks: Iterable[Remark], manner: AdviceStyle = PYTHON, missing: Iterable[str] = ()
) -> Iterator[RemarkLine]:
    """Return the findings with advice as lines, the first few of each kind.

    ``missing`` are the texts that now mean "missing": an option that adds one must repeat them.
    """
    groups: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        groups[remark.code].append(remark)
    apart = {remark.column for code in IDENTIFIER_CODES for remark in groups.get(code, ())}
    tokens = "".join(manner.token.format(manner.cell(token)) for token in missing)

    def line(remark: Remark, names: Sequence[str]) -> RemarkLine:
        advice = manner.advice[remark.code]
        if remark.code == "gives-away" and remark.column in apart:
            advice = _SORTED
        more = "".join(manner.token.format(manner.cell(other)) for other in remark.others)
        example = manner.cell(remark.example or "") + more
        codes = [manner.code(remark.column or "", code) for code in (remark.example or "", *remark.others)]
        about = {"name": manner.names(names), "example": example, "tokens": tokens, "codes": ", ".join(codes)}
        return RemarkLine(list_names(names), remark.finding, advice.format_map(about))

    for code, found in groups.items():
        names = [remark.column for remark in found if remark.column is not None]
        if code in _TOGETHER and len(found) > 2 and not any("," in name for name in names):
            yield line(replace(found[0], finding=_TOGETHER[code]), names)
            continue
        for remark in found[:_NAMES]:
            yield line(remark, [] if remark.column is None else [remark.column])
        if rest := names[_NAMES:]:
            yield RemarkLine("", f"{len(rest):,} more like this: {list_names(rest)}", "")


def shorten(text: str) -> str:
    """Make a name or a cell printable and cut it to the maximum length."""
    return printable(text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}…")


def list_names(names: Sequence[str]) -> str:
    """Join names; if there are many, write the first few and how many more there are."""
    shown = [shorten(name) for name in names[:_NAMES]]
    return ", ".join(shown) + (f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else "")
