"""docs/attributes.md, from the code: python -m tests.docs.reference writes it."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

from tests.docs.pages import ROOT
from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee

__all__ = ["CLASSES", "PAGE", "attributes", "page", "settings"]

PAGE = ROOT / "docs" / "attributes.md"
LEARNERS = (UnlessClassifier, UnlessCommittee, FoldRMClassifier, FoldRPPClassifier)
CLASSES = {
    "Parts of a model": (
        "model.fitted_model.Model",
        "model.rule_statistics.RuleStatistics",
        "model.HoldoutResult",
        "model.DataOrigin",
        "score.score_card.ScoreCard",
        "score.committee.Committee",
        "learn.distillation.DistillationResult",
        "evaluation.tradeoff.TradeOff",
        "evaluation.periods.PeriodResult",
    ),
    "Constraints": ("constraints.Constraints", "constraints.Monotone"),
    "Rules": ("rule.Program", "rule.Rule", "rule.Literal"),
    "Tables": ("table.Table", "table.Column", "table.Schema"),
    "Answers": (
        "explanation.proof.Proof",
        "explanation.vote_explanation.VoteExplanation",
        "explanation.contributions.Contributions",
        "evaluation.stability.Stability",
        "evaluation.drift_results.Watch",
    ),
}
"""The classes whose attributes people read, by what they are about."""

_HEAD = """# Settings and attributes

Every setting of the classifiers, and every attribute of a fitted classifier, of its model, and of what its methods
return: type and meaning. [API](api.md) has functions and methods.

<!-- generated: python -m tests.docs.reference -->
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD, "## Settings\n", *_settings(), "\n## Attributes of a fitted classifier\n", *_classifier()]
    for title, names in CLASSES.items():
        parts.append(f"\n## {title}\n")
        for name in names:
            kind = _class(name)
            said = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
            parts += [f"\n### {kind.__name__}\n", _plain(said), "", *_table(attributes(kind))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip() + "\n"


def settings() -> set[str]:
    """The names of all settings."""
    return {name for learner in LEARNERS for name in learner()._settings().defaults()}


def _settings() -> Iterator[str]:
    kinds = {learner.__name__: type(learner()._settings()) for learner in LEARNERS}
    yield from ("| setting | meaning | type | default |", "|---|---|---|---|")
    for name in dict.fromkeys(name for kind in kinds.values() for name in kind.defaults()):
        (first, *_) = (kind for kind in kinds.values() if name in kind.defaults())
        of = next(attributes(one)[name][0] for one in LEARNERS if name in attributes(one))
        yield f"| `{name}` | {_plain(first.declared()[name].about)} | {_type(of)} | {_default(name, kinds)} |"


def _default(name: str, kinds: dict[str, Any]) -> str:
    """The default of a setting, and the classifiers that have it unless all do."""
    users: dict[str, list[str]] = {}
    for title, kind in kinds.items():
        if name in kind.defaults():
            users.setdefault(f"`{kind.defaults()[name]!r}`", []).append(title)
    (value, *others), titles = users, next(iter(users.values()))
    if not others and len(titles) == len(kinds):
        return value
    return "; ".join(f"{value} ({', '.join(titles)})" for value, titles in users.items())


def _classifier() -> Iterator[str]:
    found: dict[str, tuple[str, str]] = {}
    for kind in (UnlessClassifier, UnlessCommittee):
        known = attributes(kind)
        only = "" if kind is UnlessClassifier else " Only `UnlessCommittee`."
        found |= {
            name: (one[0], one[1] + only) for name, one in known.items() if name.endswith("_") and name not in found
        }
    yield from _table(dict(sorted(found.items())))


def _table(found: dict[str, tuple[str, str]]) -> Iterator[str]:
    yield from ("| attribute | type | meaning |", "|---|---|---|")
    for name, (kind, meaning) in found.items():
        yield f"| `{name}` | {_type(kind)} | {_plain(meaning)} |"


def _class(name: str) -> type[Any]:
    module, _, attribute = name.rpartition(".")
    found: type[Any] = getattr(import_module(f"unless.{module}"), attribute)
    return found


def attributes(kind: type[Any]) -> dict[str, tuple[str, str]]:
    """The type and the meaning of each public attribute of a class, own and inherited from classes of ours."""
    found: dict[str, tuple[str, str]] = {}
    for base in reversed([one for one in kind.__mro__ if one.__module__.startswith(("unless", "tests"))]):
        own = {**_fields(base), **_properties(base)}
        listed = _listed(base)
        found |= {name: one for name, one in listed.items() if name not in own and name.endswith("_")}
        found |= {name: (one[0], one[1] or listed.get(name, ("", ""))[1]) for name, one in own.items()}
    return found


def _fields(kind: type[Any]) -> dict[str, tuple[str, str]]:
    """Fields of a dataclass: the text below a field, or the sentence of the docstring that names it, is its meaning."""
    if "__dataclass_fields__" not in vars(kind) and not dataclasses.is_dataclass(kind):
        return {}
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    doc = re.sub(r"\s+", " ", re.split(r"\n(?:Attributes|Parameters)\n-", inspect.getdoc(kind) or "")[0])
    found = {}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not _hidden(node):
            name = node.target.id
            below = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            found[name] = ast.unparse(node.annotation), str(below).split("\n\n")[0] or _sentence(doc, name)
    return found


def _hidden(node: ast.AnnAssign) -> bool:
    assert isinstance(node.target, ast.Name)
    return (
        node.target.id.startswith(("_", "lazy_"))
        or "ClassVar" in ast.unparse(node.annotation)
        or "setting(" in ast.unparse(node)
    )


def _sentence(doc: str, name: str) -> str:
    parts = re.split(r"(?<=[.;:]) ", doc)
    return next((part.rstrip(";:") for part in parts if re.search(rf"``{name}(``|\[|\.)", part)), "")


def _properties(kind: type[Any]) -> dict[str, tuple[str, str]]:
    found = {}
    for name, one in vars(kind).items():
        function = one.fget if isinstance(one, property) else one.func if isinstance(one, cached_property) else None
        if function is not None and not name.startswith("_"):
            said = (inspect.getdoc(function) or "").split("\n\n")[0]
            found[name] = str(function.__annotations__.get("return", "")), said
    return found


def _listed(kind: type[Any]) -> dict[str, tuple[str, str]]:
    """What the sections *Attributes* and *Parameters* of a docstring say."""
    doc = inspect.getdoc(kind) if "__doc__" in vars(kind) else ""
    sections = re.split(r"\n(?:Attributes|Parameters)\n-+\n", doc or "")[1:]
    section = "\n".join(one.partition("\n\n")[0] for one in sections) + "\n"
    rows = re.findall(r"^(\w[\w, ]*?)(?: : (.+))?\n((?:    .+\n?)+)", section, re.MULTILINE)
    return {name: (of, " ".join(said.split())) for names, of, said in rows for name in names.split(", ")}


def _type(text: str) -> str:
    return "`" + re.sub(r"\bNDArray\[[^\]]*\]", "array", text).replace("|", "\\|") + "`" if text else ""


def _plain(text: str) -> str:
    said = " ".join(text.split()).replace("``", "`").replace("|", "\\|")
    return said[:1].upper() + said[1:]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
