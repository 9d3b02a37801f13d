"""The page of a committee says what the committee decides, as Python does; the list beside it is called what it is."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import date, timedelta

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, confusion_matrix

import unless
from tests.engines import Lacking, node
from tests.explanation.test_true_sentences import MODELS, SIZES, fitted, random_records
from tests.export.conftest import lacking
from tests.report.driving import changes, decision, drawn, go_to, settled, until
from unless.estimators import UnlessCommittee
from unless.explanation.sentences import words_for
from unless.report import report, summarise
from unless.report.card import model_card
from unless.report.scripts import join_scripts
from unless.values import percent, share_text

SCRIPTS = join_scripts(["notation", "engine", "words", "points", "nearest", "committee", "contributions"])

ASK = """
function adds(program, data, record, vote) {
  const {contributions, engine} = globalThis.unless;
  const background = contributions.backgroundOf(program, engine.readRecords(data), data.contributions);
  const found = contributions.contributions(program, background, record);
  return {found, bars: contributions.bars(program, found, vote)};
}
function ask([data, row, wanted, fixed, most]) {
  const {engine, words, nearest, committee, points} = globalThis.unless;
  const program = engine.readProgram(data), record = engine.readRecords(data).record(row);
  const speech = new words.Speech(program).about(record);
  const found = [], chosen = {wanted, fixed: new Set(fixed)};
  const search = nearest.nearest(program, record, chosen);
  let complete = false;
  for (let next = search.next(); found.length < most; next = search.next()) {
    complete = next.done && next.value === true;
    if (next.done) break;
    if (next.value) found.push(next.value);
  }
  const outcome = ({record: changed, rule}) =>
    program.committee ? points.measure(committee.sureness(program, changed)) : words.ruleText(rule);
  const text = (one) => new words.Speech(program).about(one.record).changes(one.changes);
  const free = nearest.freeFeatures(program, record, chosen);
  const vote = program.committee && committee.tally(program, record);
  return {
    decided: engine.decide(program, record),
    followed: engine.follow(program, record),
    shares: vote && vote.shares,
    total: vote && vote.total,
    sentence: vote && committee.sentence(program, speech, vote, record),
    table: vote && committee.table(program, speech, record),
    adds: program.committee && adds(program, data, record, vote),
    proven: found.filter((one) => one.proven).length,
    changes: found.map((one) => `${text(one)} → ${speech.label(one.label)} (${outcome(one)})`),
    nothing: program.committee ? speech.notFound(free, wanted, complete) : speech.nothing(free, wanted),
  };
}
"""


@pytest.fixture(scope="module")
def asked():
    """A function that puts questions about records of a page to its scripts."""
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(node())
        except Lacking as what:
            lacking(what)
        yield lambda questions: engine.run(SCRIPTS + ASK, questions, "ask")


def labels_of(records: list[dict], classes: int, seed: int) -> list[str]:
    """Labels that depend on cells of every kind, some of them at random."""
    rng = np.random.default_rng(seed)
    names = ("bad", "good", "usual", "late")[:classes]
    sums = [
        int(one["count"] > 4) + int(one["day"] > "2020-01-06") + int(one["flag"]) + int(one["size"] in ("S", "3XL"))
        for one in records
    ]
    return [names[(found + int(rng.random() < 0.15)) % classes] for found in sums]


def committee(classes: int, *, seed: int = 0, size: int = 12, rows: int = 600) -> tuple[UnlessCommittee, list[dict]]:
    """A committee of random records with cells of every kind, and others, some of them with a missing cell."""
    rng = np.random.default_rng(seed)
    records = random_records(rng, rows)
    for record in records[::9]:
        record[str(rng.choice(sorted(record)))] = None
    kept = [one for one in records if None not in (one["count"], one["day"], one["flag"], one["size"])]
    model = UnlessCommittee(size=size, orders={"size": SIZES}, random_state=seed, max_rules=6, warn=False)
    model.fit(kept, labels_of(kept, classes, seed))
    others = random_records(rng, 120)
    truth = labels_of(others, classes, seed + 1)
    for record in others[::6]:
        record[str(rng.choice(sorted(record)))] = None
    return model, [{**one, "label": label} for one, label in zip(others, truth, strict=True)]


def table_of(model: UnlessCommittee, records: list[dict]) -> unless.Table:
    """Records as the page reads them, with true labels."""
    return unless.read_table(records, "label", like=model)


def imitated(classes: int) -> tuple[UnlessCommittee, list[dict], unless.Table]:
    """The same, with the table of the records: the first committee that its list does not imitate on all of them."""
    for seed in range(5, 50):
        model, records = committee(classes, seed=seed)
        table = table_of(model, records)
        if (model.predict(table) != unless.predict(model.program_, table)).any():
            return model, records, table
    raise AssertionError("every list imitates its committee on all records")


@pytest.mark.parametrize(("classes", "seed"), [(2, 0), (3, 1), (4, 2)])
def test_the_scripts_vote_as_the_committee_does(asked, classes, seed):
    """Label, points, probabilities, sentence and table of every record are those of `predict`, `explain` and so on."""
    model, records = committee(classes, seed=seed)
    table = table_of(model, records)
    page = summarise(model, table)
    answers = asked([[page.data, row, None, [], 0] for row in range(len(table))])
    labels = page.data["labels"]
    words = words_for(model.program_, model.committee_.all_rules, tables=(model.domain_, table))
    for one, label, shares, tally, listed in zip(
        answers,
        model.predict(table),
        model.predict_proba(table),
        model.explain(table),
        unless.predict(model.program_, table),
        strict=True,
    ):
        assert labels[one["decided"]["label"]] == label
        assert labels[one["followed"]["label"]] == listed
        assert np.allclose(one["shares"], shares, rtol=0, atol=1e-12)
        assert tuple(one["total"]) == tally.total
        assert f"{label}, {one['sentence']}" == tally.sentence(words).removeprefix(f"{model.program_.target} ")
        head, *rows, total, ends = one["table"]
        shown = [model.committee_.classes.index(name) for name in head[1:]]
        expected = [[name, *(f"{points[k]:,}" for k in shown)] for name, points in tally.rows(words)]
        assert [*rows, total] == expected
        assert ends[1:] == [percent(float(shares[k]), 1) for k in shown]
    assert page.committee.agreed.count == sum(one["decided"]["label"] == one["followed"]["label"] for one in answers)


@pytest.mark.parametrize(("classes", "seed", "most"), [(2, 0, 200), (3, 1, 33), (4, 2, 70)])
def test_the_scripts_compute_the_contributions_that_python_computes(asked, monkeypatch, classes, seed, most):
    """What each feature adds, compared with the same records, and the bars for the label of each record."""
    monkeypatch.setattr("unless.report.by_feature._COMPARED", most)
    monkeypatch.setattr("unless.explanation.contributions.MOST_RECORDS", most)
    model, records = committee(classes, seed=seed)
    table = table_of(model, records)
    data = summarise(model, table).data
    found = model.contributions(table, background=table)
    assert len(data["contributions"]["rows"]) == found.background == min(most, len(table))
    assert np.allclose(data["contributions"]["expected"], found.expected)
    names = [one["name"] for one in data["features"]]
    order = [names.index(name) for name in found.features]
    answers = asked([[data, row, None, [], 0] for row in range(40)])
    for row, one in enumerate(answers):
        values = np.array(one["adds"]["found"])
        assert np.allclose(values[order], found.values[row], rtol=0, atol=1e-9)
        others = [place for place in range(len(names)) if place not in order]
        assert not values[others].any()
        bars = [(names[bar["feature"]], bar["value"]) for bar in one["adds"]["bars"]]
        expected = dict(zip(found.features, found.toward_label(row).tolist(), strict=True))
        assert sorted(bars) == [(name, pytest.approx(expected[name])) for name, _ in sorted(bars)]
        assert {name for name, own in expected.items() if abs(own) >= 0.00501} <= {name for name, _ in bars}
        assert [abs(own) for _, own in bars] == sorted((abs(own) for _, own in bars), reverse=True)


@pytest.mark.parametrize(("classes", "seed"), [(2, 3), (4, 4)])
def test_the_scripts_find_the_changes_that_python_finds(asked, classes, seed):
    """What would change a committee's decision is the same, in the same order and the same words."""
    model, records = committee(classes, seed=seed)
    table = table_of(model, records[:30])
    data = summarise(model, table).data
    labels, features = data["labels"], [one["name"] for one in data["features"]]
    questions = []
    for row in range(len(table)):
        wanted = [None, *model.committee_.classes][row % (classes + 1)]
        fixed = [] if row % 3 else [features[row % len(features)]]
        questions.append((table.record(row), wanted, fixed))
    answers = asked(
        [
            [data, row, None if wanted is None else labels.index(wanted), [features.index(one) for one in fixed], 5]
            for row, (_, wanted, fixed) in enumerate(questions)
        ]
    )
    told = proven = 0
    for (record, wanted, fixed), answer in zip(questions, answers, strict=True):
        found = model.counterfactuals(record, wanted, fixed=fixed, most=5)
        words = words_for(model.program_, model.committee_.all_rules, tables=(model.domain_, table))
        assert answer["changes"] == [f"{one.text(words)} → {one.outcome}" for one in found]
        assert answer["proven"] == found.proven
        proven += found.proven
        if not found:
            assert str(found) == answer["nothing"]
        told += len(found)
    assert told > 20
    assert proven > 20


