"""Learning from data that does not fit into memory, or lies on many machines: the same programs, from blocks of rows.

- `survey`: a first look at the values of each column
- `bins`: what all blocks have in common
- `block`: some rows, held as the kernels count them
- `questions`: what blocks are asked, and how their answers add up
- `search`: the best literal from such answers
- `rows`: sets of rows, and what follows for sets made from them; `local`: those that were fetched
- `engine`: the engine over blocks
- `store`: blocks on this machine
- `encode`: from batches to blocks; `order`: how the rows of a block lie
- `sources`: where records come from, some at a time; `room`: how much memory there is
- `data`: all records of a source as blocks; `given`: what callers give to learn from
- `spark`: blocks on the executors of a Spark cluster
- `kept`: blocks that stay in a folder; `describe` writes what they have in common, `notes` the rules so far
"""
