"""A run on disk: journal, store, the loop that carries out what is open, and what each turn leaves behind."""
