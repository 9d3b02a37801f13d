"""The parser of rules that people write: text in, program out.

- `text_to_program`: `parse`, the way in.
- `rule_tokens`: the words of a text; `condition_reader` and `rule_reader` read them into a `parse_tree`.
- `program_builder`: the program that a parse tree means; `known_names` is what a model or a table says about its names,
  `value_texts` reads numbers, dates and labels.
"""

from unless.export.rule_parser.text_to_program import new_categories, parse

__all__ = ["new_categories", "parse"]
