"""A model in DuckDB: decide where the data is

After this example you can turn a model into SQL, let a database decide every row, and be sure that it decides what
Python does: labels, probabilities and reasons. It needs the extra ``sql``.
"""

import duckdb
import polars as pl

from unless import UnlessClassifier
from unless.demo.applicants import applicants
from unless.export import to_query, to_sql

people = pl.DataFrame(applicants(), infer_schema_length=None, strict=False)
features = ["age", "income", "employed", "history", "guarantor", "amount"]
model = UnlessClassifier().fit(people[features], people["decision"])

print("The model as one expression, for any query or view:\n")
print(to_sql(model, "duckdb"))

with duckdb.connect() as database:
    database.register("people", people)
    database.execute(f"CREATE TABLE decided AS {to_query(model, 'people', 'duckdb')}")
    print("\nA table with the decision of every row. How often each rule decides, and how often it is right:\n")
    counted = """
        SELECT rule, predicted, count(*) AS records, round(avg((predicted = decision)::int), 3) AS "right"
        FROM decided GROUP BY ALL ORDER BY rule
    """
    for row in database.execute(counted).fetchall():
        print("  rule {}: {} {:>5} records, {:.3f} right".format(*row))
    print("\nReasons are columns, too:\n")
    for applicant, because in database.execute(
        "SELECT applicant, because FROM decided WHERE predicted = 'refuse' ORDER BY applicant LIMIT 3"
    ).fetchall():
        print(f"  {applicant}: {because}")
    given = [label for (label,) in database.execute("SELECT predicted FROM decided ORDER BY applicant").fetchall()]

ordered = people.sort("applicant")
same = sum(one == other for one, other in zip(given, model.predict(ordered[features]), strict=True))
print(f"\nDuckDB and Python agree on {same} of {len(given)} records.")
