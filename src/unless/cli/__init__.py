"""The command `unless`: it parses, calls the library, prints.

Every command has a module with the same name: `inspect`, `fit`, `evaluate`, `show`, `predict`, `explain`, `reasons`,
`effects`, `watch`, `stability`, `report`, `card`, `export`, `edit`, `learn`, `diff`, `demo`. `app` lists the commands
and reports errors in a line or two. Commands share:

- options: `options` defines single options and their completion in the shell; `data_options`, `constraint_options`,
`reason_options` and `setting_options` define groups of options, which `option_groups` expands, and `split_options`
those for tests by time and by group; - data: `loading` reads tables and models, `training_data` tables to learn from,
`related_tables` and `related_records` several tables with keys, `large_data` data that does not fit into memory;
`file_io` reads standard input and writes documents; `learner_making` makes the learner from its options, `cost_options`
reads what decisions cost; - the screen: `console` prints to a terminal or a pipe; `layout` lays out lines, `plot` a
small plot, `period_tests` the tests by period, `evaluation_pairs` the tables that evaluate tests, `fit_output` the
result of learning, `explain_output` the explanation of a record, `logic_models` the rules learned from logic programs.
"""
