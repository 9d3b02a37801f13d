"""Several tables with keys, as facts."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from unless import Part, Relations, fold_unless, predict
from unless.errors import ParameterError, ReadError, UnknownNameError, UnlessWarning
from unless.relational import SearchSettings, evaluate, find_features, parse_definition
from unless.table import Labels


def customers(count: int = 60) -> pl.DataFrame:
    """Customers with an age, a city and the day when they signed up."""
    rng = np.random.default_rng(0)
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(one)) for one in rng.integers(0, 300, count)]
    cities = np.array(["Oslo", "Bergen"])[rng.integers(0, 2, count)]
    return pl.DataFrame({"id": range(count), "age": rng.integers(18, 80, count), "city": cities, "decided": days})


def orders(count: int = 400, owners: int = 60) -> pl.DataFrame:
    """Orders with totals, some missing, a kind, and a day."""
    rng = np.random.default_rng(1)
    totals = [None if one % 17 == 0 else round(float(total), 2) for one, total in enumerate(rng.gamma(2, 20, count))]
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(one)) for one in rng.integers(0, 300, count)]
    return pl.DataFrame(
        {
            "order": range(1000, 1000 + count),
            "customer": rng.integers(0, owners, count),
            "total": totals,
            "kind": np.array(["web", "shop", "phone"])[rng.integers(0, 3, count)],
            "paid": rng.random(count) < 0.5,
            "day": days,
        }
    )


def items(count: int = 900) -> pl.DataFrame:
    """Items of orders."""
    rng = np.random.default_rng(2)
    return pl.DataFrame({"order": rng.integers(1000, 1400, count), "weight": rng.integers(1, 9, count)})


def shop(**more: object) -> Relations:
    """Customers with orders, which have items."""
    parts = {
        "orders": Part(orders(), link="customer", key="order", time="day"),
        "items": Part(items(), "order", parent="orders"),
    }
    return Relations(customers(), "id", parts, name="customer", until="decided", **more)


def values(relations: Relations, text: str) -> list[object]:
    """What a definition is for each individual."""
    cells = evaluate(relations.world(), parse_definition(text)).cells
    return [None if isinstance(cell, float) and np.isnan(cell) else cell for cell in cells.tolist()]


def seen() -> pl.DataFrame:
    """The orders that happened before their customers' decisions."""
    found = orders().join(customers(), left_on="customer", right_on="id").filter(pl.col("day") <= pl.col("decided"))
    return found.with_columns(days=(pl.col("decided") - pl.col("day")).dt.total_days())


def per_customer(grouped: pl.DataFrame, column: str, otherwise: object) -> list[object]:
    """A column by customer."""
    known = dict(zip(grouped["customer"], grouped[column], strict=True))
    return [known.get(one, otherwise) for one in range(60)]


def test_features_of_tables_are_what_grouping_gives():
    """Counts, sums, conditions and items of items are those of polars, and later orders are not seen."""
    grouped = (
        seen()
        .group_by("customer")
        .agg(
            number=pl.len().cast(pl.Float64),
            most=pl.col("total").max(),
            all=pl.col("total").sum(),
            some=((pl.col("total") > 50) & (pl.col("kind") == "web")).any(),
            last=pl.col("days").min().cast(pl.Float64),
        )
    )
    relations = shop()
    assert values(relations, "count A: orders(X,A)") == per_customer(grouped, "number", 0.0)
    greatest = values(relations, "greatest B of A: orders(X,A), orders.total(A,B)")
    assert greatest == per_customer(grouped, "most", None)
    some = values(relations, "exists: orders(X,A), orders.total(A,B), B > 50, orders.kind(A,web)")
    assert some == per_customer(grouped, "some", False)
    last = values(relations, 'least B of A: orders(X,A), "orders.days before"(A,B)')
    assert last == per_customer(grouped, "last", None)
    heavy = seen().join(items(), on="order").group_by("customer").agg(heavy=(pl.col("weight") > 7).any())
    deep = values(relations, "exists: orders(X,A), items(A,B), items.weight(B,C), C > 7")
    assert deep == per_customer(heavy, "heavy", False)


