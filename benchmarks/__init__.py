"""Speed against peers, as ratios within one run: ``python -m benchmarks`` writes docs/benchmarks.md.

The modules in the order of the data: `generate` and `datasets` give tables, `timing` races contestants, `peers` are
the contestants that are not ours; `fit`, `scale`, `files`, `prediction`, `stream` and `start` measure, `report`
prints.

``python -m benchmarks.accuracy`` writes docs/accuracy.md: `accuracy_datasets` gives tables, `methods` learn (`rivals`
are those that are not ours), `accuracy` runs them and keeps `results`, `figures` sums them up, and `accuracy_page`,
with `accuracy_targets` and `plot`, shows them.

``python -m benchmarks.tables`` writes docs/paper.md: the paper's tables, with our figures beside (see `tables`).
"""
