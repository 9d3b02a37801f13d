# What `rule_growing.py` shares with `list_growing.py` when both are compiled.

cdef bint is_significant(double p, double n, double tp, double fp, double penalty, list distinct) noexcept
