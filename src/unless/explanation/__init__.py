"""Proofs: why a program decides a record as it does (`tree`), and the forms they are shown in.

`plain` is a sentence, `story` several lines for a terminal, `paper` the two texts of the paper, `data` JSON, `html` for
pages and notebooks, `terminal` for rich, both of an `outline`. All take the same tree of values; `words` holds what a
reader calls things.
"""

from unless.explanation.proof import Check, Proof, RuleProof, Style
from unless.explanation.words import Phrase, Words

__all__ = ["Check", "Phrase", "Proof", "RuleProof", "Style", "Words"]
