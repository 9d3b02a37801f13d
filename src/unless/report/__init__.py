"""The report: one HTML file that shows a program's rules, what they do on records, and lets a reader try others.

- `facts`: what the program does on the records, counted once for all sections.
- `sentences`: rules in words; `opening`, `sections` (rules, flow, errors, features), `groups`, `curves`, `weak`: the
  parts of the page as values.
- `pictures`: histograms; `kept`: what scripts need besides rules and records.
- `summary`: the whole page as values, with what its scripts need.
- `overview`: a table before anything is learned, as text and in a notebook; `remarks`: what is suspicious, in lines.
- `modelcard`: a model card as values, which `cardfacts` defines, `cardtext` as Markdown and HTML.
- `render`: the file, made from `templates/` and the scripts and styles of `page/`; a classifier in a notebook.
"""

from unless.report.render import render, report
from unless.report.summary import Page, summarise

__all__ = ["Page", "render", "report", "summarise"]
