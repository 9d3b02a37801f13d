"""Explain why a program gives a record its label, why not another one, and what would change the decision.

- `why`: `explain` and `why_not` return proofs; `input_records`: the records that they accept.
- `proof`: a proof as values: checked literals, tried rules, the decision.
- `vote_explanation`: how the lists of a committee vote on a record.
- `decision_reasons`: the principal reasons for decisions; `reasons_file`: their codes and wording in a TOML file.
- `cost_explanation`: what each decision is expected to cost, if points or costs decide.
- `words`: names for features, values and labels; `words_file`: the same in a TOML file; `toml_parts` reads both.
- `sentences`: a proof in English; `paper_justifications`: the two texts of the paper.
- `rule_listing`: all rules laid out in columns, by `text_table`.
- `score_explanation`: the score card of a record, points that add up to its probabilities.
- `contributions`: what each feature of a record adds to the log-odds; `effects`: the curve of each feature.
- `value_groups`: values that rules treat alike; `pair_effects`: the joint effect of two features; `importances`,
  `curve_findings`: which features and pairs matter, and which curves go against common sense; `effects_view`: for HTML.
- `proof_rendering`: a proof for JSON, for pages and notebooks, for terminals.
- `counterfactuals`: find the nearest records with another label.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unless.explanation.decision_reasons import Reasons, reasons
    from unless.explanation.proof import LiteralCheck, Proof, RuleProof, Style
    from unless.explanation.reasons_file import read_reason_words, reasons_template
    from unless.explanation.why import explain, why_not
    from unless.explanation.words import Phrase, Words
    from unless.explanation.words_file import read_words

__all__ = [
    "LiteralCheck",
    "Phrase",
    "Proof",
    "Reasons",
    "RuleProof",
    "Style",
    "Words",
    "explain",
    "read_reason_words",
    "read_words",
    "reasons",
    "reasons_template",
    "why_not",
]

_HOMES = {
    "proof": ("LiteralCheck", "Proof", "RuleProof", "Style"),
    "decision_reasons": ("Reasons", "reasons"),
    "reasons_file": ("read_reason_words", "reasons_template"),
    "why": ("explain", "why_not"),
    "words": ("Phrase", "Words"),
    "words_file": ("read_words",),
}


def __getattr__(name: str) -> Any:
    """Load a module when one of its names is first used, because predictions need no explanations."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"unless.explanation.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
