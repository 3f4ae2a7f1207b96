"""A toy workflow: questions in a document, choices, commands on files, a trace. It has no agents."""
