"""The documents of a design and its work, each as a value that is parsed and rendered."""
