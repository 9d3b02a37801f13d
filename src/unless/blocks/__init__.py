"""Learn from data that exceeds memory or is spread over machines: blocks of rows give the same programs.

Files on disk are handled by `unless.storage`.

- `inputs` opens the inputs of learners; `sources` streams files; `databases` streams queries
- `column_stats` collects the values of each column in a first pass; `column_bins` cuts them into bins for all blocks
- `encoding` turns batches into blocks; `row_order` sorts the rows of blocks; `block_arrays` stores their arrays
- `block` answers queries about its rows with the kernels; `selection_cache` caches sets of these rows
- `block_queries` defines queries and combines their answers; `row_set_definitions` describes how a set of rows is
  derived from other sets; `column_regions` counts the values in intervals of columns
- `block_store` holds the blocks on this machine; `spark_store` has those on the executors of a Spark cluster
- `block_dataset` turns all records of a source into blocks
- `block_engine` is the engine over blocks; `histogram_search` finds the best literal from histograms
- `row_sets` remembers and derives counts of sets of rows; `local_rows` holds sets fetched into memory
- `block_cache` keeps blocks in a folder; `file_checkpoints` saves the rules learned so far
"""
