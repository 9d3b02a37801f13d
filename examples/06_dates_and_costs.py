"""Dates, levels and costs: rare cases that must not be missed

After this example you can learn from dates and ordered categories, weigh one kind of mistake against the other, and
forbid what rules must not do. The deliveries are invented here: in December, large parcels come late.
"""

from datetime import date, timedelta
from random import Random

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


COST = 4  # a late parcel that nobody announced, in false alarms
train, test = deliveries(3_000, seed=1), deliveries(3_000, seed=2)
names = ["sent", "size", "km"]
print(f"{(train['came'] == 'late').mean():.0%} of {len(train)} parcels are late.")


def learned(weight: int, constraints: Constraints | None = None) -> UnlessClassifier:
    """Learn with a weight for late parcels. What weighs more needs more support to be believed."""
    weights = {"late": weight, "in time": 1}
    support, penalty = 10 * weight, weight / 2
    model = UnlessClassifier(
        class_weight=weights, min_support=support, penalty=penalty, constraints=constraints, warn=False
    )
    return model.fit(train[names], train["came"])


def show(model: UnlessClassifier) -> None:
    """Print the rules, and what other parcels would cost with them."""
    (_, false), (missed, found) = confusion_matrix(test["came"], model.predict(test[names]))
    print(model)
    print(f"\n{found} of {missed + found} late parcels announced, {false} false alarms: cost {COST * missed + false}\n")


print("\nAll mistakes are alike:\n")
show(learned(1))
print(f"A late parcel weighs {COST} times as much:\n")
show(learned(COST))
print("The same, but where people live must not matter, and of two parcels never only the smaller one is late:\n")
fair = learned(COST, Constraints(never=["km"], monotone=["size: less never late"]))
show(fair)
print(fair.explain({"sent": date(2025, 12, 15), "size": "XL", "km": 120}))
