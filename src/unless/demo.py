"""A first look: learn from a bundled table, print the rules, their accuracy and the reason for one decision."""

from __future__ import annotations

import numpy as np

from unless.explain import explain
from unless.export import to_text
from unless.learn import fold_rm
from unless.predict import predict
from unless.read import read_table

__all__ = ["main"]


def main() -> None:
    """Learn which cultivar a wine comes from (scikit-learn's wine data), on two thirds of the wines."""
    from sklearn.datasets import load_wine  # noqa: PLC0415 - only the demo needs it

    wine = load_wine(as_frame=False)
    names = ["_".join(name.split("/")) for name in wine.feature_names]
    cultivars = wine.target_names[wine.target]
    cells = zip(wine.data.tolist(), cultivars, strict=True)
    rows = [dict(zip(names, row, strict=True), cultivar=cultivar) for row, cultivar in cells]
    order = np.random.default_rng(0).permutation(len(rows))
    train, test = (read_table([rows[k] for k in part], target="cultivar") for part in (order[60:], order[:60]))

    program = fold_rm(train)
    truth = np.array(test.target.labels, dtype=object)[test.target.codes] if test.target else np.empty(0)
    accuracy = float(np.mean(predict(program, test) == truth))
    print(f"Learned from {len(train)} wines, {len(program)} rules:\n")
    print(to_text(program))
    print(f"\nAccuracy on {len(test)} other wines: {accuracy:.3f}")
    print(f"\nWhy the first of them is {truth[0]}:\n  {explain(program, test.record(0))}")


if __name__ == "__main__":
    main()
