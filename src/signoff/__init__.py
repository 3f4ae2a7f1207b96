"""Signoff: agents propose, code decides, people sign off."""

__version__ = "0.1.0"
