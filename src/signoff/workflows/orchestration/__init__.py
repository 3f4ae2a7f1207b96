"""The workflow `orchestration`: from a plan to a verified design, and from there to verified work."""
