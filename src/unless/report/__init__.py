"""The report: one HTML file that shows a program's rules, what they do on records, and lets a reader try others.

`facts` counts, `said` puts rules into words; `views`, `features` and `weak` are the sections, `summary` is the page as
values, `data` what its scripts know; `render` makes the file of `templates/` and `page/`.
"""

from unless.report.render import render, report
from unless.report.summary import Page, summarise

__all__ = ["Page", "render", "report", "summarise"]
