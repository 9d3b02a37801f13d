"""Proofs in a terminal, by rich: a tree with colours. Texts are `rich.text.Text`: ``[bold]`` in data is just text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from unless.explanation.sentences import Node, decision, fitting, outline, rule_name, stopped
from unless.explanation.words import DEFAULT

if TYPE_CHECKING:
    from unless.explanation.proof import Proof


def proof_tree(proof: Proof) -> Tree:
    """The deciding rule as a tree, its exceptions as branches, and the rules that did not apply."""
    words = fitting(DEFAULT, proof.every_check())
    tree = Tree(Text.assemble((decision(proof, words), "bold"), (f"  {rule_name(proof.decided)}", "dim")))
    if proof.rule is not None:
        _grow(tree, outline(proof.rule, words))
    for place, tried in enumerate(proof.tried):
        if not tried.covers:
            tree.add(Text(f"{rule_name(place)} did not apply: {stopped(tried, words)}", "dim"))
    return tree


def _grow(tree: Tree, nodes: Iterable[Node]) -> None:
    branches = [tree]
    for node in nodes:
        branches[node.depth :] = [branches[node.depth - 1].add(_text(node))]


def _text(node: Node) -> Text:
    if node.holds is None:
        return Text(node.text)
    return Text.assemble(("✓ ", "green") if node.holds else ("✗ ", "red"), node.text)