@pytest.mark.parametrize(("seed", "learner"), MODELS[:8])
def test_the_sentences_of_changes_are_those_of_python(asked, seed, learner):
    """Whole numbers, dates, times, durations, orders and flags: the page says of a list's changes what Python says.

    That these sentences are true is tested in tests/explanation/test_true_sentences.py.
    """
    model, records = fitted(seed, learner)
    table = unless.read_table(records, like=model)
    data = summarise(model, table).data
    words = words_for(model.program_, tables=(model.domain_, table))
    answers = asked([[data, row, None, [], 5] for row in range(len(table))])
    told = 0
    for record, answer in zip(records, answers, strict=True):
        found = model.counterfactuals(record, most=5)
        assert answer["changes"] == [f"{one.text(words)} → {one.outcome}" for one in found]
        told += len(found)
    assert told > 20


def test_a_whole_number_that_must_fall(asked):
    """Of 8, "above 5" holds already: the page says how far it must fall, as Python does."""
    records = [{"x": v} for v in list(range(12)) * 30]
    labels = ["good" if one["x"] > 6 else "mid" if one["x"] > 3 else "bad" for one in records]
    model = unless.UnlessClassifier(warn=False).fit(records, labels)
    table = unless.read_table([{"x": v} for v in range(12)], like=model)
    answers = asked([[summarise(model, table).data, row, None, [], 5] for row in range(12)])
    assert [one["changes"] for one in answers] == [
        [str(found) for found in model.counterfactuals({"x": value}, most=5)] for value in range(12)
    ]
    assert answers[8]["changes"][0] == "x above 3 and at most 6 → mid (rule 1)"


