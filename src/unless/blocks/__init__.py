"""Learning from data that does not fit into memory, or lies on many machines: the same programs, from blocks of rows.

What lies on disk, and how, is the business of `unless.storage`.

- `inputs`: what callers give to learn from; `sources`: files, some records at a time; `databases`: queries
- `column_stats`: the values of each column, from a first pass; `column_bins`: what all blocks have in common
- `encoding`: from batches to blocks; `row_order`: how the rows of a block lie; `block_arrays`: what it is made of
- `block`: some rows, held as the kernels count them; `selection_cache`: the sets of rows that it remembers
- `block_queries`: what blocks are asked, and how their answers add up; `row_set_definitions`: how sets of rows are made
  from others; `column_regions`: parts of columns, and the values in them
- `block_store`: blocks that are asked together, on this machine; `spark_store`: on the executors of a Spark cluster
- `block_dataset`: all records of a source as blocks
- `block_engine`: the engine over blocks; `histogram_search`: the best literal from their answers
- `row_sets`: sets of rows, and what follows for sets made from them; `local_rows`: those that were fetched
- `block_cache`: blocks that stay in a folder; `file_checkpoints`: the rules learned so far
"""
