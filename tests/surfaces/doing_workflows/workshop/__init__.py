"""A toy workflow whose agents write files and run commands themselves."""
