"""Blocks of rows against a table in memory."""
