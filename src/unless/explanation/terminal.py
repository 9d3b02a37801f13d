"""Proofs in a terminal, by rich: a tree with colours. Texts are `rich.text.Text`: ``[bold]`` in data is just text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from unless.explanation import sentences as plain
from unless.explanation.outline import Line, outline
from unless.explanation.story import stopped
from unless.explanation.words import DEFAULT

if TYPE_CHECKING:
    from unless.explanation.proof import Proof, RuleProof

__all__ = ["proof_tree"]


def proof_tree(proof: Proof) -> Tree:
    """The deciding rule as a tree, its exceptions as branches, and the rules that did not apply."""
    number = "no rule applies" if proof.decided is None else f"rule {proof.decided + 1}"
    tree = Tree(Text.assemble((plain.decision(proof, DEFAULT), "bold"), (f"  {number}", "dim")))
    if proof.rule is not None:
        _grow(tree, proof.rule)
    for place, tried in enumerate(proof.tried, 1):
        if not tried.covers:
            tree.add(Text(f"rule {place} did not apply: {stopped(tried, DEFAULT)}", "dim"))
    return tree


def _grow(tree: Tree, rule: RuleProof) -> None:
    branches = [tree]
    for line in outline(rule, DEFAULT):
        branches[line.depth :] = [branches[line.depth - 1].add(_text(line))]


def _text(line: Line) -> Text:
    if line.holds is None:
        return Text(line.text)
    return Text.assemble(("✓ ", "green") if line.holds else ("✗ ", "red"), line.text)