def test_the_most_recent_part_is_known():
    """The latest value is that of the last order before the decision."""
    found = seen().sort("day", "kind").group_by("customer", maintain_order=True).agg(kind=pl.col("kind").last())
    relations = shop()
    world = relations.world()
    column = evaluate(world, parse_definition("latest B by C of A: orders(X,A), orders.kind(A,B), orders.day(A,C)"))
    texts = [None if code < 0 else world.names["orders.kind"][code] for code in column.cells]
    assert texts == per_customer(found, "kind", None)


def test_keys_links_and_moments_are_never_features():
    """No feature mentions a key, a link, the moment of the individual, or conditions on the time of a part."""
    relations = shop()
    labels = [
        "yes" if one else "no" for one in values(relations, "exists: orders(X,A), orders.kind(A,web), orders.paid(A,1)")
    ]
    found = find_features(relations.world(), Labels.of("label", labels), fold_unless)
    assert len(found.features.definitions) > 20
    for name, one in found.features.definitions.items():
        assert not {goal.name for goal in one.goals} & {
            "customer.id",
            "customer.decided",
            "orders.order",
            "items.order",
        }
        assert "orders.day(" not in name or one.how == "latest"
    assert {"age", "city"} <= set(found.features.definitions)


def test_what_happens_later_changes_nothing():
    """Orders after the decision may be anything."""
    later = seen()["order"].to_list()
    changed = orders().with_columns(
        total=pl.when(pl.col("order").is_in(later)).then(pl.col("total")).otherwise(pl.lit(9999.0))
    )
    other = Relations(customers(), "id", {"orders": Part(changed, "customer", "order", time="day")}, until="decided")
    mine = Relations(customers(), "id", {"orders": Part(orders(), "customer", "order", time="day")}, until="decided")
    for text in ("count A: orders(X,A)", "sum B of A: orders(X,A), orders.total(A,B)"):
        assert values(mine, text) == values(other, text)


@pytest.mark.parametrize("missing", ["time", "until"])
def test_a_table_with_dates_gets_a_warning(missing):
    """Without time or until, parts may come from the future."""
    part = Part(orders(), "customer", "order", time=None if missing == "time" else "day")
    relations = Relations(customers(), "id", {"orders": part}, until="decided" if missing == "time" else None)
    with pytest.warns(UnlessWarning, match="orders has the time 'day'"):
        relations.world()


def test_selections_have_their_parts():
    """A selection of individuals is what they are in the whole, also twice and in another order."""
    relations = shop()
    text = "count A: orders(X,A), orders.kind(A,web)"
    whole = values(relations, text)
    for rows in ([3, 1, 1], slice(10, 20), np.arange(60) % 2 == 0, []):
        picked = relations[rows]
        wanted = np.array(whole)[rows].tolist() if len(picked) else []
        assert len(picked) == len(wanted) == picked.shape[0]
        assert values(picked, text) == wanted
        assert list(picked.names()) == np.arange(60)[rows if len(picked) else []].astype(str).tolist()
    assert values(pickle.loads(pickle.dumps(relations))[:3], text) == whole[:3]


def test_tables_of_all_kinds_are_the_same(tmp_path):
    """Frames of pandas, polars and Arrow, relations of DuckDB and files give the same facts."""
    duckdb = pytest.importorskip("duckdb")
    main, part = customers().drop("decided"), orders().drop("day")
    main.write_csv(tmp_path / "customers.csv")
    part.write_parquet(tmp_path / "orders.parquet")
    folder = {"main": duckdb.sql("select * from main"), "part": duckdb.sql("select * from part")}
    text = "sum B of A: orders(X,A), orders.total(A,B), orders.kind(A,web)"
    wanted = values(Relations(main, "id", {"orders": Part(part, "customer")}), text)
    for one, other in [
        (main.to_pandas(), part.to_pandas()),
        (main.to_arrow(), part.to_arrow()),
        (folder["main"], folder["part"]),
        (tmp_path / "customers.csv", str(tmp_path / "orders.parquet")),
        (main.lazy(), part),
    ]:
        assert values(Relations(one, "id", {"orders": Part(other, "customer")}), text) == wanted


