"""A sentence of a claim against one piece of its source: numbers, polarity, words, names."""