@pytest.fixture(scope="module")
def two():
    """A committee of two labels that its list does not imitate everywhere, records, their table, and the page."""
    model, records, table = imitated(2)
    return model, records, table, summarise(model, table)


class TestFigures:
    """What the page counts is what the committee decides."""

    def test_quality(self, two):
        """Accuracy, confusion and curves are those of `predict` and `predict_proba`."""
        model, records, table, page = two
        truth, given = [one["label"] for one in records], model.predict(table)
        assert page.quality.accuracy == pytest.approx(accuracy_score(truth, given))
        counts = confusion_matrix(truth, given, labels=list(model.classes_))
        assert [list(row[:2]) for row in page.data["confusion"]] == counts.tolist()
        share = model.predict_proba(table)[:, 1]
        assert page.curves.brier == pytest.approx(brier_score_loss(truth, share, pos_label=model.classes_[1]))
        assert sum(page.data["curves"]["positives"]) == truth.count(model.classes_[1])

    def test_groups(self, two):
        """Groups count what the committee decides."""
        model, records, table, page = two
        given = model.predict(table)
        column = next(one for one in page.groups.columns if one.column.shown == "city")
        for group in column.groups:
            own = [k for k, one in enumerate(records) if (one["city"] or "missing") == group.name]
            assert group.records == len(own) > 0
            for label in page.groups.labels:
                assert group.given(label) == sum(given[k] == label for k in own)

    def test_the_list_is_compared_with_the_committee(self, two):
        """Each rule of the list is judged by the committee's decisions, and nothing says what to expect of it."""
        model, _, table, page = two
        agreed = model.predict(table) == unless.predict(model.program_, table)
        assert 0 < page.committee.agreed.count == int(agreed.sum()) < len(table)
        assert sum(rule.right for rule in page.rules) == page.committee.agreed.count
        assert all(rule.expected_precision is None and rule.trained is None for rule in page.rules)
        assert page.flow == ()
        assert page.leading is None
        assert (page.weak.rules, page.weak.idle, page.weak.few, page.weak.by_default) == ((), (), (), 0)

    def test_features_are_shuffled_for_the_committee(self, two):
        """Every feature that a list tests is there, with the share of lists that test it."""
        model, _, _, page = two
        assert {one.name.shown for one in page.features} == set(model.committee_.used)
        for one in page.features:
            tested = [one.name.shown in program.used for program in model.lists_]
            assert one.share == pytest.approx(np.mean(tested))

    def test_without_truth(self, two):
        """Without true labels there is no quality, and the list is still compared with the committee."""
        model, records, _, _ = two
        table = unless.read_table([{k: v for k, v in one.items() if k != "label"} for one in records], like=model)
        page = summarise(model, table)
        assert page.quality is None
        assert page.committee.right is None
        assert sum(rule.right for rule in page.rules) == page.committee.agreed.count


