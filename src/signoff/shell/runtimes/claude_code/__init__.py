"""The runtime `claude-code`: headless Claude Code carries out a turn, confined to the turn's contract.

Only `mcp_bridge` needs the extra `claude-code` to be imported.
"""
