"""What carries out a turn: code, a recording, a host, a language model, headless Claude Code."""
