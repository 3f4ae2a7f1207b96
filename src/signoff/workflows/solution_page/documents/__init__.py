"""The claims registry, the product sheet and the page template as values."""
