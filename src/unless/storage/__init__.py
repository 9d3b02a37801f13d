"""Files on disk that learners work with: arrays, caches, logs; and the memory budget.

Nothing here knows what the arrays or the lines mean: `unless.blocks` puts blocks of records and checkpoints there.

- `array_files`: named arrays in a file, mapped into memory
- `direct_io`: reading and writing past the page cache of the system, and the limit of open files
- `cache_folder`: a folder of such files that is valid for one source and one set of options
- `json_log`: lines that survive a killed process
- `memory_budget`: how much memory is free
"""
