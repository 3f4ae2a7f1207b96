"""The MCP server: a host takes turns of runs in a project and gives outputs back. No tool approves."""
