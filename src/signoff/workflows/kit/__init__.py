"""What the workflows share: choices, config files, fault plans, inputs of a turn, suggestions."""
