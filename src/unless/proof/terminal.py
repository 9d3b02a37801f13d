"""Proofs in a terminal, by rich: a tree with colours. Texts are `rich.text.Text`: ``[bold]`` in data is just text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from unless.proof import plain
from unless.proof.story import stopped
from unless.proof.words import DEFAULT

if TYPE_CHECKING:
    from unless.proof.tree import Check, Proof, RuleProof

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
    stack = [(tree, rule)]
    while stack:
        branch, proof = stack.pop()
        for check in proof.checks:
            branch.add(_check(check))
        for exception in proof.exceptions:
            state = "applies" if exception.covers else "does not apply"
            stack.append((branch.add(Text(f"an exception {state}")), exception))


def _check(check: Check) -> Text:
    sign, style = ("✓ ", "green") if check.holds else ("✗ ", "red")
    return Text.assemble((sign, style), plain.check(check))
