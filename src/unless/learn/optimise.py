"""Optimising a finished list as a whole: fewer errors with fewer rules, one part at a time.

If everything else stays as it is, the records that reach a rule fall into three kinds: *gains*, which have its label and
which the rules after it get wrong; *losses*, which have another label and which those rules get right; and all others,
which do not matter. A rule is worth the gains it covers less the losses. So each literal can be chosen anew: the one
with the most gains less losses. Exceptions are the same with gains and losses swapped. A part that is worth less than
``price`` per rule and exception is dropped. The objective, errors plus price times parts, never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from unless.learn.engine import Engine
from unless.rule import Literal, Program, Rule

Rows = TypeVar("Rows")

Grow = Callable[[Any, Any], Rule | None]
"""Learns a rule that covers gains rather than losses."""


@dataclass(slots=True)
class Part:
    """A rule or an exception that may still change."""

    default: list[Literal]
    exceptions: list[Part] = field(default_factory=list)

    @classmethod
    def of(cls, rule: Rule) -> Part:
        """The part that a rule starts as."""
        return cls(list(rule.default), [cls.of(exception) for exception in rule.exceptions])

    def rule(self, head: Any = None) -> Rule:
        """The part as a rule."""
        return Rule(head, tuple(self.default), tuple(exception.rule() for exception in self.exceptions))

    def __len__(self) -> int:
        return 1 + sum(map(len, self.exceptions))


class Optimiser(Generic[Rows]):
    """The price of a part, and the steps that share it."""

    def __init__(self, engine: Engine[Rows], price: float = 1.0, step: float = 1.0, grow: Grow | None = None) -> None:
        self.engine = engine
        self.price = price
        self.step = step
        self.grow = grow

    def covered(self, part: Part, rows: Rows) -> Rows:
        """The rows that a part covers."""
        for literal in part.default:
            rows = self.engine.covered(rows, literal)
        for exception in part.exceptions:
            if not self.engine.size(rows):
                break
            rows = self.engine.minus(rows, self.covered(exception, rows))
        return rows

    def worth(self, part: Part, gains: Rows, losses: Rows) -> float:
        """What a part is worth, less its price."""
        size = self.engine.size
        return size(self.covered(part, gains)) - size(self.covered(part, losses)) - self.price * len(part)

    def improve(self, part: Part, gains: Rows, losses: Rows) -> None:
        """Choose the literals of a part anew, then improve its exceptions; drop what does not pay."""
        self._improve_default(part, gains, losses)
        self._improve_exceptions(part, gains, losses)

    def _improve_default(self, part: Part, gains: Rows, losses: Rows) -> None:
        engine, size, default = self.engine, self.engine.size, part.default
        for exception in part.exceptions:
            gains = engine.minus(gains, self.covered(exception, gains))
            losses = engine.minus(losses, self.covered(exception, losses))
        k = 0
        while k < len(default):
            others = Part([*default[:k], *default[k + 1 :]])
            a, b = self.covered(others, gains), self.covered(others, losses)
            now = size(engine.covered(a, default[k])) - size(engine.covered(b, default[k]))
            if len(default) > 1 and size(a) - size(b) >= now:
                del default[k]
                continue
            best = engine.worthiest_literal(a, b) if size(a) or size(b) else None
            if best is not None and size(engine.covered(a, best)) - size(engine.covered(b, best)) > now + self.step:
                default[k] = best
            k += 1

    def _improve_exceptions(self, part: Part, gains: Rows, losses: Rows) -> None:
        """Improve the last exception first, each on what the others leave: those before it, and those after it."""
        if not part.exceptions:
            return
        for literal in part.default:
            gains, losses = self.engine.covered(gains, literal), self.engine.covered(losses, literal)
        left = [(gains, losses)]
        for exception in part.exceptions[:-1]:
            left.append(self._without(exception, *left[-1]))
        after = Part([], [])
        for exception, (a, b) in zip(reversed(part.exceptions), reversed(left), strict=True):
            for other in after.exceptions:
                a, b = self._without(other, a, b)
            self.improve(exception, b, a)
            if self.worth(exception, b, a) > 0:
                after.exceptions.insert(0, exception)
        part.exceptions = after.exceptions

    def _without(self, part: Part, *rows: Rows) -> tuple[Rows, ...]:
        """The rows that a part does not cover."""
        return tuple(self.engine.minus(some, self.covered(part, some)) for some in rows)

    def renewed(self, part: Part, gains: Rows, losses: Rows) -> Part:
        """The part, or one grown anew from gains and losses if that is worth more."""
        rule = self.grow(gains, losses) if self.grow and self.engine.size(gains) and self.engine.size(losses) else None
        if rule is None:
            return part
        new = Part.of(rule)
        self.improve(new, gains, losses)
        better = self.worth(new, gains, losses) > self.worth(part, gains, losses) + self.step
        return new if better else part

    def run(self, program: Program, passes: int = 5) -> Program:
        """The optimised program; the last rule of the program is its default."""
        engine, place = self.engine, {label: k for k, label in enumerate(self.engine.labels)}
        everything = engine.everything()
        own = [engine.split(everything, label) for label in range(len(engine.labels))]
        parts = [Part.of(rule) for rule in program.rules[:-1]]
        heads = [place[rule.head] for rule in program.rules[:-1]]
        last = place[program.rules[-1].head]
        before: float | None = None
        for _ in range(passes):
            reach = [everything]
            for part in parts:
                reach.append(engine.minus(reach[-1], self.covered(part, reach[-1])))
            left = engine.popularity(reach[-1])
            if any(left):
                last = max(range(len(left)), key=left.__getitem__)
            right = own[last][0]
            for k in reversed(range(len(parts))):
                mine, others = own[heads[k]]
                gains = engine.minus(engine.minus(reach[k], others), right)
                wrong = engine.minus(reach[k], mine)
                losses = engine.minus(wrong, engine.minus(wrong, right))
                self.improve(parts[k], gains, losses)
                parts[k] = self.renewed(parts[k], gains, losses)
                if self.worth(parts[k], gains, losses) <= 0:
                    del parts[k], heads[k]
                    continue
                covered = self.covered(parts[k], everything)
                right = engine.plus(engine.minus(right, covered), engine.minus(covered, others))
            now = engine.size(everything) - engine.size(right) + self.price * sum(map(len, parts))
            if before is not None and now >= before - 1e-9:
                break
            before = now
        while heads and heads[-1] == last:
            heads.pop()
            parts.pop()
        rules = [part.rule(engine.labels[head]) for part, head in zip(parts, heads, strict=True)]
        return Program(program.target, program.features, (*rules, Rule(engine.labels[last])))
