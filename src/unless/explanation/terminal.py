"""Proofs in a terminal, by rich: a tree with colours. Texts are `rich.text.Text`: ``[bold]`` in data is just text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from unless.explanation.sentences import Node, decision, outline, rule_name, stopped
from unless.explanation.words import DEFAULT

if TYPE_CHECKING:
    from unless.explanation.proof import Proof, RuleProof

__all__ = ["proof_tree"]


def proof_tree(proof: Proof) -> Tree:
    """The deciding rule as a tree, its exceptions as branches, and the rules that did not apply."""
    tree = Tree(Text.assemble((decision(proof, DEFAULT), "bold"), (f"  {rule_name(proof.decided)}", "dim")))
    if proof.rule is not None:
        _grow(tree, proof.rule)
    for place, tried in enumerate(proof.tried):
        if not tried.covers:
            tree.add(Text(f"{rule_name(place)} did not apply: {stopped(tried, DEFAULT)}", "dim"))
    return tree


def _grow(tree: Tree, rule: RuleProof) -> None:
    branches = [tree]
    for node in outline(rule, DEFAULT):
        branches[node.depth :] = [branches[node.depth - 1].add(_text(node))]


def _text(node: Node) -> Text:
    if node.holds is None:
        return Text(node.text)
    return Text.assemble(("✓ ", "green") if node.holds else ("✗ ", "red"), node.text)
