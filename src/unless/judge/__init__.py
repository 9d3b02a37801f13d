"""How good a program is: its rules, its labels, its learners, and what it has never seen."""