class TestPage:
    """In a browser."""

    @pytest.fixture
    def made(self, tmp_path, open_page):
        """A committee, its table, and its page at the first record."""
        model, _, table = imitated(3)
        report(model, table, tmp_path / "committee.html")
        page = open_page(tmp_path / "committee.html")
        settled(page)
        return model, table, page

    def test_every_decision_is_the_committees(self, made):
        """The table of records has the committee's labels, marks where the list differs, and filters by it."""
        model, table, page = made
        given, listed = model.predict(table), unless.predict(model.program_, table)
        texts = page.evaluate(
            """() => [...Array(unless.page.records.shown).keys()].map((row) => {
              const record = unless.page.records.record(row);
              return unless.page.program.texts[unless.decide(record).label];
            })"""
        )
        assert texts == given.tolist()
        heads = page.locator("#rec-head button").all_inner_texts()
        decided, beside = heads.index("decision"), heads.index("the list says")
        rows = page.locator("#rec-body tr").all()
        assert len(rows) == 25
        for place, row in enumerate(rows):
            cells = row.locator("th, td").all_inner_texts()
            assert cells[decided] == given[place]
            assert cells[beside].split()[0] == listed[place]
            assert ("differs" in cells[beside]) == (given[place] != listed[place])
        page.get_by_label("where the list differs").check()
        drawn(page)
        differing = int((given != listed).sum())
        assert page.locator("#rec-caption").inner_text().startswith(f"{differing} of ")
        assert (
            f"agrees with the committee on {len(table) - differing} of {len(table)}"
            in page.locator("#rules .intro").inner_text()
        )

    def test_what_if_is_the_committees(self, made):
        """What if shows the committee's label and probability, and what the list says beside it."""
        model, table, page = made
        given, listed = model.predict(table), unless.predict(model.program_, table)
        differs = int(np.flatnonzero(given != listed)[0])
        for row in (0, differs):
            go_to(page, row + 1)
            settled(page)
            assert decision(page) == given[row]
            share = share_text(float(model.predict_proba(table[[row]]).max()))
            assert f"the committee, probability {share}" in page.locator("#wi-decision").inner_text()
            beside = page.locator("#wi-imitation").inner_text()
            assert listed[row] in beside
            assert ("differs" in beside) == (row == differs)
            found = model.counterfactuals(table.record(row))
            assert [one.split(" → ")[1] for one in changes(page)] == [one.outcome for one in found]

    def test_a_change_of_values_votes_again(self, made):
        """A proposed change leads where it says."""
        _, _, page = made
        before = decision(page)
        wanted, share = changes(page)[0].split(" → ")[1].removesuffix(")").split(" (")
        page.locator("#wi-nearest button").first.click()
        settled(page)
        assert decision(page) == wanted != before
        assert share in page.locator("#wi-decision").inner_text()

    def test_nothing_can_be_edited(self, made):
        """A list that decides nothing is not offered for editing, and there is no flow of records."""
        _, _, page = made
        assert page.locator("#edit, #edit-bar, #flow").count() == 0
        assert page.get_by_role("button", name="Edit the rules").count() == 0
        assert "It decides nothing" in page.locator("#rules .intro").inner_text()
        page.locator("#rules .rule-more summary").first.click()
        page.locator("#rules .rule-copy").first.wait_for()

    def test_the_points(self, made):
        """The points of the lists add up to the total."""
        _, _, page = made
        page.locator("#wi-points summary").click()
        drawn(page)
        cells = [row.locator("td").all_inner_texts() for row in page.locator("#wi-points tr").all()][1:]
        numbers = [[int(cell.replace(",", "")) for cell in row] for row in cells[:-1]]
        assert [sum(column) for column in zip(*numbers[:-1], strict=True)] == numbers[-1]

    def test_accessible(self, made, axe):
        """Tools for accessibility find nothing wrong."""
        _, _, page = made
        assert axe(page) == []

    def test_links(self, made):
        """Counts lead to their records: those where both agree, and those where a rule of the list differs."""
        model, table, page = made
        page.locator("#committee a.to").click()
        until(page, "location.hash === '#records?agrees'")
        drawn(page)
        agreed = int((model.predict(table) == unless.predict(model.program_, table)).sum())
        assert page.locator("#rec-caption").inner_text().startswith(f"{agreed} of ")


