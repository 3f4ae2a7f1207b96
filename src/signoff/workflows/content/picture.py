"""The picture of a piece on its way: which tool is legal after which, as the toolbox has it."""

from __future__ import annotations

PICTURE = """\
flowchart LR
    start([start]) --> select[critic-selector]
    select --> draft[generate_draft]
    draft --> critique[run_critiques]
    critique --> critique
    critique --> decide{editor_decision}
    critique -->|all critics fail twice| person{{a person}}
    person -->|retry| critique
    decide --> summary[summarize_round]
    summary -->|revise, revisions left| revise[revise_draft]
    revise --> critique
    summary -->|approve| approved([save_content: approved])
    summary -->|revise, none left| limit([save_content: max-rounds-reached])
"""


def picture() -> str:
    """The order that the rules leave; within it the conducting agent decides."""
    return PICTURE
