"""The runtime `claude-code`: a turn is carried out by headless Claude Code, confined to the turn's contract.

`finding` says which program that is, `guard` what it may do, `desk` serves it our tools and answers its questions for
permission, `process` starts and ends it, `stream` reads what it says, `runtime` makes a turn of all that.
Only `finding`, `guard`, `process`, `stream` and `runtime` may be imported without the extra `claude-code`.
"""
