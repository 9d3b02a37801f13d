"""Loan decisions: missing cells, reasons, and what would change them

After this example you can learn rules from a table with gaps, say why an applicant is refused, and tell them the
smallest change that would help. The applicants are invented; three in ten have an empty cell.
"""

import pandas as pd

from unless import UnlessClassifier
from unless.demo.applicants import applicants

people = pd.DataFrame(applicants()).drop(columns="applicant")  # a number for each applicant teaches nothing
decisions = people.pop("decision")
print(f"{len(people)} applicants; missing cells: {people.isna().sum()[lambda gaps: gaps > 0].to_dict()}")

known, later = slice(0, 600), slice(600, 900)
model = UnlessClassifier().fit(people[known], decisions[known])
print("\nThe rules, and how many applicants each has decided:\n")
print(model)
print(f"\nOn {len(people[later])} later applicants it is right for {model.score(people[later], decisions[later]):.0%}.")

refused = people[later][model.apply(people[later]) == 0]
applicant = refused.iloc[0]
print("\nWhy is this one refused?\n")
print(model.explain(applicant).story())

print("\nWhat would change it? History cannot be changed, and nobody waits for a loan to grow older:\n")
for change in model.counterfactuals(applicant, fixed=["history", "age"]):
    print(f"  {change}")

print("\nWhy was it not accepted?\n")
print(model.why_not(applicant, "accept"))

print("\nNothing is guessed where a cell is empty. The same applicant, who did not tell the income:\n")
silent = {**applicant, "income": None}
print(model.explain(silent).story())
