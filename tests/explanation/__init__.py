"""Explanations: proofs and their forms, why not, what if."""
