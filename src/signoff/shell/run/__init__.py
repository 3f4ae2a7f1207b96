"""A run on disk: its journal and store, the loop that carries out what is open, and the files of each turn."""
