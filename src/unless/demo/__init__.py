"""Data to try everything on: invented `applicants`."""
