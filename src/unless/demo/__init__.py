"""Example data: invented `applicants` for a loan."""
