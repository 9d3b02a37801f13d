"""The command `unless`: it parses, calls the library, prints.

Every command has a module with its name: `inspect`, `fit`, `evaluate`, `show`, `predict`, `explain`, `watch`,
`stability`, `report`, `card`, `export`, `edit`, `learn`, `diff`, `demo`. `app` has the list of them, and turns errors
into a line or two. What commands share:

- before: `options`, and what the shell offers for them; `constraint_options`, and rules that stay;
- data: `file_io` reads tables and models and writes documents, `training_data` reads the tables to learn from,
  `large_data` what does not fit into memory;
- the screen: `console` prints, for a terminal or a pipe, `layout` has lines of any kind, `plot` a small plot,
  `fit_output` what was learned.
"""
