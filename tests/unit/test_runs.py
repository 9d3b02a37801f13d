"""Runs of the benchmarks: they are kept, compared and shown. No test here depends on how fast anything is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from benchmarks import __main__ as bench
from benchmarks import compare, history, runs
from benchmarks.report import Section, merged, page

DATA = [f"d{number}" for number in range(12)]


def run(fit, **conditions):
    """A run of one section."""
    known = {"date": "2026-01-02T03:04:05+00:00", "commit": "abc1234", "machine": {"cpu": "C", "cores": 2}}
    versions = {"unless": "1", "python": "3.11", "numpy": "2"}
    return runs.Run(
        **known | {"versions": versions, "clock": "wall", "others": 0.0, "seconds": {"Fit": fit}} | conditions
    )


def lines(ours=1.0, peer=10.0, slow=()):
    """What we and a peer took, and longer on some lines."""
    return {name: {"unless": ours * (2 if name in slow else 1), "tree": peer} for name in DATA}


class TestCompare:
    """Two runs."""

    def test_a_slower_machine_is_no_change(self):
        """If all take thrice as long, nothing has changed but the machine."""
        found = compare.compare(run(lines()), run(lines(3.0, 30.0)))
        assert found.mean == pytest.approx(1)
        assert found.machine == pytest.approx(3)
        assert found.slower == ()

    def test_what_became_slower_is_flagged(self):
        """A line that takes twice as long beside peers that do not is flagged, and named in the text."""
        found = compare.compare(run(lines()), run(lines(3.0, 30.0, slow=["d4"])))
        assert [one.line for one in found.slower] == ["d4"]
        assert found.slower[0].factor == pytest.approx(2)
        assert found.mean == pytest.approx(2 ** (1 / 12))
        assert "| d4 | 1 s | 6 s | ×2 | **slower** |" in found.text()
        assert "Slower beyond it: 1 of 12." in found.text()

    def test_noise_is_what_the_peers_vary_by(self):
        """Where unchanged peers vary much, a tenth more says nothing; where they do not vary, a fifth does."""
        drawn = random.Random(1)
        noisy = {
            name: {"unless": 1.15 * one["unless"], "tree": 10 * drawn.uniform(0.7, 1.4)}
            for name, one in lines().items()
        }
        assert compare.compare(run(lines()), run(noisy)).noise > 0.3
        calm = compare.compare(run(lines()), run(lines(1.2)))
        assert calm.noise == compare.LEAST
        assert len(calm.slower) == len(DATA)

    def test_a_line_without_peers_is_compared_with_the_machine(self):
        """Our time alone is seen against what the peers of other lines took."""
        old = run(lines(), seconds={"Fit": lines(), "Growth": {"10 rows": {"unless": 1.0}}})
        new = replace(old, seconds={"Fit": lines(2.0, 20.0), "Growth": {"10 rows": {"unless": 2.0}}})
        (growth,) = [one for one in compare.compare(old, new).changes if one.section == "Growth"]
        assert growth.factor == pytest.approx(1)

    def test_only_what_both_have_is_compared(self):
        """Lines that one run lacks are left out; without any there is nothing to compare."""
        few = {"d1": {"unless": 1.0, "tree": 10.0}}
        assert [one.line for one in compare.compare(run(lines()), run(few)).changes] == ["d1"]
        with pytest.raises(SystemExit, match="no line in common"):
            compare.compare(run(few), run({"x": {"unless": 1.0}}))

    def test_conditions_that_differ_are_told(self):
        """Another clock, other versions and a busy machine are remarks."""
        new = run(lines(), clock="cpu", others=1.5, versions={"unless": "2", "python": "3.11", "numpy": "3"})
        text = compare.compare(run(lines()), new).text()
        assert "The clocks differ: wall before, cpu now." in text
        assert "Not of the same version: numpy." in text
        assert "Other processes took 1.5 cores now" in text

    def test_the_command(self, tmp_path, capsys, monkeypatch):
        """It takes files or names, exits with 1 if something became slower, and names the runs that there are."""
        monkeypatch.setattr(runs, "FOLDER", tmp_path)
        old = run(lines()).save(tmp_path)
        new = replace(run(lines(slow=["d1"])), commit="def5678").save(tmp_path)
        assert compare.main([str(old), str(old)]) == 0
        assert compare.main([old.stem, new.name]) == 1
        assert "**slower**" in capsys.readouterr().out
        with pytest.raises(SystemExit, match="there are: 2026-01-02T0304-abc1234, 2026-01-02T0304-def5678"):
            compare.main(["other", str(new)])
        with pytest.raises(SystemExit, match="two runs are compared"):
            compare.main([str(old)])


class TestHistory:
    """The page of runs."""

    def test_a_run_comes_back(self, tmp_path):
        """What is written is read, with the machine and the commit."""
        kept = runs.now([Section("Fit", "How.", seconds=lines(1 / 3)), Section("Other", "How.")], 0.123456)
        path = kept.save(tmp_path)
        assert runs.stored(tmp_path) == [runs.load(path)] == [kept]
        assert kept.seconds["Fit"]["d1"] == {"unless": 0.3333, "tree": 10.0}
        assert "Other" not in kept.seconds
        assert set(kept.machine) == {"system", "cores", "cpu"}

    def test_means_are_over_the_lines_of_a_run(self):
        """Each run has the geometric mean of the peers' time over ours, the last run first; a busy machine is told."""
        text = history.page(
            [run(lines(), commit="a"), run(lines(0.5), commit="b", others=1.0, seconds={"New": lines(0.5)})]
        )
        assert text.index("T0304-b") < text.index("T0304-a")
        assert "| 2026-01-02T0304-a | ×10 (12) |" in text
        assert "| 2026-01-02T0304-b | ×20 (12) |" in text
        assert "| 2026-01-02T0304-b | – |" in text
        assert "**1.00 cores: busy**" in text

    def test_the_page_is_of_the_committed_runs(self):
        """docs/history.md is what the runs give, and there is one."""
        assert runs.stored()
        assert history.PAGE.read_text("utf-8") == history.page(runs.stored()), "python -m benchmarks.history"


def test_a_part_can_be_put_into_the_page():
    """A section takes the place of the one with its title, or comes first; the others stay as they are."""
    first, second = Section("One", "How.", ["data"], [["wine"]]), Section("Two", "How.", ["data"], [["iris"]])
    text = page([first, second])
    changed = merged(text, [Section("One", "Better.", ["data"], [["glass"]])], others=1.0)
    assert "wine" not in changed
    assert changed.index("| glass |") < changed.index("## Two") < changed.index("| iris |")
    assert "Measured later than the rest of this page." in changed
    assert "Other processes took 1.00 cores meanwhile" in changed
    more = merged(text, [Section("Three", "How.")], None)
    assert more.index("## Three") < more.index("## One") < more.index("## Two")


def test_a_quick_run_is_kept(tmp_path, monkeypatch, capsys):
    """A quick run writes its JSON with the note, prints, and leaves the page alone."""
    monkeypatch.setattr(bench, "_QUICKLY", ("import",))
    text = bench.main(["--quick", "--note", "busy", "--history", str(tmp_path)])
    assert text in capsys.readouterr().out
    (kept,) = runs.stored(tmp_path)
    assert kept.note == "quick. busy"
    assert set(kept.seconds["Import"]["import"]) == {"unless", "numpy"}
