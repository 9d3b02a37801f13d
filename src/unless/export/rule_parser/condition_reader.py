"""Read the conditions in a text of rules: ``income is at most 21,000 and history is late``.

conditions = condition {"and" condition}  |  "true"  |  "always"
condition  = feature operator value  |  feature "is" ["not"] "missing"  |  feature "is present"
"""

from __future__ import annotations

from typing import NoReturn

from unless.errors import RuleTextError
from unless.export.rule_parser.parse_tree import ParsedCondition, ParsedRule, Span
from unless.export.rule_parser.rule_tokens import SIGNS, Token, read_tokens
from unless.rule import SpokenOperator
from unless.values.spelling import RESERVED, unquote

QUOTES = "'\""
HEADS = ("if", "otherwise", "always")
"""Words that follow the label of a rule."""
_SINGLE: dict[str, SpokenOperator] = {"missing": "missing", "present": "present", "above": ">", "below": "<"}
_OPENING = {*SIGNS.values(), *_SINGLE, "is", "are", "equals", "at", "more", "less", "greater"}
"""Words and signs that follow the name of a feature."""
_AFTER_NAME = {*_OPENING, "end", "and", "unless", "if", "or", "otherwise"}
OPPOSITE: dict[SpokenOperator, SpokenOperator] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==", "missing": "present", "present": "missing",
}  # fmt: skip
"""The operator that is true of a present value if the given one is false."""
_LONG = 40
"""The maximum length of a quoted text in a message."""
NO_OR = "rules have no 'or': write a rule, or an exception, for each; a text with 'or' in it is written in quotes"


