"""Learning from data that does not fit into memory, or is on many machines: the same programs, from blocks of rows.

Files on disk are handled by `unless.storage`.

- `inputs`: the inputs of learners; `sources`: streams of files; `databases`: streams of queries
- `column_stats`: the values of each column, from a first pass; `column_bins`: bins of columns, which all blocks share
- `encoding`: from batches to blocks; `row_order`: the order of rows in blocks; `block_arrays`: the arrays of a block
- `block`: rows in the form that kernels count; `selection_cache`: cached sets of its rows
- `block_queries`: queries to blocks, and how answers are combined; `row_set_definitions`: how sets of rows are made
  from others; `column_regions`: intervals of columns, and the values in them
- `block_store`: the blocks on this machine; `spark_store`: blocks on the executors of a Spark cluster
- `block_dataset`: all records of a source as blocks
- `block_engine`: the engine over blocks; `histogram_search`: the best literal from their answers
- `row_sets`: sets of rows, and counts derived for sets made from them; `local_rows`: sets that were fetched
- `block_cache`: blocks that stay in a folder; `file_checkpoints`: the rules learned so far
"""
