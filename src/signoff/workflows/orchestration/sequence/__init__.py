"""The order of the work: who waits for whom, computed from roster, file contracts and checkpoints, and drawn."""
