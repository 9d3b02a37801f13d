"""Tables of database files, connected by foreign keys."""

import sqlite3
from contextlib import closing

import pytest

from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError
from unless.relational import Relations, evaluate, parse_definition

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, age INTEGER, churn TEXT);
CREATE TABLE orders (number INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id), total DOUBLE);
CREATE TABLE items ("order" INTEGER REFERENCES orders(number), weight DOUBLE, "a ""b" TEXT);
CREATE TABLE alone (x INTEGER);
INSERT INTO customers VALUES (1, 30, 'yes'), (2, 40, 'no'), (3, 50, 'no');
INSERT INTO orders VALUES (10, 1, 5.5), (11, 1, NULL), (12, 2, 7.0);
INSERT INTO items VALUES (10, 1.0, 'u'), (10, 2.0, 'v'), (12, 3.0, 'u');
"""


@pytest.fixture(params=["sqlite", "duckdb"])
def shop(request, tmp_path):
    """A database with customers, orders and items."""
    path = tmp_path / "shop.db"
    if request.param == "sqlite":
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SCRIPT)
    else:
        with pytest.importorskip("duckdb").connect(str(path)) as connection:
            connection.execute(SCRIPT)
    return path


def test_foreign_keys_connect_tables(shop):
    """What belongs to the main table is there, also parts of parts, with the names of the tables."""
    relations = Relations.of_database(shop, "customers", target="churn")
    assert (relations.name, len(relations), list(relations.parts)) == ("customers", 3, ["orders", "items"])
    assert relations.y.tolist() == ["yes", "no", "no"]
    world = relations.world()
    for text, wanted in (
        ("count A: orders(X,A)", [2, 1, 0]),
        ("value A: customers.age(X,A)", [30, 40, 50]),
        ("exists: orders(X,A), items(A,B), items.weight(B,C), C > 1.5", [True, True, False]),
        ('exists: orders(X,A), items(A,B), "items.a \\"b"(B,v)', [True, False, False]),
    ):
        assert evaluate(world, parse_definition(text)).cells.tolist() == wanted


def test_a_database_that_does_not_fit_is_refused(shop, tmp_path):
    """The error says what is missing."""
    with pytest.raises(UnknownNameError, match="has no table 'customer'; did you mean 'customers'"):
        Relations.of_database(shop, "customer")
    with pytest.raises(ParameterError, match="alone has no single-column primary key"):
        Relations.of_database(shop, "alone")
    with pytest.raises(ReadError, match="no table has a foreign key of 'alone'"):
        Relations.of_database(shop, "alone", key="x")
    with pytest.raises(MissingFileError, match="file not found"):
        Relations.of_database(tmp_path / "none.db", "a")
    (tmp_path / "text.db").write_text("some text that is no database")
    with pytest.raises(ReadError, match="is not a SQLite or DuckDB database"):
        Relations.of_database(tmp_path / "text.db", "a")
