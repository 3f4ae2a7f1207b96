"""Clarifications, answers, decisions and research notes: read and written without losing a byte of a person."""
