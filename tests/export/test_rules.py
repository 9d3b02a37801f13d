"""Rules as text: what is written is read back exactly, what people write is understood, and what is wrong is shown."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unless
from tests.strategies import chain as nested
from tests.strategies import literals, noted_cases, noted_programs, programs
from unless.errors import LimitError, ParameterError, ProgramError, RuleTextError, UnlessError, UnlessWarning
from unless.explanation.rule_listing import listing_text
from unless.export import to_rules
from unless.export.rule_parser import new_categories
from unless.limits import raised
from unless.rule import MAX_DEPTH, Literal, Program, Rule

_RULE_WORDS = (
    "if|unless|and|or|is|not|otherwise|always|true|missing|present|above|at most|If|UNLESS|number|number 5|none"
)
_LIKE_OTHERS = (
    "no rules|target|features|3 rules, 1 exception|decided right|…|–|1|1.0|-7|inf|nan|True|2020-08-01|12:30|2 d"
)
_SIGNS = "it's|\"|'|\\|#|# x|a#b|a:|a: b|:|(|)|(a)|a,b|,|1,000|1_000|<=50K|a<b|x=y|a b|a  b| a|a |"
_LETTERS = "\n|\t|\u2028|é|e\u0301|日本|😀|\ufeff|\x00|\ud800"
WORDS = f"{_RULE_WORDS}|{_LIKE_OTHERS}|{_SIGNS}|{_LETTERS}".split("|")
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


def ranges(feature: str):
    """A bound of a feature; few numbers, so that bounds repeat and meet."""
    return st.builds(Literal, st.just(feature), st.sampled_from(["<=", ">"]), st.sampled_from([0.0, 11.0, 12.5, 1e300]))


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

    @given(
        programs()
        | hostile_programs()
        | noted_programs()
        | noted_cases(names=_words, texts=_words).map(lambda one: one[0])
    )
    def test_what_python_prints(self, program):
        """``str(program)`` and ``repr(program)`` are read back, with every literal in its place."""
        for printed in (str(program), repr(program)):
            found = unless.parse(printed, like=program)
            assert found == program
            assert found.notations == program.notations
            assert list(map(type, found.heads)) == list(map(type, program.heads))

    @given(st.lists(ranges("n"), max_size=6), st.lists(ranges("n"), max_size=4))
    def test_bounds_in_any_order(self, default, exception):
        """A lower bound and the upper one after it are printed as a range, others one by one: none is lost or moved."""
        program = Program("y", ("n",), (Rule("a", tuple(default), (Rule(None, tuple(exception)),)), Rule("b")))
        assert unless.parse(str(program), like=program) == program

    def test_numbers_and_the_last_rule_are_printed_as_the_command_does(self):
        """11, not 11.0; and what all other records are, is otherwise."""
        low, high = Literal("n", ">", 11.0), Literal("n", "<=", 12.5)
        program = Program("y", ("n",), (Rule("a"), Rule("b", (low, high), (Rule(None),)), Rule("c")))
        assert str(program) == "y: a always\ny: b if n is above 11 and at most 12.5 unless (always)\ny: c otherwise"
        assert unless.parse(str(program), like=program) == program
        ended = replace(program, otherwise="d")
        assert str(ended).splitlines()[2:] == ["y: c always", "y: d otherwise"]
        assert unless.parse(str(ended), like=ended) == ended

    def test_two_thousand_programs_at_random(self):
        """Names made of the words and signs of rules in any order are read back."""
        draw = random.Random(0)
        parts = [*WORDS, " ", " and ", " is ", "(", ")", "'", '"', "\\"]
        for _ in range(2000):
            names = list({"".join(draw.choices(parts, k=draw.randint(1, 4))) for _ in range(4)})
            tests = [
                Literal(draw.choice(names[1:] or ["f"]), draw.choice(["==", "!="]), draw.choice(names)) for _ in "ab"
            ]
            rule = Rule(names[0], (tests[0],), (Rule(None, (tests[1],), (Rule(None, tests),)), Rule(None)))
            program = Program(
                "t" + names[0], names[1:] or ["f"], (rule, Rule(names[-1])), draw.choice([None, names[0]])
            )
            assert unless.parse(to_rules(program)) == program
            assert unless.parse(str(program), like=program) == program

    def test_the_deepest_program(self):
        """200 levels are read in both forms, and one more is refused with its place."""
        program = Program("y", ("n", "t"), (nested(MAX_DEPTH),))
        assert unless.parse(to_rules(program)) == unless.parse(str(program), like=program) == program
        deeper = str(program).replace(")" * (MAX_DEPTH - 1), f" unless (n is missing{')' * MAX_DEPTH}")
        with pytest.raises(RuleTextError, match="nest 201 deep here; 200 is the limit"):
            unless.parse(deeper, like=program)


def literal(text: str, **known) -> tuple[Literal, ...]:
    """The literals that a condition means."""
    return unless.parse(f"yes if {text}", **known).rules[0].default


LATE, YES = Literal("history", "==", "late"), Literal("guarantor", "==", "yes")
POOR, OLD = Literal("income", "<=", 21000.0), Literal("age", ">", 65.0)
REFUSED = Rule("refuse", (POOR, LATE), (Rule(None, (YES,)),))


class TestFriendly:
    """What people write."""

    @pytest.mark.parametrize(
        "text",
        [
            "refuse if income <= 21000 and history is late unless guarantor is yes",
            "refuse if income<=21000 and history=late unless guarantor==yes",
            "refuse if income =< 21_000 and history equals late, unless guarantor = 'yes'",
            "refuse  if  income is at most 21,000 ,and history is 'late'  unless (guarantor is yes)",
            "refuse IF income ≤ 21000.0 AND history IS late UNLESS guarantor IS yes",
            "refuse if income is not above 2.1e4\n  and history is late\n  unless guarantor is yes",
            "refuse\nif\nincome at most 21000 and\nhistory is late\nunless\nguarantor is yes",
            "# why\n\nrefuse if income <= 21000 # poor\n\n# and\n and history is late\n\tunless guarantor is yes\r\n",
            "\ufeffrefuse if (income is less than or equal to 21000 and history is late) unless (guarantor is yes)",
        ],
    )
    def test_one_rule_in_many_ways(self, text):
        """Signs or words, spaces, line breaks, comments and large letters: it is the same rule."""
        assert unless.parse(text) == Program("label", ("income", "history", "guarantor"), (REFUSED,))

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("age < 30", (Literal("age", "<=", 29.999999999999996),)),
            ("age >= 30", (Literal("age", ">", 29.999999999999996),)),
            ("age is below 0", (Literal("age", "<=", -5e-324),)),
            ("age is at least 1e308", (Literal("age", ">", 9.999999999999999e307),)),
            ("age more than 30", (Literal("age", ">", 30.0),)),
            ("age is not less than 30", (Literal("age", ">", 29.999999999999996),)),
            ("age is greater than or equal to 30", (Literal("age", ">", 29.999999999999996),)),
            ("age = 30", (Literal("age", ">", 29.999999999999996), Literal("age", "<=", 30.0))),
            ("age is above 30 and at most 40", (Literal("age", ">", 30.0), Literal("age", "<=", 40.0))),
            ("age > 30 and is at most 40", (Literal("age", ">", 30.0), Literal("age", "<=", 40.0))),
            ("age <= -inf", (Literal("age", "<=", float("-inf")),)),
            ("age != x", (Literal("age", "!=", "x"),)),
            ("age <> '30'", (Literal("age", "!=", "30"),)),
            ("age is missing", (Literal("age", "missing"),)),
            ("age is not missing", (Literal("age", "present"),)),
            ("age is 'missing'", (Literal("age", "==", "missing"),)),
            ("hours per week > 40", (Literal("hours per week", ">", 40.0),)),
            ("'is it' is 'so'", (Literal("is it", "==", "so"),)),
            ("city is New   York (NY)", (Literal("city", "==", "New York (NY)"),)),
            ("city is St. John's", (Literal("city", "==", "St. John's"),)),
            ("code is a<b", (Literal("code", "==", "a<b"),)),
            ("site is http://x.y/?a", (Literal("site", "==", "http://x.y/?a"),)),
            ('note is "it\'s\\n\\x41\\u00e9"', (Literal("note", "==", "it's\nAé"),)),
            ("true", ()),
            ("always", ()),
            ("true is 5", (Literal("true", ">", 4.999999999999999), Literal("true", "<=", 5.0))),
        ],
    )
    def test_conditions(self, text, wanted):
        """What the language has no literal for is said by those it has."""
        assert literal(text) == wanted

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("when < 2020-08-01", "when <= 2020-07-31"),
            ("when >= 2020-08-01 12:30", "when > 2020-08-01 12:29:59.999999"),
            (
                "when > 2020-08-01 and when <= 2021-01-01 12:30Z",
                "when is above 2020-08-01 00:00Z and at most 2021-01-01 12:30Z",
            ),
            ("when > 12:00 and when = 12:30", "when > 12:00 and when is above 12:29:59.999999 and at most 12:30"),
            ("when is at most 2 d 3 h", "when <= 2 d 3 h"),
            ("when > P1DT12H", "when > 1 d 12 h"),
        ],
    )
    def test_dates_times_and_durations_are_noticed(self, text, shown):
        """Without a declaration, what is hardly anything else is a date, a time or a duration."""
        assert str(unless.parse(f"yes if {text}")) == f"label: yes if {shown}"

    def test_levels_and_flags_are_declared(self):
        """An order has levels below each other; what is 0 or 1 is a flag."""
        text = "features: size (S < M < 'X L'), when (date '%d.%m.%Y'), own (flag)\nyes if size is M and size < M"
        found = unless.parse(f"{text} and size >= X L and when > 31.12.2020 and when > 2021-01-01 and own is 1")
        assert str(found.rules[0].default) == (
            "(size > S, size <= M, size <= S, size > M, when > 2020-12-31, when > 2021-01-01, own is 1)"
        )
        dotted = unless.parse("features: d (date '%d.%m.%Y')\nyes if d is '2020-08-01' unless d is 2020-08-01").rules[0]
        assert dotted.default == (Literal("d", "==", "2020-08-01"),)
        assert str(dotted.exceptions[0]) == "d is above 2020-07-31 and at most 2020-08-01"
        assert unless.parse("features: size (S < M)\nyes if size is S").rules[0].default == (
            Literal("size", "<=", 0.0),
        )

    def test_exceptions_by_indentation_or_parentheses(self):
        """An exception belongs to the line above it that is indented less; on one line, to the rule."""
        inner = Rule(None, (POOR,))
        nested = Rule("a", (LATE,), (Rule(None, (YES,), (inner,)), Rule(None, (OLD,))))
        beside = Rule("a", (LATE,), (Rule(None, (YES,)), inner, Rule(None, (OLD,))))
        start, yes, poor, old = (
            "a if history is late",
            "unless guarantor is yes",
            "unless income <= 21000",
            "unless age > 65",
        )
        for text, wanted in [
            (f"{start}\n  {yes}\n    {poor}\n  {old}", nested),
            (f"{start} unless (guarantor is yes {poor}) {old}", nested),
            (f"{start}\n  unless (guarantor is yes\n{poor}\n)\n  {old}", nested),
            (f"   {start}\n       {yes}\n         {poor}\n     {old}", nested),
            (f"{start} {yes} {poor} {old}", beside),
            (f"{start}\n{yes}\n{poor}\n{old}", beside),
            (f"{start}\n  {yes} {poor}\n  {old}", beside),
            (f"{start} {yes}\n  {poor}\n  {old}", beside),
        ]:
            assert unless.parse(text).rules == (wanted,), text

    @pytest.mark.parametrize(
        ("text", "heads"),
        [
            ("1 if a is b\n0 otherwise", (1, 0)),
            ("1.0 if a is b\n-2 otherwise", (1.0, -2)),
            ("True if a is b\nFalse otherwise", (True, False)),
            ("'1' if a is b\n'0' otherwise", ("1", "0")),
            ("1 if a is b\nother otherwise", ("1", "other")),
            ("007 if a is b\n008 otherwise", ("007", "008")),
            ("<=50K if a is b\n>50K otherwise", ("<=50K", ">50K")),
            ("not sure if a is b\ninf otherwise", ("not sure", "inf")),
        ],
    )
    def test_labels_are_what_they_look_like(self, text, heads):
        """Numbers and booleans are themselves, in quotes they are text, and beside text all are text."""
        found = unless.parse(text).heads
        assert found == heads
        assert list(map(type, found)) == list(map(type, heads))

    def test_rules_without_conditions(self):
        """``if true`` and ``always`` are a rule for all records, ``otherwise`` is the label where no rule applies."""
        assert unless.parse("a always\nb if true\nc otherwise") == Program("label", (), (Rule("a"), Rule("b")), "c")
        assert unless.parse("loan: no rules") == Program("loan", ())
        assert unless.parse("a if true unless always").rules == (Rule("a", (), (Rule(None),)),)

    def test_names_that_callers_give(self):
        """The target, the features and the labels can be given; the text may repeat them."""
        given = {"target": "loan", "features": ["age", "sex"], "labels": [0, 1]}
        assert unless.parse("loan: 1 if age > 3", **given) == Program(
            "loan", ("age", "sex"), (Rule(1, (Literal("age", ">", 3),)),)
        )
        assert unless.parse("label: a if true").target == "label"


SHORT = Program("y", ("size", "n", "when"), (Rule("1", (Literal("size", "==", "5"),)),), "0")


class TestLike:
    """A model, a program or a table tells what names mean."""

    TABLE = unless.read_table(
        [{"size": "5", "n": 3, "when": "2020-08-01", "y": "1"}, {"size": "L", "n": 1, "when": "2021-08-01", "y": "0"}]
        * 9,
        "y",
    )
    MODEL = unless.UnlessClassifier(warn=False).fit(TABLE)

    @pytest.mark.parametrize("like", [TABLE, MODEL], ids=["table", "model"])
    def test_values_and_labels_have_the_types_of_training(self, like):
        """1 is the label '1', 5 the category '5', and a date a date."""
        found = unless.parse("1 if size is 5 and n < 2 and when <= 2020-12-31\n0 otherwise", like=like)
        size, n, when = found.rules[0].default
        assert (size, n.op, str(when)) == (Literal("size", "==", "5"), "<=", "when <= 2020-12-31")
        assert (found.heads, found.target, found.features) == (("1", "0"), "y", ("size", "n", "when"))

    def test_a_program_does_not_know_all_labels(self):
        """A new label is allowed beside those of a program, if it is of the same kind."""
        assert unless.parse("2 if n > 3", like=SHORT).labels == ("2",)
        numbers = Program("y", ("n",), (), 1)
        assert unless.parse("2 if n > 3", like=numbers).labels == (2,)
        with pytest.raises(RuleTextError, match="the labels are numbers, such as 1; 'two' is another kind"):
            unless.parse("two if n > 3", like=numbers)

    def test_how_numbers_are_written(self):
        """A text cannot change how a table writes numbers; a program knows it only of what it tests."""
        with pytest.raises(RuleTextError, match="'n' is a number, which a text cannot change"):
            unless.parse("features: n (date)\n1 if n > 2020-08-01", like=self.TABLE)
        with pytest.raises(RuleTextError, match="'when' is a date, which a text cannot change"):
            unless.parse("features: when (flag)\n1 if when is 1", like=self.TABLE)
        assert str(unless.parse("1 if when > 2020-08-01", like=SHORT).rules[0]) == "'1' if when > 2020-08-01"
        assert unless.parse("features: size (S < M)\n1 if size is S", like=SHORT).notations["size"].text(1) == "M"

    def test_categories_that_training_did_not_have(self):
        """They are allowed, but there is a warning: a typing error makes a rule that never applies."""
        with pytest.warns(UnlessWarning, match="size has no 'l'; did you mean 'L'?"):
            unless.parse("1 if size is l", like=self.TABLE)

    def test_the_printed_list_of_a_model(self):
        """What ``print(model)`` and ``unless show`` print can be pasted, with its figures or without."""
        for model in (self.MODEL, unless.FoldRMClassifier(warn=False).fit(self.TABLE)):
            program = model.program_
            printed = listing_text(program, model.statistics_)
            old = printed.replace("expected precision", "right    between").replace(" (", "  ").replace(")  ", "  ")
            narrow = printed.replace("decided  expected precision", "expected\n  decided  precision")
            for text in (str(model), printed, old, narrow, listing_text(program)):
                assert unless.parse(text, like=model) == program
        long = Program(
            "y", ("n",), tuple(Rule(f"l {k}", (Literal("n", "<=", 1e4 * k),), (Rule(None),)) for k in range(12)), "z z"
        )
        assert unless.parse(listing_text(long), target="y") == long
        with pytest.raises(RuleTextError, match="this list was cut"):
            unless.parse(" 1  a  if n > 3\n …     and 3 more rules if")

    def test_what_is_not_like_anything(self):
        """Anything else is refused."""
        with pytest.raises(ParameterError, match="like must be a model, a Program or a Table, not str 'x'"):
            unless.parse("a if true", like="x")
        with pytest.raises(ParameterError, match="features must be a list of names"):
            unless.parse("a if true", features="abc")
        with pytest.raises(ParameterError, match="from a text, not from bytes"):
            unless.parse(b"a if true")


COMMA = "between conditions there is 'and'; a text with a comma in it is written in quotes"
WORDY = "between conditions there is 'and'; a text with signs or words of rules is written in quotes"
OR = "rules have no 'or': write a rule, or an exception, for each; a text with 'or' in it is written in quotes"
AT = "after 'at' comes 'most' or 'least'; a name or a text with 'at' in it is written in quotes"
MANY = "'many' is not a number; for levels, say their order: features: size (S < M < L)"
NO_WAY = "no way to write numbers 'dat'; did you mean 'date'?; levels: (S < M < L)"
NOT_3 = (
    "3 is a number here, and a test whether a number is not another does not exist; write: unless x = 3; "
    "or, if it is a text: '3'"
)


class TestErrors:
    """What is wrong is named and shown, with its place."""

    @pytest.mark.parametrize(
        ("text", "line", "column", "finding"),
        [
            ("refuse", 1, 1, "after a label comes 'if' or 'otherwise': refuse if …"),
            ("if age > 3 then no", 1, 1, "the label comes first: refuse if …"),
            ("otherwise no", 1, 1, "the label comes first: accept otherwise"),
            ("unless x is y", 1, 1, "there is no rule before this 'unless'"),
            ("a if", 1, 3, "after 'if' comes a condition, such as: age <= 30; or 'true'"),
            ("a if x is b and", 1, 13, "after 'and' comes a condition, such as: age <= 30"),
            ("a if x is b unless", 1, 13, "after 'unless' comes a condition, such as: age <= 30; or 'true'"),
            ("a if x", 1, 6, "what about x? write: x is …, or <= …, or is missing"),
            ("a if not x", 1, 6, "'not' comes after the name of a feature: city is not Oslo"),
            ("a if <= 3", 1, 6, "before '<=' comes the name of a feature"),
            ("a if x <=\nb otherwise", 1, 8, "after '<=' comes a value, on the same line"),
            ("a if x is", 1, 8, "after 'is' comes a value, on the same line"),
            ("a if x is at best 3", 1, 14, AT),
            ("a if x is more 3", 1, 11, "after 'more' comes 'than'; a name or a text with it is written in quotes"),
            ("a if x is 3, y is 4", 1, 12, COMMA),
            ("a if x is b y is c", 1, 15, WORDY),
            ("a if x <= 3 y > 4", 1, 15, WORDY),
            ("a if x is b or y is c", 1, 13, OR),
            ("a if x is missing y", 1, 19, "here comes 'unless' or the end of the line"),
            ("a if x is b unless (y is c", 1, 27, "a parenthesis is not closed: here comes ')', 'and' or 'unless'"),
            ("a if x is 'b", 1, 11, "the quote ' is not closed on this line"),
            ("a if x is '\\q'", 1, 11, r"there is an escape that means nothing; \\ is a backslash, \n a new line"),
            ("a if x is 'b' c", 1, 15, "a value is in quotes as a whole, or not at all"),
            ("a otherwise\nb if x is y", 2, 1, "'otherwise' is for all records that are left: it comes last"),
            ("a otherwise unless x is y", 1, 13, "'otherwise' has no exceptions; write: a if true unless …"),
            ("y: a if true\nz: b if true", 2, 1, "all rules are about one target, and 'y' was named before"),
            ("\n\n  a if x <= many", 3, 13, MANY),
            ("a if x <= '3'", 1, 11, "'3' is not a number, but a text; leave out the quotes"),
            ("a if x is not 3", 1, 15, NOT_3),
            ("a if x < -inf", 1, 10, "nothing is below -inf, so this says nothing; leave it out"),
            ("features: s (S < M)\na if s < S", 2, 10, "nothing is below S, so this says nothing; leave it out"),
            ("features: s (S < M)\na if s < XL", 2, 10, "'XL' is not one of the levels; there are 'S', 'M'"),
            ("features: s (S < S)\na if s < XL", 1, 18, "the level 'S' appears twice"),
            ("features: s (dat)\na if s < XL", 1, 14, NO_WAY),
            ("features: s (date\na if s < 3", 1, 13, "this parenthesis is not closed on its line"),
            ("features: a, b, a\nx if a is b", 1, 17, "the feature 'a' appears twice"),
            ("features: age\nx if agee > 3", 2, 6, "no feature 'agee'; did you mean 'age'?"),
            ("target: age\nx if age > 3", 1, 9, "'age' is the target, and a feature too; rename one of them"),
        ],
    )  # fmt: skip
    def test_exact_messages(self, text, line, column, finding):
        """The first thing that is wrong, with its line and column."""
        with pytest.raises(RuleTextError) as caught:
            unless.parse(text)
        assert (caught.value.line, caught.value.column, caught.value.finding) == (line, column, finding)

    def test_the_line_is_shown_with_a_mark(self):
        """The message has three lines: what, the line, and a mark below the place."""
        with pytest.raises(RuleTextError) as caught:
            unless.parse("# rules\n\trefuse if incme <= 3", features=["income"])
        assert str(caught.value).splitlines() == [
            "line 2, column 12: no feature 'incme'; did you mean 'income'?",
            "   refuse if incme <= 3",
            "             ^^^^^",
        ]

    def test_of_a_long_line_a_part_is_shown(self):
        """A message stays short, however long the line is."""
        with pytest.raises(RuleTextError) as caught:
            unless.parse(f"a if {'x is y and ' * 1000}z{' or q' * 1000}")
        message = str(caught.value)
        assert max(map(len, message.splitlines())) < 220
        shown, mark = message.splitlines()[1:]
        assert shown[mark.index("^") :].startswith("or")

    def test_there_must_be_something(self):
        """A text without rules is refused, and so is one of more letters than a model file may have."""
        for text in ("", " \n\t\n", "# only a comment"):
            with pytest.raises(ProgramError, match="there are no rules in this text"):
                unless.parse(text)
        with raised(model=10), pytest.raises(LimitError, match="a text of 12 letters"):
            unless.parse("a if x is bb")

    def test_a_target_is_needed_if_a_feature_is_called_label(self):
        """The target is called label, unless somebody says otherwise."""
        with pytest.raises(ProgramError, match="name the target"):
            unless.parse("a if label is b")
        assert unless.parse("a if label is b", target="y").target == "y"


class TestAnyText:
    """No text does harm."""

    @given(st.text(alphabet=st.sampled_from(list("ab1 \n\t'\"\\()<>=!,:#.-é≤")), max_size=60) | st.text(max_size=40))
    def test_letters(self, text):
        """Any letters are a program, or are refused with an error of ours."""
        self.read(text)

    @given(st.lists(st.sampled_from([*WORDS, *"=abx>", "\n", "\n  ", "features:", "target:", "<="]), max_size=25))
    def test_words(self, words):
        """Any words and signs of rules in any order."""
        self.read(" ".join(words))

    def test_a_word_of_rules_is_no_label(self):
        """A line that starts with such a word is refused."""
        with pytest.raises(RuleTextError, match="the label comes first: refuse always"):
            unless.parse("always")

    @staticmethod
    def read(text: str) -> None:
        """Parse, and if it is a program, write and read it again."""
        try:
            program = unless.parse(text)
        except UnlessError as error:
            assert len(str(error)) < 1000  # noqa: PT017 - any error of ours will do
        else:
            assert unless.parse(to_rules(program)) == program
            assert unless.parse(to_rules(program), like=program) == program


def test_a_parenthesis_after_a_value_is_no_part_of_it():
    """What looks like an exception to an exception in the wrong place is refused, not read as part of a text."""
    for text in ("a if b is c unless d is e (unless h is i)", "a if b is c (unless d is e)"):
        with pytest.raises(RuleTextError, match="is in parentheses with it: unless"):
            unless.parse(text)
    nested = unless.parse("a if b is c unless (d is e unless h is i)")
    assert nested.rules[0].exceptions[0].exceptions[0].default[0].feature == "h"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a if not x is k", "write x is not k; a name"),
        ("a if b is c and NOT x is not k", "write x is k; a name"),
        ("a if not x > 3", "write x <= 3, or for missing cells too an exception: unless x > 3; a name"),
        ("a if b is c unless not x is missing", "write x is present; a name"),
    ],
)
def test_not_before_a_name_is_refused(text, said):
    """It says nothing of missing cells, and could be part of a name: the message says what to write."""
    with pytest.raises(RuleTextError, match=re.escape(f"'not' comes after the name of a feature: {said}")):
        unless.parse(text)


@pytest.mark.parametrize("name", ["not x", "Not", "not not", "x not"])
def test_names_that_start_with_not(name):
    """They are read in quotes, as they are printed, and bare where they are known."""
    program = Program("y", (name, "b"), (Rule("a", (Literal(name, "==", "k"), Literal(name, ">", 3.0))),), "z")
    assert unless.parse(to_rules(program)) == program
    assert unless.parse(str(program), like=program) == program
    assert unless.parse(listing_text(program), like=program) == program
    assert unless.parse(f"a if '{name}' is k").features == (name,)


def test_categories_that_no_record_of_a_table_has():
    """A table knows all features, so that a typing error in any of them is told."""
    table = unless.read_table([{"a": "x", "b": "late", "y": "n"}, {"a": "z", "b": "good", "y": "m"}], target="y")
    with pytest.warns(UnlessWarning, match="b has no 'lat'; did you mean 'late'"):
        program = unless.parse("n if b is lat\nm otherwise", like=table)
    assert new_categories(program, table) == ["b has no 'lat'; did you mean 'late'?"]
    assert not new_categories(unless.parse("n if b is late", like=table), table)
