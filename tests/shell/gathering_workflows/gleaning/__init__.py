"""A small workflow that looks outside."""
