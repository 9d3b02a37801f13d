"""Data to try everything on: invented `applicants`, and `files` made from them."""
