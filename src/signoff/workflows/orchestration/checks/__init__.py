"""What code checks in a design and in what agents give back."""
