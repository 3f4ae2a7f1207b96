"""What the workflows share: steps and routes, contracts, configs, edits of people, fault plans, inputs of a turn."""
