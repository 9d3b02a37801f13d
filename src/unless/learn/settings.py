"""The parameters of the learners, each declared once: default, bounds, and a one-sentence description.

Checks, the options of `unless fit`, the tables of the documentation and model files read the fields. `UnlessSettings`
and `CommitteeSettings` are beside their learners; signatures repeat the defaults, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Real
from typing import Any, ClassVar
from typing import Literal as OneOf

from unless.errors import ParameterError, join_choices
from unless.values import Label, to_python_value


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of a parameter, except its name and default."""

    about: str
    """The description, one sentence with which help and documentation begin."""
    kind: OneOf["number", "whole number", "seed", "flag", "choice", "other"] = "other"
    low: float = 0
    high: float | None = None
    """The largest value; None allows all but infinity."""
    none: bool = False
    """Whether a number may be None."""
    words: tuple[str, ...] = ()
    """The texts that are allowed as values."""
    hint: str = ""
    """The end of the error message for a rejected value."""
    metavar: str | None = None
    """The name of the value in the command's help."""
    audience: str = ""
    """The learners that the option is for, if not all."""
    repeated: bool = False
    """Whether the option may be repeated."""
    usual: str = ""
    """The default in words, if the value alone is not enough."""

    def check(self, name: str, value: Any) -> None:
        """Reject a value of the wrong type or out of bounds."""
        if value in self.words if isinstance(value, str) else value is None and self.none:
            return
        if self.kind == "flag" and not isinstance(value, bool):
            raise ParameterError(f"{name} must be True or False, not {value!r}")
        if self.kind == "choice":
            choices = join_choices([repr(word) for word in self.words])
            raise ParameterError(f"{name} must be {choices}, not {value!r}")
        if self.kind in {"number", "whole number"} and not self._allows(value):
            raise ParameterError(f"{name} must be a {self.kind} {self._bounds}, not {value!r}{self.hint}")

    def _allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.kind == "whole number" else Real):
            return False
        number = float(value)
        return self.low <= number < inf if self.high is None else self.low <= number <= self.high

    @property
    def _bounds(self) -> str:
        bounds = f"of at least {self.low:g}" if self.high in {None, inf} else f"from {self.low:g} to {self.high:g}"
        return bounds + "".join(f' or "{word}"' for word in self.words) + ", or None" * self.none


def number(default: Any, about: str, **more: Any) -> Any:
    """Declare a parameter that is a number."""
    return setting(default, about, kind="number", **more)


def whole_number(default: int | None, about: str, low: int, **more: Any) -> Any:
    """Declare a parameter that is a whole number."""
    return setting(default, about, kind="whole number", low=low, **more)


def flag(default: bool, about: str, **more: Any) -> Any:  # noqa: FBT001 - the value, as in the other two
    """Declare a parameter that is True or False."""
    return setting(default, about, kind="flag", **more)


def setting(default: Any, about: str, **more: Any) -> Any:
    """Declare a parameter."""
    return field(default=default, metadata={"setting": Setting(about, **more)})


RATIO = "How many wrong records a rule may cover for each right one."
RANDOM_STATE, RANDOM_USERS = "The random seed.", "committee and --teacher"
ROUND_THRESHOLDS = "Shorten thresholds without changing decisions on the training records: 29,300 instead of 29,250."


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerSettings:
    """The parameters that all learners take."""

    numeric: Sequence[Any] | None = setting(None, "Columns to read as numbers.")
    categorical: Sequence[Any] | None = setting(None, "Columns to read as categories.")
    dates: Mapping[Any, str] | Sequence[Any] | None = setting(
        None, "Text columns that contain dates, with their format."
    )
    orders: Mapping[Any, Sequence[str]] | None = setting(None, "Ordered categories, lowest first.")
    parts: Sequence[Any] | None = setting(None, "Date columns to replace with their weekday, month and hour.")
    special: Mapping[Any, Mapping[float, str]] | None = setting(None, "Numbers of columns that name a category.")
    class_weight: Mapping[Label, float] | str | None = setting(
        None, "The weight of records with this label, or: balanced.", metavar="LABEL=WEIGHT", repeated=True
    )
    max_rules: int | None = whole_number(
        None, "Learn at most N rules: with unless the best such list, otherwise the first N.", 1, none=True, metavar="N"
    )
    max_seconds: float | None = number(
        None, "Stop after X seconds and return the rules learned so far.", high=inf, none=True, metavar="X"
    )
    verbose: bool | int = setting(False, "Show how many rules are learned and how many records are left.")
    warn: bool = flag(True, "Warn about records or rules that look wrong.")
    n_jobs: int | None = setting(None, "Number of threads for learning; the rules do not depend on it.")
    constraints: Any = setting(
        None, "Limits on what rules may test, which way decisions may move, and how long rules are."
    )
    costs: Any = setting(
        None,
        "What a decision costs where another label is true, or the column with the amount.",
        metavar="TRUE:DECIDED=COST",
        repeated=True,
        usual="0 if right, otherwise 1",
    )
    decide: str | None = setting(
        None,
        "What decides: rules (the first that applies), costs (the least expected), or score (the most points).",
        words=("rules", "costs", "score"),
        usual="costs if there are costs, otherwise as learned",
    )
    reject: float | None = number(
        None, "Pass a record on, undecided, if its decision is expected to cost more than this.", none=True, metavar="X"
    )

    optional: ClassVar[tuple[str, ...]] = ("costs", "decide", "reject")
    """The parameters that model files contain only if they are given."""

    unsaved: ClassVar[tuple[str, ...]] = ("n_jobs",)
    """The parameters that model files do not contain, because they depend on the machine."""

    def __post_init__(self) -> None:
        for name, one in self.declared().items():
            value = to_python_value(getattr(self, name))
            one.check(name, value)
            object.__setattr__(self, name, value)

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """Return the declaration of each parameter, by name."""
        return {one.name: one.metadata["setting"] for one in fields(cls) if "setting" in one.metadata}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the default of each parameter, by name."""
        return {one.name: one.default for one in fields(cls) if "setting" in one.metadata}

    def parameters(self) -> dict[str, Any]:
        """Return the parameters to save in a model file; a teacher or a random generator is replaced by None."""
        found = {name: getattr(self, name) for name in self.declared() if name not in self.unsaved}
        found = {name: value for name, value in found.items() if value is not None or name not in self.optional}
        for name, kind in (("random_state", int), ("teacher", str)):
            if name in found and not isinstance(found[name], kind):
                found[name] = None
        if found["special"] is None:  # so that files without special codes stay as they are
            del found["special"]
        return found


@dataclass(frozen=True, slots=True)
class FoldRMSettings(LearnerSettings):
    """The parameters of FOLD-RM."""

    ratio: float = number(0.5, RATIO, high=1, hint="; the paper uses 0.5", metavar="X")
    otherwise: Label | None = setting(
        "most_frequent", "Where no rule applies: a label, most_frequent or none.", metavar="LABEL", audience="fold-rm"
    )
    round_thresholds: bool = flag(False, ROUND_THRESHOLDS)


@dataclass(frozen=True, slots=True)
class FoldRPPSettings(LearnerSettings):
    """The parameters of FOLD-R++."""

    ratio: float = number(0.5, RATIO, high=1, hint="; the paper uses 0.5", metavar="X")
    positive: Label | None = setting(None, "The label to learn rules for.", metavar="LABEL", audience="fold-rpp")
    round_thresholds: bool = flag(False, ROUND_THRESHOLDS)
