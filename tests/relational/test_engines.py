"""Relational programs decide in clingo, SWI-Prolog and databases as they do by joins of columns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.relational.engines import by_clingo, by_prolog, by_sql, load, predicted
from tests.relational.worlds import TEXTS, pair_world, random_programs, random_world
from unless.errors import ProgramError
from unless.logic.relational_clingo import relational_to_clingo
from unless.logic.relational_header import relational_from_text
from unless.logic.relational_prolog import relational_to_prolog
from unless.relational import FeatureSet, RelationalProgram, evaluate, parse_definition
from unless.relational.sql import relational_to_sql
from unless.rule import Literal, Program, Rule

pytest.importorskip("clingo")

KNOWN = [one for one in TEXTS if "weight" not in one]


def of_every_value(text: str, world) -> RelationalProgram:
    """A program with a rule for each threshold between the values of a feature, and for each category."""
    definition = parse_definition(text)
    column = evaluate(world, definition).column("f", world)
    values = [column.value(code) for code in sorted(set(column.codes.tolist()))]
    numbers = sorted(one for one in values if isinstance(one, float))
    limits = {*numbers, *(low / 2 + high / 2 for low, high in pairwise(numbers))}
    rules = [Rule(f"at most {limit}", (Literal("f", "<=", limit),)) for limit in sorted(limits)]
    rules += [Rule(f"is {one}", (Literal("f", "==", one),)) for one in values if isinstance(one, str)]
    rules += [Rule("high", (Literal("f", ">", max(numbers) - 1),))] if numbers else []
    rules.append(Rule("none", (Literal("f", "missing"),)))
    return RelationalProgram(Program("y", ("f",), tuple(rules), "rest"), FeatureSet({"f": definition}, world.root))


@pytest.mark.parametrize("text", KNOWN)
def test_clingo_agrees_on_every_definition(text):
    """Each kind of feature has in clingo the values that evaluation gives it, thresholds on these values included."""
    for seed in range(3):
        world = random_world(seed, 15)
        program = of_every_value(text, world)
        assert by_clingo(program, world) == predicted(program, world)


@pytest.mark.parametrize("text", KNOWN)
def test_prolog_agrees_on_every_definition(swipl, tmp_path, text):
    """Each kind of feature has in SWI-Prolog the values that evaluation gives it."""
    world = random_world(7, 25)
    program = of_every_value(text, world)
    assert by_prolog(swipl, tmp_path, program, world) == predicted(program, world)


@pytest.mark.parametrize("text", KNOWN)
def test_databases_agree_on_every_definition(database, text):
    """Each kind of feature has in SQL the values that evaluation gives it."""
    for seed in range(2):
        world = random_world(seed, 25)
        load(database, world)
        program = of_every_value(text, world)
        assert by_sql(database, program, world) == predicted(program, world)


@pytest.mark.parametrize("seed", range(12))
def test_whole_programs_agree_in_clingo(seed):
    """Rules with exceptions over several features decide the same in clingo, for individuals and for pairs."""
    for world in (random_world(seed, 40), pair_world(seed)):
        for program in random_programs(world, seed, 3):
            assert by_clingo(program, world) == predicted(program, world)


@pytest.mark.parametrize("seed", range(6))
def test_whole_programs_agree_in_prolog(swipl, tmp_path, seed):
    """Rules with exceptions over several features decide the same in SWI-Prolog, for individuals and for pairs."""
    for world in (random_world(seed, 40), pair_world(seed)):
        for program in random_programs(world, seed, 2):
            assert by_prolog(swipl, tmp_path, program, world) == predicted(program, world)


@pytest.mark.parametrize("seed", range(6))
def test_whole_programs_agree_in_databases(database, seed):
    """Rules with exceptions over several features decide the same in SQL, for individuals and for pairs."""
    for world in (random_world(seed, 40), pair_world(seed)):
        load(database, world)
        for program in random_programs(world, seed, 3):
            assert by_sql(database, program, world) == predicted(program, world)


def test_the_text_for_s_casp_has_no_aggregates(swipl, tmp_path):
    """What s(CASP) runs decides the same in SWI-Prolog; a count is refused with the engines that have one."""
    world = random_world(3, 30)
    for text in ("exists: part(X,A), long(A)", "least B of A: part(X,A), size(A,B)", "value A: age(X,A)"):
        program = of_every_value(text, world)
        assert by_prolog(swipl, tmp_path, program, world, "scasp") == predicted(program, world)
    with pytest.raises(ProgramError, match=r"s\(CASP\) has no aggregates, which this needs: count A: part\(X,A\)"):
        relational_to_prolog(of_every_value("count A: part(X,A)", world), world, "scasp")


@pytest.mark.parametrize("write", [relational_to_clingo, relational_to_prolog])
def test_texts_are_read_back(write):
    """The program comes back from the text; a clause that was changed is refused."""
    world = random_world(5, 20)
    for program in random_programs(world, 5, 5):
        text = write(program, world, facts=True)
        found = relational_from_text(text)
        assert found.program == program.program
        assert found.used.to_dict() == program.used.to_dict()
        with pytest.raises(ProgramError, match="the clauses are not those that the header describes"):
            relational_from_text(text.replace(" :- ", " :-  ", 1))


def test_numbers_beyond_32_bits():
    """Numbers that clingo cannot hold are compared by their places; a mean of them is refused."""
    world = random_world(1, 15)
    size = world.relations["size", 2]
    size.columns[1][:] = size.columns[1] * 1e12 + 1e-5
    program = of_every_value("least B of A: part(X,A), size(A,B)", world)
    assert by_clingo(program, world) == predicted(program, world)
    with pytest.raises(ProgramError, match="32 bits do not hold the numbers of size/2, argument 2"):
        relational_to_clingo(of_every_value("mean B of A: part(X,A), size(A,B)", world), world)


def test_decimals_are_exact(database, swipl, tmp_path):
    """Means and sums of decimals are equal in all engines, also at thresholds that are values."""
    world = random_world(2, 60)
    size = world.relations["size", 2]
    size.columns[1][:] = np.round(np.random.default_rng(0).normal(0, 1, len(size)), 3)
    load(database, world)
    for how in ("mean", "sum"):
        program = of_every_value(f"{how} B of A: part(X,A), size(A,B)", world)
        wanted = predicted(program, world)
        assert by_clingo(program, world) == wanted
        assert by_sql(database, program, world) == wanted
        assert by_prolog(swipl, tmp_path, program, world) == wanted


def test_numbers_are_known_by_their_tests(database):
    """Without a world, SQL takes an attribute that rules compare for a number."""
    world = random_world(1, 30)
    load(database, world)
    program = of_every_value("value A: age(X,A)", world)
    rows = database.execute(relational_to_sql(program, database.dialect)).fetchall()
    assert sorted(label for _, label in rows) == sorted(predicted(program, world))
    assert "#min" in relational_to_clingo(program)
