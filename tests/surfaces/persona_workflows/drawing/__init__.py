"""The personas of orchestration on a run that is short enough for a test, with no agents beside them."""
