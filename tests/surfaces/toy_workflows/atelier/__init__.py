"""A toy workflow with personas: an order is talked over, a piece is carved, polished and signed off."""