def test_thousands_of_rules_open_at_once(tmp_path, open_page):
    """A page with thousands of rules is a few hundred bytes for each at most, and decides in milliseconds."""
    rng = np.random.default_rng(0)
    rows = [{f"x{k}": int(v) for k, v in enumerate(rng.integers(0, 16, 6))} for _ in range(1500)]
    labels = [chr(65 + (one["x0"] * 3 + one["x1"] * 2 + int(rng.integers(0, 2))) // 3 % 12) for one in rows]
    model = UnlessCommittee(size=40, random_state=0, warn=False).fit(rows, labels)
    rules = model.committee_.rule_count
    assert rules > 4000
    report(model, unless.read_table(rows[:200], like=model), tmp_path / "large.html")
    size = (tmp_path / "large.html").stat().st_size
    assert size < 400_000 + 200 * rules
    page = open_page(tmp_path / "large.html")
    settled(page)
    spent = page.evaluate(
        """() => {
          const start = performance.now();
          for (let row = 0; row < 100; row++) unless.decide(unless.page.records.record(row));
          return performance.now() - start;
        }"""
    )
    assert spent < 100 * 50


def test_dates_and_missing_cells(asked):
    """Where training had dates, dates and missing cells are decided as in Python."""
    first = date(2021, 1, 1)
    rows = [{"day": (first + timedelta(days=k % 40)).isoformat(), "n": k % 7} for k in range(400)]
    model = UnlessCommittee(size=5, random_state=0, warn=False).fit(
        rows, ["late" if one["day"] > "2021-01-20" and one["n"] > 2 else "early" for one in rows]
    )
    records = [{"day": day, "n": n} for day in ("2021-01-25", None) for n in (0, 5, None)]
    table = unless.read_table(records, like=model)
    data = summarise(model, table).data
    answers = asked([[data, row, None, [], 0] for row in range(len(table))])
    assert [data["labels"][one["decided"]["label"]] for one in answers] == model.predict(table).tolist()


def test_the_page_and_the_card_say_what_each_feature_does(two):
    """Importances, curves, heat maps and findings are those of `effects`; a page without points has none."""
    model, _, table, page = two
    view, found = page.effects(), model.effects(table)
    assert [one.text for one in view.features] == [
        f"{mean:.2f}" for mean in found.importances.features.values() if mean >= 0.005
    ]
    assert [name for name, _ in view.columns[0].curves] == [curve.feature for curve in found.curves]
    assert len(view.columns[0].pairs) == len(found.strongest_pairs)
    assert view.findings == tuple(map(str, found.findings))
    card = model_card(model.model_, table)
    assert card.effects.records == found.importances.records
    assert [name for name, _ in card.effects.features] == [
        name for name, mean in found.importances.features.items() if mean >= 0.005
    ]
    assert "What each feature does" in str(card)
    assert card.to_dict()["effects"]["features"][0]["name"] == card.effects.features[0][0]
    assert summarise(model.program_, table).effects() is None
    assert model_card(model.model_).effects is None


class TestReadingOrder:
    """The list first, then what each feature does, then the votes."""

    def test_sections(self, tmp_path, open_page):
        """Bars of a record are shown, and the votes are folded; both change with the record."""
        model, _, table = imitated(2)
        report(model, table, tmp_path / "committee.html")
        page = open_page(tmp_path / "committee.html", width=390)
        settled(page)
        order = page.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)")
        assert order[:3] == ["rules", "by-feature", "quality"]
        found = model.contributions(table[:1], background=table)
        expected = [f"{own:+.2f}" for _, own in found.bars(0)]
        assert page.locator("#wi-bars .wi-adds-value").all_inner_texts() == expected
        assert not page.locator("#wi-proof").is_visible()
        page.locator("#wi-votes summary").click()
        assert "prefer it to" in page.locator("#wi-proof").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
