"""The command `unless`: it parses, calls the library, prints.

Every command has a module with its name: `inspect`, `fit`, `evaluate`, `show`, `predict`, `explain`, `effects`,
`watch`, `stability`, `report`, `card`, `export`, `edit`, `learn`, `diff`, `demo`. `app` has the list of them, and turns
errors into a line or two. What commands share:

- options: `options` has single ones, and their completion in the shell; `data_options`, `constraint_options` and
  `setting_options` have groups of them, which `option_groups` spreads out;
- data: `loading` reads tables and models, `training_data` the tables to learn from, `related_tables` several with keys,
  `large_data` what does not fit into memory; `file_io` has standard streams, and writes documents;
- the screen: `console` prints, for a terminal or a pipe, `layout` has lines of any kind, `plot` a small plot,
  `fit_output` what was learned, `explain_output` the explanation of a record, `logic_models` what was learned from
  logic programs.
"""
