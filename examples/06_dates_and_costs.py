"""Dates, levels and costs: rare cases that must not be missed

After this example you can learn from dates and ordered categories, decide by what mistakes cost, and forbid what rules
must not do. The deliveries are invented here: in December, large parcels come late.
"""

from datetime import date, timedelta
from random import Random
from typing import Any

import pandas as pd
from sklearn.metrics import confusion_matrix

from unless import Constraints, UnlessClassifier

SIZES = ["S", "M", "L", "XL"]


def deliveries(many: int, seed: int) -> pd.DataFrame:
    """Parcels of a year, with the day they were sent, and whether they were late."""
    random = Random(seed)
    sent = [date(2025, 1, 1) + timedelta(int(365 * random.random())) for _ in range(many)]
    sizes = [SIZES[int(4 * random.random())] for _ in range(many)]
    distances = [round(20 + 980 * random.random()) for _ in range(many)]
    busy = [day >= date(2025, 12, 1) and size in {"L", "XL"} for day, size in zip(sent, sizes, strict=True)]
    chances = [0.9 if rush else 0.35 if km > 800 else 0.02 for rush, km in zip(busy, distances, strict=True)]
    late = ["late" if random.random() < chance else "in time" for chance in chances]
    columns = {"sent": sent, "size": pd.Categorical(sizes, SIZES, ordered=True), "km": distances, "came": late}
    return pd.DataFrame(columns)


COST = 4  # of a late parcel that nobody announced; a false alarm costs 1
train, test = deliveries(3_000, seed=1), deliveries(3_000, seed=2)
names = ["sent", "size", "km"]
print(f"{(train['came'] == 'late').mean():.0%} of {len(train)} parcels are late.")


def learned(constraints: Constraints | None = None, **choice: Any) -> UnlessClassifier:
    """Learn which parcels come late."""
    model = UnlessClassifier(constraints=constraints, min_support=30, warn=False, **choice)
    return model.fit(train[names], train["came"])


def show(model: UnlessClassifier) -> None:
    """Print what the decisions for other parcels would cost."""
    (_, false), (missed, found) = confusion_matrix(test["came"], model.predict(test[names]))
    print(f"{found} of {missed + found} late parcels announced, {false} false alarms: cost {COST * missed + false}\n")


costs = {("late", "in time"): COST, ("in time", "late"): 1}  # true label, decided label
print("\nAll mistakes are alike:\n")
model = learned()
print(model, "\n")
show(model)
print(f"An unannounced late parcel costs {COST} times as much; each parcel gets the cheaper decision:\n")
show(learned(costs=costs))
print("Nothing changes: no rule tests the distance, since most far parcels are in time. Rules learned by costs do:\n")
model = learned(costs=costs, decide="rules")
print(model, "\n")
show(model)
print("The same, but distance must not matter, and of two parcels never only the smaller one is late:\n")
fair = learned(Constraints(never=["km"], monotone=["size: less never late"]), costs=costs, decide="rules")
show(fair)
print(fair.explain({"sent": date(2025, 12, 15), "size": "XL", "km": 120}))
