"""Write the report: one HTML file with a program's rules, their decisions on records, and what-if controls.

- `facts`: the program's decisions on the records, counted once for all sections.
- `rule_sentences`: rules in words; `headline`, `sections` (rules, flow, errors, features), `subgroup_views`,
  `curves`, `weak_spots`: the parts of the page as values.
- `by_feature`: what each feature does: importances, effects, and the data for contributions.
- `reasons_view`: how often each reason was given, and the reasons of each record.
- `histograms`: histograms; `page_data`: the data of the page's scripts.
- `summary`: the whole page as values, with the data of its scripts.
- `table_overview`: a table before learning, as text and in a notebook; `finding_text`: suspicious findings as lines.
- `decision_costs`: a model that decides by points or costs, whose rules or votes the page shows.
- `card`: a model card as values, defined in `card_facts`; `card_rendering` writes it as Markdown and HTML.
- `render`: the file, made from `templates/` and the styles and `scripts` of `page/`; a classifier in a notebook.
"""

from unless.report.render import render, report
from unless.report.summary import Page, summarise

__all__ = ["Page", "render", "report", "summarise"]
