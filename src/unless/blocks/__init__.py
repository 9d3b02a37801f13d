"""Learning from data that does not fit into memory, or lies on many machines: the same programs, from blocks of rows.

- `column_stats`: a first look at the values of each column
- `column_bins`: what all blocks have in common
- `block`: some rows, held as the kernels count them
- `block_queries`: what blocks are asked, and how their answers add up
- `histogram_search`: the best literal from such answers
- `row_sets`: sets of rows, and what follows for sets made from them; `local_rows`: those that were fetched
- `block_engine`: the engine over blocks
- `disk_storage`: blocks on this machine
- `encoding`: from batches to blocks; `row_order`: how the rows of a block lie
- `sources`: where records come from, some at a time; `memory_budget`: how much memory there is
- `block_dataset`: all records of a source as blocks; `inputs`: what callers give to learn from
- `spark_storage`: blocks on the executors of a Spark cluster
- `block_cache`: blocks that stay in a folder; `encoding_json` writes what they have in common, `file_checkpoints` the
  rules so far
"""
