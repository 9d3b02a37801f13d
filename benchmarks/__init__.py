"""Speed against peers, as ratios within one run: ``python -m benchmarks`` writes docs/benchmarks.md.

The modules in the order of the data: `generate` and `datasets` give tables, `timing` races contestants, `peers` are
the contestants that are not ours; `fit`, `scale`, `files`, `prediction`, `stream` and `start` measure, `report`
prints.
"""
