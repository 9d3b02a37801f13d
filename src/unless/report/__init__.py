"""The report: one HTML file that shows a program's rules, what they do on records, and lets a reader try others.

- `facts`: what the program does on the records, counted once for all sections.
- `rule_sentences`: rules in words; `headline`, `sections` (rules, flow, errors, features), `subgroup_views`,
  `curves`, `weak_spots`: the parts of the page as values.
- `histograms`: histograms; `page_data`: what scripts need besides rules and records.
- `summary`: the whole page as values, with what its scripts need.
- `table_overview`: a table before anything is learned, as text and in a notebook; `finding_text`: what is suspicious,
  in lines.
- `card`: a model card as values, which `card_facts` defines, `card_rendering` as Markdown and HTML.
- `render`: the file, made from `templates/` and the styles and `scripts` of `page/`; a classifier in a notebook.
"""

from unless.report.render import render, report
from unless.report.summary import Page, summarise

__all__ = ["Page", "render", "report", "summarise"]
