"""Classifiers that learn from several tables."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, Part, Relations, UnlessClassifier, UnlessCommittee
from unless.errors import ParameterError, ProgramError


def shop(seed: int = 0, count: int = 300) -> tuple[Relations, np.ndarray]:
    """Customers with orders: who has a large order by web churns, except the old."""
    rng = np.random.default_rng(seed)
    main = pl.DataFrame({"id": range(count), "age": rng.integers(18, 80, count), "plan": rng.choice(list("ab"), count)})
    size = 8 * count
    part = pl.DataFrame(
        {
            "order": range(size),
            "customer": rng.integers(0, count, size),
            "total": rng.integers(1, 100, size),
            "kind": rng.choice(["web", "shop", "phone"], size),
        }
    )
    large = part.filter((pl.col("total") > 70) & (pl.col("kind") == "web"))["customer"].unique()
    churns = np.isin(np.arange(count), large.to_numpy()) & (main["age"].to_numpy() <= 60)
    relations = Relations(main, "id", {"orders": Part(part, "customer", "order")}, name="customer")
    return relations, np.where(churns, "churn", "stay")


@pytest.mark.parametrize(
    "make", [UnlessClassifier, FoldRMClassifier, FoldRPPClassifier, lambda **more: UnlessCommittee(size=5, **more)]
)
def test_every_classifier_learns_from_relations(make, tmp_path):
    """The concept is found; files, pickles and copies decide other customers alike."""
    relations, y = shop()
    other, truth = shop(1)
    model = make(warn=False).fit(relations, y)
    assert model.score(other, truth) > 0.95
    model.save(tmp_path / "model.json")
    for again in (unless.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert again.predict(other).tolist() == model.predict(other).tolist()
        assert again.predict_proba(other) == pytest.approx(model.predict_proba(other))


def test_scikit_learn_splits_relations():
    """Cross-validation, grids and splitters take relations like any table."""
    relations, y = shop()
    assert cross_val_score(UnlessClassifier(warn=False), relations, y, cv=3).min() > 0.9
    grid = GridSearchCV(UnlessClassifier(warn=False), {"ratio": [0.5, 0.75]}, cv=2).fit(relations, y)
    assert grid.best_score_ > 0.9
    train, test, y_train, y_test = train_test_split(relations, y, random_state=0)
    assert (len(train), len(test)) == (225, 75)
    assert clone(UnlessClassifier(warn=False)).fit(train, y_train).score(test, y_test) > 0.9


def test_the_model_has_only_features_that_rules_test():
    """New customers need only what decides; own columns have their names."""
    relations, y = shop()
    model = UnlessClassifier(warn=False).fit(relations, y)
    assert model.program_.features == model.program_.used == tuple(model.model_.relations.definitions)
    assert "age" in model.program_.features
    assert not any(literal.op == "!=" for rule in model.program_ for literal in rule.literals())
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert "exists: orders(X,A)" in str(model)
    assert model.explain(relations[:1]).label == model.predict(relations[:1])[0]


def test_weights_and_labels_of_the_main_table():
    """Rows of weight 0 do not count, and a target of the main table is y."""
    relations, y = shop()
    labelled = Relations(
        relations.main.with_columns(churn=pl.Series(y)), "id", relations.parts, target="churn", name="customer"
    )
    weights = (np.arange(300) < 200).astype(float)
    weighted = UnlessClassifier(warn=False).fit(labelled, sample_weight=weights)
    assert weighted.program_ == UnlessClassifier(warn=False).fit(labelled[:200]).program_
    assert weighted.score(labelled) > 0.95
    assert weighted.program_.target == "churn"


def test_what_is_no_relations_is_refused():
    """A model of several tables takes no single one, and the other way round."""
    relations, y = shop()
    model = UnlessClassifier(warn=False).fit(relations, y)
    with pytest.raises(
        ParameterError, match=r"learned from several tables, and this is a DataFrame; give unless.Relations"
    ):
        model.predict(relations.main)
    with pytest.raises(ParameterError, match="learned from one table"):
        UnlessClassifier(warn=False).fit(relations.main, y).predict(relations)
    with pytest.raises(ParameterError, match="0 sample"):
        model.fit(relations[[]], [])


def test_a_file_without_a_definition_is_refused(tmp_path):
    """The error names the feature."""
    relations, y = shop()
    path = tmp_path / "model.json"
    UnlessClassifier(warn=False).fit(relations, y).save(path)
    path.write_text(path.read_text().replace('"value A: customer.age(X,A)"', '"value A:"'))
    with pytest.raises(ProgramError, match="not a definition"):
        unless.load(path)


def test_numbers_that_come_as_text_are_read_as_in_training():
    """Columns of new tables are read like those of training."""
    relations, y = shop()
    model = UnlessClassifier(warn=False).fit(relations, y)
    part = relations.parts["orders"]
    texts = Part(part.table.with_columns(pl.col("total").cast(pl.String)), "customer", "order")
    other = Relations(relations.main, "id", {"orders": texts}, name="customer")
    assert model.predict(other).tolist() == model.predict(relations).tolist()