def test_keys_of_other_types_are_matched_by_their_texts():
    """A link of texts finds a key of numbers."""
    part = orders().with_columns(customer=pl.col("customer").cast(pl.String)).drop("day")
    text = "count A: orders(X,A)"
    wanted = values(Relations(customers(), "id", {"orders": Part(orders().drop("day"), "customer")}), text)
    assert values(Relations(customers(), "id", {"orders": Part(part, "customer")}), text) == wanted


REFUSED = [
    (lambda: Relations(customers(), "id", {}), "no tables of parts"),
    (lambda: Relations(customers(), "name", {"orders": Part(orders(), "customer")}), "record has no column 'name'"),
    (lambda: Relations(customers(), "age", {"orders": Part(orders(), "customer")}), "in two rows, so it is not a key"),
    (lambda: Relations(customers(), "id", {"orders": Part(orders(), "custmer")}), "did you mean 'customer'"),
    (lambda: Relations(customers(), "id", {"orders": Part(orders(), "customer", key="total")}), "without total; a key"),
    (lambda: Relations(customers(), "id", {"orders": Part(orders(), "customer", key="kind")}), "not a key of orders"),
    (lambda: Relations(customers(), "id", {"orders": orders()}), r"write Part\(table"),
    (lambda: Relations(customers(), "id", {"a.b": Part(orders(), "customer")}), "without dots"),
    (lambda: Relations(customers(), "id", {"items": Part(items(), "order", parent="order")}), "no table 'order'"),
    (
        lambda: Relations(
            customers(), "id", {"a": Part(orders(), "customer"), "b": Part(items(), "order", parent="a")}
        ),
        "no key",
    ),
    (
        lambda: Relations(customers(), "id", {"a": Part(orders(), "order", "order", parent="a")}),
        "a belongs to a; one must",
    ),
    (lambda: Relations(3, "id", {"orders": Part(orders(), "customer")}), "record is a int"),
    (lambda: Relations(customers(), "id", {"orders": Part(orders(), "order")}).world(), "is a key of record"),
    (
        lambda: Relations(customers(), "id", {"orders": Part(orders(), "customer", time="kind")}).world(),
        "contains no times",
    ),
    (lambda: shop().y, "have no labels"),
]


@pytest.mark.filterwarnings("ignore:orders has the time")
@pytest.mark.parametrize(("make", "problem"), REFUSED, ids=[problem for _, problem in REFUSED])
def test_tables_that_do_not_fit_are_refused(make, problem):
    """The error says what is wrong and what to do."""
    with pytest.raises((ParameterError, ReadError, UnknownNameError), match=problem):
        make()


def test_the_search_looks_at_some_individuals_where_all_are_too_many():
    """With many parts the search takes a sample, which does not depend on orders; its features are those of all."""
    rng = np.random.default_rng(0)
    main = pd.DataFrame({"id": range(500), "age": rng.integers(18, 80, 500)})
    part = pd.DataFrame(
        {
            "owner": rng.integers(0, 500, 5000),
            "total": rng.normal(size=5000).round(2),
            "kind": rng.choice(list("abc"), 5000),
        }
    )
    text = "exists: orders(X,A), orders.total(A,B), B > 1.5, orders.kind(A,a)"
    settings = SearchSettings(rows=2000)
    programs = []
    for seed in range(2):
        order, other = (np.random.default_rng(seed).permutation(count) for count in (500, 5000))
        relations = Relations(main.iloc[order], "id", {"orders": Part(part.iloc[other], "owner")})
        labels = ["yes" if one else "no" for one in values(relations, text)]
        found = find_features(relations.world(), Labels.of("label", labels), fold_unless, settings)
        assert "the search looked at" in found.left_out[0]
        assert len(found.table) == 500
        programs.append(fold_unless(found.table))
        assert (predict(programs[-1], found.table) == np.array(labels)).mean() > 0.97
    assert programs[0] == programs[1]
