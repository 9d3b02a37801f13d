"""Editing and watching: rules that people own

After this example you can change learned rules as text, see what a change does before you accept it, lock a rule so
that learning goes on around it, and notice when new records are no longer like those of training.
"""

import pandas as pd

import unless
from unless import UnlessClassifier
from unless.demo.applicants import applicants
from unless.diff import compare_records
from unless.export import to_rules

people = pd.DataFrame(applicants(1800)).drop(columns="applicant")
decisions = people.pop("decision")
known = slice(0, 900)
model = UnlessClassifier().fit(people[known], decisions[known])
text = to_rules(model)
print("The rules as text:\n")
print(text)

print("\nSomebody knows better, and puts a rule before the others. What would it change?\n")
header, _, learned = text.partition("\n\n")
program = unless.parse(f"{header}\n\nrefuse if age < 21 and income < 15,000\n\n{learned}", like=model)
table = unless.read_table(people[known].assign(decision=decisions[known]), "decision", like=model)
effect = compare_records(model.program_, program, table, table, most=1)
for before, after, count in effect.shifts:
    print(f"  {before} → {after}: {count}")
for switch in effect.switches:
    print(f"  record {switch.number}, for example: {switch.new}")
print(f"  right before: {effect.turn.right[0]} of {effect.records}, after: {effect.turn.right[1]}")

print("\nThey want it nevertheless. It is locked, and the rest is learned again, from twice as many records:\n")
edited = model.with_program(program, people[known], decisions[known])
model = UnlessClassifier().fit(people, decisions, keep=edited, lock=[0])
print(model)

print("\nMonths later. Are new records still like those of training?\n")
new = pd.DataFrame(applicants(450, seed=6)).drop(columns=["applicant", "decision"])
print(f"As they come: {model.watch(new).headline}")
print("A form without the guarantor, and a category that is spelled anew:\n")
print(model.watch(new.assign(guarantor=None).replace({"history": {"late": "Late"}})))
