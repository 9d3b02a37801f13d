"""Something to try everything on: invented applicants, and files made of them."""
