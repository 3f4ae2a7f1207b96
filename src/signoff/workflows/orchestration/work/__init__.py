"""The work on an approved design: schedule, turns of doers, escalations, notes, changes of the plan, the archive."""
