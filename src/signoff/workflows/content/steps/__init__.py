"""What happens in a run: tool calls, the author, the critics, rounds, and what a person reopens."""
