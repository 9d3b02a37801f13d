"""Manage the files on disk that learners use (arrays, caches, logs) and the memory budget.

The meaning of arrays and lines is defined elsewhere: `unless.blocks` stores blocks of records and checkpoints.

- `array_files`: writes named arrays to a file, and maps them into memory
- `direct_io`: reads and writes past the page cache of the system; raises the limit of open files
- `cache_folder`: keeps such files in a folder that is valid for one source and one set of options
- `json_log`: appends lines that survive a killed process
- `shared_log`: appends whole lines to a file that several processes append to
- `memory_budget`: finds how much memory is free
"""
