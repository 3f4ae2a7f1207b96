"""How fast it is, as ratios against the floor of the machine that it runs on, measured in the same run."""
