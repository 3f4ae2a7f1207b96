"""Content: an author drafts, critics judge side by side, a mechanical editor decides, and the rounds are limited."""
