"""Convert proofs to other forms: plain values for JSON, HTML for pages and notebooks, a coloured tree for terminals.

In JSON ``decided`` counts rules from 0, as in Python. JSON has no infinity: an infinite value is ``{"number": "inf"}``.
In a literal it is ``"inf"``, as in program files, where the operator distinguishes numbers from text.

Data is never interpreted as markup: templates escape their values, and ``[bold]`` in a `rich.text.Text` is just text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from unless.errors import UnlessError
from unless.explanation.sentences import (
    OutlineLine,
    decision_text,
    obstacle_text,
    outline_lines,
    rule_name,
    words_for_checks,
)
from unless.explanation.words import DEFAULT, Words
from unless.rule import Literal
from unless.values import amount_text, count_text, label_to_json, number_to_json, percent, share_text, value_to_json

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.tree import Tree

    from unless.explanation.proof import Proof, RuleProof


# For JSON.


def proof_to_dict(proof: Proof) -> dict[str, Any]:
    """Convert the whole proof, with its sentence, to values that JSON supports."""
    return {
        "target": proof.program.target,
        "label": label_to_json(proof.label),
        "decided": proof.decided,
        "because": str(proof),
        "features": list(proof.features),
        "record": {feature: value_to_json(value) for feature, value in proof.items},
        "rules": [rule_proof_to_dict(tried) for tried in proof.tried],
    }


def rule_proof_to_dict(proof: RuleProof) -> dict[str, Any]:
    """Convert the proof of one rule; an exception has no label, and exceptions are listed if the default holds."""
    exceptions = list(map(rule_proof_to_dict, proof.exceptions))  # one frame per level: 200 stay within Python's limit
    label = {} if proof.rule.head is None else {"label": label_to_json(proof.rule.head)}
    checks = [
        {"literal": literal_to_json(literal), "value": value_to_json(value), "holds": holds}
        for literal, value, holds in proof.checks
    ]
    return {**label, "covers": proof.covers, "checks": checks, "exceptions": exceptions}


def literal_to_json(literal: Literal) -> list[object]:
    """Convert a literal to a list: feature, operator and value."""
    return [literal.feature, literal.op, number_to_json(literal.value)]


# For terminals.


def render_tree(proof: Proof) -> Tree:
    """Render the deciding rule as a tree, its exceptions as branches, and the rules that did not apply."""
    from rich.text import Text  # an extra
    from rich.tree import Tree

    words = words_for_checks(DEFAULT, proof.every_check())
    tree = Tree(Text.assemble((decision_text(proof, words), "bold"), (f"  {rule_name(proof.decided)}", "dim")))
    signs = {True: ("✓ ", "green"), False: ("✗ ", "red"), None: ("", "")}
    branches = [tree]
    for node in () if proof.rule is None else outline_lines(proof.rule, words):
        branches[node.depth :] = [branches[node.depth - 1].add(Text.assemble(signs[node.holds], node.text))]
    for place, tried in enumerate(proof.tried):
        if not tried.covers:
            tree.add(Text(f"{rule_name(place)} did not apply: {obstacle_text(tried, words)}", "dim"))
    return tree


# For pages and notebooks.


def render_proof(proof: Proof, words: Words) -> str:
    """Render as HTML the decision, the checks of the deciding rule and, folded, the rules that did not apply."""
    words = words_for_checks(words, proof.every_check())
    nodes = () if proof.rule is None else outline_lines(proof.rule, words)
    others = [(place, obstacle_text(tried, words)) for place, tried in enumerate(proof.tried, 1) if not tried.covers]
    return _render_frame(decision_text(proof, words), nodes, rule_name(proof.decided), others)


def render_list(title: str, lines: Sequence[str]) -> str | None:
    """Render a title and lines of plain text in the same HTML frame; return None without jinja2."""
    return _render_frame(title, [OutlineLine(1, line) for line in lines]) if has_jinja2() else None


def _render_frame(
    title: str, nodes: Sequence[OutlineLine], rule: str = "", others: Sequence[tuple[int, str]] = ()
) -> str:
    return render_template("proof.html.j2", title=title, rule=rule, nodes=nodes, others=others)


def has_jinja2() -> bool:
    """Return whether jinja2 is installed; without it a notebook shows text."""
    return find_spec("jinja2") is not None


def render_template(template: str, *, package: str = "unless.explanation", **context: object) -> str:
    """Fill in a template of a package; it may include the templates of the explanations.

    Without jinja2 this raises an error that explains how to install it.
    """
    return _environment(package).get_template(template).render(context)


@cache
def _environment(package: str) -> Environment:
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # an extra
    except ImportError as error:
        raise UnlessError('this needs jinja2, which is not installed; pip install "unless[report]"') from error
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("unless.explanation")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=amount_text, measure=share_text, plural=count_text)
    made.filters["percent"] = lambda share: percent(share).replace(" ", "\u00a0")  # no line break before the sign
    return made
