"""How two programs differ: in their rules, and in what they decide."""
