"""Source files: opened, read as a reader sees them, and the place in them that a claim names."""
