"""Numbers with known units and codes, as the checks of article, content and clarify compare them."""
