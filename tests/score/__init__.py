"""Points and committees."""
