"""Rules as text: what is written is read back exactly, what people write is understood, and what is wrong is shown."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unless
from tests.strategies import chain as nested
from tests.strategies import literals, noted_cases, noted_programs, programs
from unless.errors import LimitError, RuleTextError
from unless.export import to_rules
from unless.limits import raised
from unless.rule import MAX_DEPTH, Literal, Program, Rule, conditions

WORDS = (
    "if|unless|and|or|is|not|otherwise|always|true|missing|present|above|at most|no rules|target|features|1|1.0|-7|inf|nan"
    "|True|None|a b|a  b| a|a |it's|\"|'|\\|\n|\t|\u2028|#|# x|a#b|a:|a: b|:|(|)|(a)|a,b|,|1,000|1_000|<=50K|a<b|x=y|é|e\u0301"
    "|日本|😀|2020-08-01|12:30|2 d|number|number 5|3 rules, 1 exception|rules|decided right|…|–|\ufeff|\x00|\ud800||If|UNLESS"
).split("|")
_words = st.sampled_from(WORDS) | st.text(max_size=5)


@st.composite
def hostile_programs(draw):
    """Programs in which names, categories and labels can be any text."""
    target, *features = draw(st.lists(_words, min_size=2, max_size=5, unique=True))
    tests = literals(features) | st.builds(Literal, st.sampled_from(features), st.sampled_from(["==", "!="]), _words)
    found = draw(programs(tests, tuple(features)))
    if found.labels and not isinstance(found.labels[0], str):
        return replace(found, target=target)
    named: dict[object, str] = {label: draw(_words) for label in found.labels}
    rules = tuple(replace(rule, head=named[rule.head]) for rule in found.rules)
    return replace(found, target=target, rules=rules, otherwise=named.get(found.otherwise))


def tidy(program: Program) -> Program:
    """The program with each condition once, as people read it."""

    def of(rule: Rule) -> Rule:
        default = tuple(chain.from_iterable(conditions(rule.default)))
        return Rule(rule.head, default, tuple(map(of, rule.exceptions)))

    return replace(program, rules=tuple(map(of, program.rules)))


class TestRoundTrip:
    """``parse(to_rules(program)) == program``."""

    @given(programs() | hostile_programs())
    def test_every_program_is_read_back(self, program):
        """Names, categories, labels of any type, nesting and order come back as they were."""
        found = unless.parse(to_rules(program))
        assert found == program
        assert list(map(type, found.heads)) == list(map(type, program.heads))

    @given(noted_programs() | noted_cases(names=_words, texts=_words).map(lambda case: case[0]))
    def test_dates_times_durations_levels_and_flags(self, program):
        """Numbers keep the way in which they are written, and thresholds between two moments or levels stay there."""
        found = unless.parse(to_rules(program))
        assert found == program
        assert found.notations == program.notations

    @given(programs() | hostile_programs() | noted_programs())
    def test_with_what_is_known_too(self, program):
        """A text that says everything says the same where a program tells what names mean."""
        assert unless.parse(to_rules(program), like=program) == program

    @given(programs() | hostile_programs() | noted_cases(names=_words, texts=_words).map(lambda case: case[0]))
    def test_what_python_prints(self, program):
        """``str(program)`` is read back, with each condition once, as it is printed; so is ``repr(program)``."""
        found = unless.parse(str(program), like=program)
        assert found == tidy(program)
        assert unless.parse(repr(program), like=program) == found

    def test_two_thousand_programs_at_random(self):
        """Names made of the words and signs of rules in any order are read back."""
        draw = random.Random(0)
        parts = [*WORDS, " ", " and ", " is ", "(", ")", "'", '"', "\\"]
        for _ in range(2000):
            names = list({"".join(draw.choices(parts, k=draw.randint(1, 4))) for _ in range(4)})
            tests = [Literal(draw.choice(names[1:] or ["f"]), draw.choice(["==", "!="]), draw.choice(names)) for _ in "ab"]
            rule = Rule(names[0], (tests[0],), (Rule(None, (tests[1],), (Rule(None, tests),)), Rule(None)))
            program = Program("t" + names[0], names[1:] or ["f"], (rule, Rule(names[-1])), draw.choice([None, names[0]]))
            assert unless.parse(to_rules(program)) == program
            assert unless.parse(str(program), like=program) == tidy(program)

    def test_the_deepest_program(self):
        """200 levels are read in both forms, and one more is refused with its place."""
        program = Program("y", ("n", "t"), (nested(MAX_DEPTH),))
        assert unless.parse(to_rules(program)) == unless.parse(str(program), like=program) == program
        deeper = str(program).replace(")" * (MAX_DEPTH - 1), f" unless (n is missing{')' * MAX_DEPTH}")
        with pytest.raises(RuleTextError, match="nest 201 deep here; 200 is the limit"):
            unless.parse(deeper, like=program)
