"""Pieces of clingo's language as regular expressions, for the plain texts that need not go through clingo's own reader.

They are stricter than clingo, never laxer: what they match means the same to clingo. Possessive quantifiers (``++``,
``*+``) read a text in one go or refuse it. clingo ends a text at NUL, and a lone carriage return may or may not end a
line, so neither is in any of these.
"""

from __future__ import annotations

__all__ = ["INTEGER", "NAME", "SMALL", "SPACE", "STRING", "STRING_REST", "WORD_ENDS"]

SPACE = r"(?:[ \t\n]++|%(?!\*)[^\n\r\0]*+(?=\n|\Z))*+"
WORD_ENDS = r"(?![A-Za-z0-9_'])"
NAME = rf"(?!not{WORD_ENDS})[a-z][A-Za-z0-9_]*+(?!')"
INTEGER = rf"(?:-?[1-9][0-9]*+|0){WORD_ENDS}"
SMALL = rf"(?:-?[1-9][0-9]{{0,8}}+|0){WORD_ENDS}"
"""An integer that surely fits 32 bits."""
STRING_REST = r'(?:[^"\\\n\r\0]|\\["\\n])*+"'
STRING = f'"{STRING_REST}'
