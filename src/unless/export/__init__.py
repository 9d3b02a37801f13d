"""Programs in other forms: the paper's text, JSON."""

from unless.export import json
from unless.export.text import to_text

__all__ = ["json", "to_text"]
