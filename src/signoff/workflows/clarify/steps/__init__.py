"""The steps of an inquiry: research, refinement, decisions, and what people choose on the way."""
