"""Claude Code as a host: the agents, skills, hooks and settings that are installed there, made from the workflows."""
