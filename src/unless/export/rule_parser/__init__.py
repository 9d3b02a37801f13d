"""The parser of rules that people write: text in, program out.

- `text_to_program`: `parse`, the entry point.
- `rule_tokens`: the tokens of a text; `condition_reader` and `rule_reader` read them into a `parse_tree`.
- `program_builder` turns a parse tree into a program; `known_names` finds the names in a model or a table, and
  `value_texts` reads numbers, dates and labels.
"""

from unless.export.rule_parser.text_to_program import new_categories, parse

__all__ = ["new_categories", "parse"]
