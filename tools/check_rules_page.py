"""`docs/reference/check-rules.md`: every rule of `signoff check`, and the published list of exemptions."""

from __future__ import annotations

from signoff.evidence.check.rules import rules
from signoff.evidence.check.statements import exemptions

HEAD = """\
# Rules of `signoff check`

<!-- Made by `make docs` from src/signoff/evidence/rules. Do not edit. -->

How to run the check, to turn a rule off and to read its outputs: [the guide](../guides/check.md). `signoff check
--explain CODE` prints a section of this page. Codes are stable: a rule that goes takes its code along.

"""
EXEMPTIONS = """\
## What needs no claim

With `--require-claims` these are exempted by rule. The report counts how often each was used.

"""


def render() -> str:
    """The whole page."""
    rows = "".join(f"| {name} | {about} |\n" for name, about in exemptions().items())
    table = f"| exemption | what |\n|---|---|\n{rows}"
    return f"{HEAD}## Rules\n\n" + "\n".join(rule.page() for rule in rules().values()) + f"\n{EXEMPTIONS}{table}"