class ConditionReader:
    """Reads tokens one by one into conditions; ``now`` is the next token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = read_tokens(text)
        self._groups: list[ParsedRule] = []  # exceptions with an open parenthesis
        self.now = self._last = next(self._tokens)

    def _take(self) -> Token:
        token = self._last = self.now
        if token.key != "end":
            self.now = next(self._tokens)
        return token

    def _fail(self, part: Token | Span, finding: str) -> NoReturn:
        raise RuleTextError(finding, self._text, part.start, part.length)

    def _read_conditions(self, node: ParsedRule, before: Token) -> None:
        """Read the conditions after "if" or "unless"; a parenthesis opens a group that `_read_exceptions` closes."""
        if self.now.key == "(":
            self._groups.append(node)
            before = self._take()
        if self.now.key in ("true", "always"):
            word = self._take()
            if self.now.key in _OPENING and self.now.indent < 0:
                self._read_condition(node, word)
                self._read_more_conditions(node)
            return
        if self.now.key in ("end", "unless", ")", "and", *HEADS):
            self._fail(before, f"after '{before.text}' comes a condition, such as: age <= 30; or 'true'")
        self._read_condition(node)
        self._read_more_conditions(node)

    def _read_more_conditions(self, node: ParsedRule) -> None:
        while True:
            if self.now.key == ",":
                comma = self._take()
                if self.now.key not in ("and", "unless"):
                    self._fail(
                        comma, "between conditions there is 'and'; a text with a comma in it is written in quotes"
                    )
            if self.now.key != "and":
                return
            word = self._take()
            if self.now.key in ("end", "unless", ")", "and", "if"):
                self._fail(word, "after 'and' comes a condition, such as: age <= 30")
            self._read_condition(node)

    def _read_condition(self, node: ParsedRule, first: Token | None = None) -> None:
        if first is None and self.now.key in _OPENING and node.default:
            feature = node.default[-1].feature  # "age is above 30 and at most 40"
        else:
            feature = self._read_feature(first)
        op = self._read_operator()
        node.default.append(
            ParsedCondition(feature, op, None if op in ("missing", "present") else self._read_value(op))
        )

    def _read_feature(self, first: Token | None) -> Span:
        tokens = [] if first is None else [first]
        while self.now.key not in _AFTER_NAME and (self.now.indent < 0 or not tokens):
            if self.now.key == ")" and self._groups:
                break
            tokens.append(self._take())
        if self.now.key not in _OPENING or (self.now.indent >= 0 and tokens):
            self._refuse_condition(tokens)
        if not tokens:
            self._fail(self.now, f"before '{self.now.text}' comes the name of a feature")
        return self._make_span(tokens, "the name of a feature", signs=True)

    def _refuse_condition(self, tokens: list[Token]) -> NoReturn:
        if self.now.key == "or":
            self._fail(self.now, NO_OR)
        if not tokens:
            self._fail(self.now, "here comes a condition, such as: age <= 30")
        if tokens[0].key == "not":
            self._fail(tokens[0], "'not' comes after the name of a feature: city is not Oslo")
        self._fail(
            tokens[-1],
            f"what about {self._shorten(tokens)}? write: {self._shorten(tokens)} is …, or <= …, or is missing",
        )

    def _read_operator(self) -> SpokenOperator:
        token = self._take()
        if token.text in SIGNS:
            return SIGNS[token.text]
        if token.key == "equals":
            return "=="
        if token.key not in ("is", "are"):
            return self._read_comparison(token)
        negated = self.now.key == "not"
        if negated:
            self._take()
        if self.now.text in SIGNS:
            op: SpokenOperator = SIGNS[self._take().text]
        else:
            op = self._read_comparison(self._take()) if self.now.key in _OPENING - {"is", "are", "equals"} else "=="
        return OPPOSITE[op] if negated else op

    def _read_comparison(self, token: Token) -> SpokenOperator:
        """Read an operator in words after its first word: at most, above, less than or equal to."""
        if token.key in _SINGLE:
            return _SINGLE[token.key]
        if token.key == "at":
            word = self._take()
            if word.text.lower() in ("most", "least"):
                return "<=" if word.text.lower() == "most" else ">="
            self._fail(
                word, "after 'at' comes 'most' or 'least'; a name or a text with 'at' in it is written in quotes"
            )
        if self.now.text.lower() != "than":
            self._fail(token, f"after '{token.text}' comes 'than'; a name or a text with it is written in quotes")
        self._take()
        equal = self.now.key == "or"
        if equal:
            for wanted in ("or", "equal", "to"):
                if self.now.text.lower() != wanted:
                    self._fail(self.now, f"write: {token.text} than or equal to")
                self._take()
        if token.key == "less":
            return "<=" if equal else "<"
        return ">=" if equal else ">"

    def _read_value(self, op: SpokenOperator) -> Span:
        tokens: list[Token] = []
        balance = 0
        while self.now.key not in ("end", "and", "unless") and self.now.indent < 0:
            token = self.now
            if token.key == "," or (token.key == ")" and not balance and self._groups):
                break
            if token.key == "or":
                self._fail(token, NO_OR)
            if token.key in ("is", "if", "otherwise") or (
                token.text in SIGNS and (not tokens or tokens[-1].end < token.start or op not in ("==", "!="))
            ):
                self._fail(
                    token, "between conditions there is 'and'; a text with signs or words of rules is written in quotes"
                )
            balance += (token.key == "(") - (token.key == ")")
            tokens.append(self._take())
        if not tokens:
            self._fail(self._last, f"after '{self._last.text}' comes a value, on the same line")
        if tokens[-1].key == "(" and self.now.key == "unless":
            self._fail(
                tokens[-1], "an exception to an exception is in parentheses with it: unless (a is b unless c is d)"
            )
        return self._make_span(tokens, "a value", signs=True)

    # Spans of several tokens.

    def _text_of(self, tokens: list[Token]) -> str:
        return " ".join(self._text[tokens[0].start : tokens[-1].end].split()) if tokens else ""

    def _shorten(self, tokens: list[Token]) -> str:
        """Shorten some tokens for a message."""
        said = self._text_of(tokens)
        return said if len(said) <= _LONG else f"{said[:_LONG]}…"

    def _make_span(self, tokens: list[Token], what: str, *, signs: bool = False) -> Span:
        """Join tokens into one span: a text in quotes, or bare words."""
        if not tokens:
            self._fail(self.now, f"here comes {what}")
        first, last = tokens[0], tokens[-1]
        if first is last and not first.key and first.text[0] not in QUOTES:  # most of them
            return Span(first.text, quoted=False, start=first.start, length=len(first.text))
        length = last.end - first.start
        if first.text[0] in QUOTES:
            if len(tokens) > 1:
                self._fail(tokens[1], f"{what} is in quotes as a whole, or not at all")
            text = unquote(first.text)
            if text is None:
                self._fail(first, r"there is an escape that means nothing; \\ is a backslash, \n a new line")
            return Span(text, quoted=True, start=first.start, length=length)
        for token in tokens:
            if token.text[0] in QUOTES:
                self._fail(token, f"{what} is in quotes as a whole, or not at all")
            if not signs and token.key and token.key not in RESERVED:
                self._fail(token, f"{what} with {token.text!r} in it is written in quotes")
        return Span(self._text_of(tokens), quoted=False, start=first.start, length=length)
