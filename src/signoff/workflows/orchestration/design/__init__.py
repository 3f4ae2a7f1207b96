"""The design, from the architecture to its approval: the turns, the order of the work, what edits lead to."""
