"""What code judges: answers, decisions, what is stale, what an agent may say, what a file lacks."""
