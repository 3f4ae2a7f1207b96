"""Content: drafts that advisors criticise and a rubric in code lets pass."""
