"""Clarify: research becomes numbered questions, answers become decisions, and every id leads back to its origin."""
