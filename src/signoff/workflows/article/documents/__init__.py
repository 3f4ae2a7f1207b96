"""The config of an article and its parts, the materials, and what code computes of them."""
