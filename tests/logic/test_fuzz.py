"""Any text is read, or refused with our own error; what we read means the same to clingo."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

import unless
from tests.logic.traps import cases, noted
from unless.errors import ProgramError, UnlessError
from unless.logic import from_clingo, learn_logic, to_clingo
from unless.logic.background import read_background
from unless.logic.clingo_runner import grounded
from unless.logic.program_writer import FIRST_LINE, LABEL_KINDS, ClingoWriter
from unless.logic.read_header import read_header

pytestmark = pytest.mark.usefixtures("clingo")
slow = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

MARK = '%: {"target": "y", "predicate": "y", "labels": "text"}\n'
RULES = 'y(X,"a") :- rule1(X).\nrule1(X) :- record(X).\nrule2(X) :- record(X).\n'
PIECES = [
    *(
        "not ",
        "rule1(X)",
        "rule2(X)",
        "undecided3(X)",
        "undecided5(X)",
        "ab1(X)",
        "ab2(X)",
        "record(X)",
        "X",
        "N0",
        "N1",
        "_",
        "0",
        "1",
        "-1",
        "35",
        "007",
    ),
    *("2147483647", "2147483648", "99999999999", "0x1", ",", ".", "..", ":-", "<", ">", "=", "(", ")", '"a"', '"', "'"),
    *(
        "%",
        "%*",
        "*%",
        "\n",
        " ",
        "\r",
        "\0",
        "#true",
        "#show y/2.",
        "text1",
        '"2020-08-01"',
        "<=",
        "\ud800",
        "é",
        "true",
        "|",
        ";",
        "\\",
    ),
]


def derived(text: str, table: unless.Table) -> tuple[set, set]:
    """What clingo derives from a text and the facts of a table, and what the program in the text predicts."""
    program, header = from_clingo(text), read_header(text)
    writer = ClingoWriter(program)
    writer.target, writer.features, writer.stand_in = header.predicate, header.features, "other{}"
    writer.stand_ins = {spelled: name for name, spelled in header.stand_ins.items()}
    spelled = writer.facts(table)
    control = grounded(f"{text}\n" + "\n".join(spelled))
    assert all(atom.is_fact for atom in control.symbolic_atoms)
    atoms = control.symbolic_atoms.by_signature(header.predicate, 2)
    predicted = enumerate(unless.predict(program, table).tolist(), 1)
    return (
        {tuple(map(str, atom.symbol.arguments)) for atom in atoms},
        {(str(row), str(unless_term(writer.term(label)))) for row, label in predicted if label is not None},
    )


def unless_term(spelled: str) -> object:
    """A term as clingo reads it."""
    import clingo

    return clingo.parse_term(spelled)


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, unless.Table]:
    """The text of a program after a few changes to its tokens or lines, and a table of its columns."""
    program, table = draw(st.one_of(cases(), noted))
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|%[^\n]*|\w+|\s|[^\w\s]', to_clingo(program))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(1, len(tokens) - 1))
        change = draw(st.sampled_from(["remove", "replace", "insert", "swap", "line", "number"]))
        other = draw(st.integers(1, len(tokens) - 1))
        if change == "remove":
            del tokens[place]
        elif change == "replace":
            tokens[place] = draw(st.sampled_from(PIECES))
        elif change == "insert":
            tokens.insert(place, draw(st.sampled_from(PIECES)))
        elif change == "swap":
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif change == "number" and (numbers := [k for k, token in enumerate(tokens) if token.isdecimal()]):
            tokens[draw(st.sampled_from(numbers))] = str(draw(st.integers(-3, 400)))
        else:
            lines = "".join(tokens).split("\n")
            first = draw(st.integers(1, len(lines) - 1))
            lines.insert(draw(st.integers(1, len(lines))), lines.pop(first) if draw(st.booleans()) else lines[first])
            tokens = re.findall(r'"(?:[^"\\]|\\.)*"|%[^\n]*|\w+|\s|[^\w\s]', "\n".join(lines))
    return "".join(tokens), table


@slow
@given(spoiled())
def test_what_is_read_means_the_same_to_clingo(case):
    """A changed text is refused, or clingo derives from it what the program that we read predicts."""
    text, table = case
    try:
        program = from_clingo(text)
    except ProgramError:
        event("refused")
        return
    event("read")
    found, predicted = derived(text, table)
    assert found == predicted
    assert from_clingo(to_clingo(program)) == program


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
@settings(max_examples=500, deadline=None)
def test_any_text_is_read_or_refused(text):
    """Any text, with a valid header or without, gives a program or our own error."""
    for start in ("", FIRST_LINE, f"{FIRST_LINE}\n", f"{FIRST_LINE}\n{MARK}", f"{FIRST_LINE}\n%:"):
        try:
            from_clingo(start + text)
        except ProgramError as error:
            assert str(error).isprintable()  # noqa: PT017 - either is fine


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not written by this version of to_clingo"),
        (f"{FIRST_LINE}0\n{MARK}", "not written by this version of to_clingo"),
        (FIRST_LINE, "no target"),
        (f"{FIRST_LINE}\n{MARK}{MARK}", "line 3: a second target"),
        (f"{FIRST_LINE}\n%: [", "line 2: a header that is not JSON"),
        (f"{FIRST_LINE}\n{MARK}%: {'[' * 9999}", "line 3: a header that is not JSON"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "number": "f"}}', "line 3: numbers without decimals"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "number": "f", "thresholds": [NaN]}}', "NaN"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "number": "f", "thresholds": [2, 1]}}', "ascend"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "number": "f", "thresholds": [1e999]}}', "for a threshold"),
        (
            f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "number": "f", "decimals": true}}',
            "decimals must be a number from 0 to 9",
        ),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "text": "y"}}', "'y' appears twice"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "text": "rule1"}}', "'rule1' in the header is not a name"),
        (f'{FIRST_LINE}\n{MARK}%: {{"feature": "f", "colour": 1}}', "'colour' means nothing in the header"),
        (f'{FIRST_LINE}\n{MARK}%: {{"stand_in": "text1", "text": "plain"}}', "for a text that needs none"),
        (
            f'{FIRST_LINE}\n{MARK}%: {{"stand_in": "text1", "text": "\\r"}}\n%: {{"stand_in": "text2", "text": "\\r"}}',
            "two stand-ins in the header are for the text '.r'",
        ),
        (f'{FIRST_LINE}\n{MARK}y(X,"a") :- rule1(X).', "rule1 lacks its body"),
        (f'{FIRST_LINE}\n{MARK}y(X,"a") :- record(X), not rule1(X).', "does not exclude every rule"),
        (f"{FIRST_LINE}\n{MARK}rule1(X) :- record(X).", "rule1 lacks its body or its label"),
        (f"{FIRST_LINE}\n{MARK}ab1(X) :- record(X), not ab1(X).", "ab1 refers to itself"),
        (f"{FIRST_LINE}\n{MARK}ab1(X) :- record(X), not ab2(X).", "ab2 is used but not defined"),
        (f"{FIRST_LINE}\n{MARK}ab1(X) :- record(X).\nab1(X) :- record(X).", "line 4: ab1.X. a second time"),
        (f"{FIRST_LINE}\n{MARK}record(9999999999).", "line 3: a fact of record"),
        (f"{FIRST_LINE}\n{MARK}y(1,2).", "line 3: a fact of y"),
        (f"{FIRST_LINE}\n{MARK}y(X,a) :- record(X).", "line 3: 'a' for a text; put text in double quotes"),
        (f"{FIRST_LINE}\n{MARK}evil(X) :- record(X).", "line 3: a rule for evil"),
        (f"{FIRST_LINE}\n{MARK}%* comment *%", "line 3: .* is not in the language"),
        (f"{FIRST_LINE}\n{MARK}record(1)", "line 3: the end of the text is not in the language"),
        (f"{FIRST_LINE}\n{MARK}rule1(X) :- record(X),\nrule2 (X), Y.", "line 4: 'Y.' is not in the language"),
        (f"{FIRST_LINE}\n{MARK}record(1). record(2).\n\nrecord(3).\nf(4,5). record(6).", "line 6: a fact of f that"),
        (
            f'{FIRST_LINE}\n{MARK}y(X,"a") :- rule1(X), undecided1(X).',
            "line 3: a label must hold for one rule and exclude all earlier ones",
        ),
        (f'{FIRST_LINE}\n{MARK}{RULES}y(X,"a") :- rule2(X), undecided1(X).', "undecided1 is used but not defined"),
        (
            f"{FIRST_LINE}\n{MARK}{RULES}undecided1(X) :- not rule1(X).",
            "line 6: undecided1.X. must mean a record that rules 1 to 1 do not cover",
        ),
        (
            f"{FIRST_LINE}\n{MARK}undecided2(X) :- record(X), not rule1(X).",
            "undecided2.X. must mean a record that rules 1 to 2 do not cover",
        ),
        (f"{FIRST_LINE}\n{MARK}undecided2(X) :- undecided2(X).", "undecided2.X. refers to itself"),
        (
            f"{FIRST_LINE}\n{MARK}undecided1(X) :- record(X), not rule1(X).",
            "line 3: undecided1.X., but there are only 0",
        ),
    ],
)
def test_messages(text, message):
    """The message says what is wrong, and on which line."""
    with pytest.raises(ProgramError, match=message):
        from_clingo(text)


def test_deep_and_wide_programs_are_refused():
    """Exceptions that nest too deep, or grow too large when written out, give a clear error."""
    for count, repeat, message in ((5000, 1, "deeper than 200"), (190, 2, "too large")):
        lines = [f"ab{k}(X) :- record(X){f', not ab{k + 1}(X)' * repeat}." for k in range(1, count)]
        with pytest.raises(ProgramError, match=message):
            from_clingo(f"{FIRST_LINE}\n{MARK}" + "\n".join([*lines, f"ab{count}(X) :- record(X)."]))
    assert set(LABEL_KINDS.values()) == {"text", "boolean", "number"}


TERMS = [
    "a",
    "b",
    "c",
    "1",
    "2",
    "-3",
    "X",
    "Y",
    "_",
    '"a"',
    '"é"',
    "X+1",
    "f(a)",
    "f(X)",
    "1..3",
    "@f()",
    "#sup",
    "(a,b)",
    "a;b",
]
HEADS = [
    "p({})",
    "q({})",
    "r({},{})",
    "e({},{})",
    "s",
    "-p({})",
    "{{p({})}}",
    "p({});q({})",
    "not p({})",
    "",
    "lab({},{})",
]
GOALS = [
    *(
        "p({})",
        "q({})",
        "not q({})",
        "r({},{})",
        "not r({},_)",
        "e({},{})",
        "X = {}",
        "{} < {}",
        "s",
        "not s",
        "not not p({})",
    ),
    *("#count {{ Y : r(X,Y) }} > 1", "Y = #count {{ Z : e(X,Z) }}", "p(Y) : q(Y)", "lab({},{})", "&t {{}}", "Y = X*2"),
]


LAYOUTS = [
    *(
        'p("a. q(b).").',
        'q("%"). p(c).',
        "p( a ) .",
        "p(a)\n.",
        "s.p(b).q(-3).",
        "p(007).",
        "q(a'). p(_b).",
        "r(a , 2).",
    ),
    *("p(X) :- X = 1.p(c).", "p(X) :- q(X),\nr(a,1).", "p(1) :- 1..2 = 1. q(2).", "p(a)..", "p(a). %", 'r(1,"a,b").'),
    *('r("\\"",1).', "p(not).", "not(a).", "e(1,2,3).", "p().", "p(1.5).", "p(99999999999).", "p(a). % p(b)\nq(c)."),
]


@st.composite
def knowledge(draw: st.DrawFn) -> str:
    """Text that is nearly background knowledge, and often really is."""
    term = st.sampled_from(TERMS[:5] + TERMS[6:8]) if draw(st.booleans()) else st.sampled_from(TERMS)
    lines = ["p(a). q(b). r(a,1). e(b,2)."]

    def filled(form: str) -> str:
        return form.format(*(draw(term) for _ in range(4)))

    for _ in range(draw(st.integers(1, 5))):
        body = ", ".join(filled(draw(st.sampled_from(GOALS))) for _ in range(draw(st.integers(0, 3))))
        lines.append(filled(draw(st.sampled_from(HEADS))) + (f" :- {body}." if body else "."))
    if draw(st.integers(0, 9)) == 0:
        lines.append(
            draw(
                st.sampled_from(["#show p/1.", "#const a=1.", "#include <incmode>.", "%", "#external p(a).", '"', "%*"])
            )
        )
    for _ in range(draw(st.integers(0, 2))):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(LAYOUTS)))
    return draw(st.sampled_from(["\n", " ", "\n\n", " % p(comment).\n", "\r\n"])).join(lines)


@slow
@given(knowledge())
@example("p(a). p(a) :- not q(a). q(a) :- not p(a).")
def test_background_is_read_as_clingo_reads_it(text):
    """Background knowledge is refused, or has the atoms that clingo derives, and what we learn is entailed."""
    try:
        read = read_background(text)
        control = read.ground()
    except UnlessError as error:
        event("refused")
        assert str(error).isprintable()  # noqa: PT017 - either is fine
        return
    plain = grounded(text)
    assert all(atom.is_fact for atom in plain.symbolic_atoms)
    event("read")
    assert {str(atom.symbol) for atom in control.symbolic_atoms} == {str(atom.symbol) for atom in plain.symbolic_atoms}
    assert not [atom for atom in control.symbolic_atoms if re.search(r"[(,][a-z]\(|#", str(atom.symbol))]
    if ("lab", 2) not in read.mentions:
        assert len(learn_logic(text, "lab(a,1). lab(b,2).", "lab").entailed) == 2


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_background_is_read_or_refused(text):
    """Any text as B or E gives a hypothesis or our own error."""
    for background, examples in ((text, "lab(a,1). lab(b,2)."), ("p(a).", text), (f"p(a).\n{text}", "lab(a,1).")):
        try:
            learn_logic(background, examples, "lab")
        except UnlessError as error:
            assert str(error).isprintable()  # noqa: PT017 - either is fine


@pytest.mark.parametrize(
    "text",
    [
        "p(" + "f(" * 20000 + "a" + ")" * 20000 + ").",
        f"p({'-' * 50000}1).",
        f"p(1{'+1' * 50000}).",
        f"p(1{'..1' * 50000}).",
    ],
    ids=["functions", "minus", "plus", "intervals"],
)
def test_terms_too_deep_for_clingo(text):
    """Terms that would crash clingo are refused before clingo sees them."""
    with pytest.raises(UnlessError, match="a term of more than 200 parentheses or operators is not accepted"):
        learn_logic(text, "lab(a,1).", "lab")
