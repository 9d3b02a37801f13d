"""How `make docs` makes the site from these pages.

The pages are plain Markdown, to be read on a Git host too. What only a site has is added to some of them on the way:
`index` gets the tree of contents that its lists of links are, `api` what the docstrings of its names say, `gallery` the
scripts of `examples/`; `changelog`, `contributing` and `security` get the files in the root of the repository.
Notebooks become pages with the outputs that they hold; nothing runs.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from unless.evaluation.stability import Stability

ROOT = Path(__file__).parents[1]

project = "unless"
html_title = "unless"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
copybutton_prompt_text = "$ "  # only commands are copied from a session, not what they print
exclude_patterns = ["images/*", "static/*"]
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
default_role = "code"  # docstrings have names in single backticks
myst_heading_anchors = 4
smartquotes = False  # --option stays --option
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
pygments_dark_style = "github-dark"  # that of the theme underlines modules, as if they were links
html_show_copyright = False
autodoc_typehints = "none"  # they are in the signature
autodoc_member_order = "bysource"
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_type_aliases = {"Stability": Stability}  # classifiers import it with its first use, and name it in a type
suppress_warnings = ["config.cache"]  # a class is not kept from one build to the next

INHERITED = "ClassifierMixin, BaseEstimator, tuple, Exception, UserWarning, KeyboardInterrupt, ValueError, ABC"
"""Methods of these are explained elsewhere."""
SCIKIT = "get_metadata_routing, set_fit_request, set_score_request, set_predict_request, with_traceback, add_note"


def contents(page: str) -> str:
    """The page, and its lists of links once more, as the tree of the site: a heading is a caption."""
    trees = []
    for caption, section in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", page, re.MULTILINE):
        pages = re.findall(r"^- \[[^\]]+\]\(([^)]+)\.(?:md|ipynb)\)", section, re.MULTILINE)
        trees.append("\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"]))
    return "\n\n".join([page, *trees, ""])


def described(page: str) -> str:
    """The page, with what the docstring of each name in its lists says."""
    return re.sub(r"^- `(unless[\w.]+)`$", lambda found: _directive(found[1]), page, flags=re.MULTILINE)


def _directive(name: str) -> str:
    module, _, attribute = name.rpartition(".")
    thing = getattr(import_module(module), attribute)
    if inspect.ismodule(thing):
        said = [f".. automodule:: {name}", "   :members:"]
    elif inspect.isclass(thing):
        options = ["members:", f"inherited-members: {INHERITED}", f"exclude-members: {SCIKIT}"]
        said = [f".. autoclass:: {name}", *(f"   :{option}" for option in options)]
    else:
        said = [f".. autofunction:: {name}"]
    return "\n".join(["```{eval-rst}", *said, "```"])


def gallery(page: str, examples: Path = ROOT / "examples") -> str:
    """The page, and every script of a folder: its title, what it says of itself, its text and what it prints."""
    return "\n\n".join([page, *(_shown(script) for script in sorted(examples.glob("[0-9]*.py")))]) + "\n"


def _shown(script: Path) -> str:
    tree = ast.parse(script.read_text())
    title, _, about = (ast.get_docstring(tree) or script.stem).partition("\n")
    start = tree.body[0].end_lineno if ast.get_docstring(tree) else 0
    code = "\n".join(script.read_text().splitlines()[start:]).strip("\n")
    parts = [f"## {title.rstrip('.')}", about.strip(), f"`examples/{script.name}`", f"````python\n{code}\n````"]
    printed = script.with_suffix(".txt")
    if printed.exists():
        parts += ["It prints:", f"````text\n{printed.read_text().rstrip()}\n````"]
    return "\n\n".join(part for part in parts if part)


def notebook(page: str) -> str:
    """A notebook as a page: its text, its code, and what that showed when it ran."""
    parts = []
    for cell in json.loads(page)["cells"]:
        source = "".join(cell["source"])
        parts += (
            [source]
            if cell["cell_type"] == "markdown"
            else [f"````python\n{source}\n````", *map(_output, cell["outputs"])]
        )
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {"text/plain": output.get("text")})
    if "text/html" in data:
        return '````{raw} html\n<div class="output">' + "".join(data["text/html"]) + "</div>\n````"
    return "````text\n" + "".join(data["text/plain"]).rstrip() + "\n````"


def project_file(page: str) -> str:
    """The page, and the file in the repository's root that it links to, whose links then start in this folder."""
    (name,) = re.findall(r"\]\(\.\./(\w+\.md)\)", page)
    text = (ROOT / name).read_text().partition("\n")[2]
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"\[([^\]]+)\]\((?:src|tests|examples|\w+\.md)[^)]*\)", r"\1", text)
    return page.partition("\n")[0] + "\n" + text


COMPLETED = {
    "index": contents,
    "api": described,
    "gallery": gallery,
    "changelog": project_file,
    "contributing": project_file,
    "security": project_file,
}


def complete(app: Sphinx, name: str, source: list[str]) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Add to a page what only the site has."""
    if name.startswith("notebooks/"):
        source[0] = notebook(source[0])
    if name in COMPLETED:
        source[0] = COMPLETED[name](source[0])


Lines = list[str]
PLAIN: dict[str, Lines] = {}


def note(app: Sphinx, what: str, name: str, thing: object, options: object, lines: Lines) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Remember what a property says, before napoleon takes what is before a colon for its type."""
    if what == "property":
        PLAIN[name] = list(lines)


def restore(app: Sphinx, what: str, name: str, thing: object, options: object, lines: Lines) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Let it say that."""
    if what == "property":
        lines[:] = PLAIN[name]


def dashes(app: Sphinx, page: nodes.document) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Part parameters from what is said of them by a dash, which Sphinx leaves to smart quotes."""
    for text in list(page.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


SHORT, NAME, LONG = 16, 20, 40
"""Letters: up to so many a cell stays on one line, or the first one in sight; from so many on it needs room."""
UNITS = r"(?<=\d) (?=(?:ns|µs|ms|s|kB|MB|GB|points?|rules?|bytes)\b)| (?=/ \d)|(?<=\d /) "


def tables(app: Sphinx, page: nodes.document) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Tell the style sheet which columns are short, which are long, and where the first one names the rows."""
    for table in page.findall(nodes.table):
        head, *rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        for cell in head:
            cell["classes"] += ["short"] * (len(cell.astext()) <= SHORT // 2)
        columns = list(zip(*rows, strict=True))
        lengths = [max(len(cell.astext()) for cell in column) for column in columns]
        for column, length in zip(columns, lengths, strict=True):
            kind = ["short"] * (length <= SHORT) + ["long"] * (length >= LONG)
            for cell in column:
                cell["classes"] += kind
                for text in list(cell.findall(nodes.Text)):
                    text.parent.replace(text, nodes.Text(re.sub(UNITS, "\u00a0", text)))
        table["classes"] += ["wide"] * (len(columns) > 2) + ["named"] * (len(columns) > 3 and lengths[0] <= NAME)


def linked(app: Sphinx, what: str, name: str, thing: object, options: object, lines: Lines) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Where a docstring names a page, lead to it."""
    lines[:] = [re.sub(r"docs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in lines]


def choices(app: Sphinx, page: nodes.document) -> None:  # noqa: ARG001 - as Sphinx calls it
    """Keep `Literal["auto"]`, a type of Python's, from leading to our `Literal`."""
    for link in list(page.findall(addnodes.pending_xref)):
        after = link.next_node(descend=False, siblings=True)
        if link.get("reftarget") == "Literal" and after is not None and after.astext().startswith("["):
            link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    """Tell Sphinx."""
    app.connect("source-read", complete)
    app.connect("doctree-read", dashes)
    app.connect("doctree-read", tables)
    app.connect("doctree-read", choices)
    app.connect("autodoc-process-docstring", note, priority=400)
    app.connect("autodoc-process-docstring", restore, priority=600)
    app.connect("autodoc-process-docstring", linked, priority=700)
