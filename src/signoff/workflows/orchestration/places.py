"""Where a task keeps its files, all below `orchestration/`; agents write none of them but what a contract names."""

from __future__ import annotations

from typing import Final

HOME: Final = "orchestration"
STACK: Final = f"{HOME}/technology_stack.json"
DECISIONS: Final = f"{HOME}/architecture_decisions.md"
FEEDBACK: Final = f"{HOME}/architecture_feedback"
ORDER: Final = f"{FEEDBACK}/review_sequence.md"
CHANGELOG: Final = f"{FEEDBACK}/tsa_changelog.md"
QUESTIONS: Final = f"{FEEDBACK}/questions.md"
REGISTRY: Final = f"{HOME}/agent_registry.json"
TEMPLATES: Final = f"{HOME}/templates/"
ROSTER: Final = f"{HOME}/agent_roster.json"
CONTRACTS: Final = f"{HOME}/file_contracts.json"
CHECKPOINTS: Final = f"{HOME}/validation_checkpoints.json"
SEQUENCE: Final = f"{HOME}/workflow_sequence.json"
COORDINATION: Final = f"{HOME}/workflow_coordination_plan.md"
VERIFICATION: Final = f"{HOME}/design_verification.json"
STATUS: Final = f"{HOME}/shared_status.json"
RISK: Final = f"{HOME}/risk"
RISK_REPORT: Final = f"{RISK}/report.md"
RESEARCH: Final = f"{RISK}/research/"
POC_SPECS: Final = f"{RISK}/poc_specs.json"
AGENTS: Final = f"{HOME}/agents/"
REPORT: Final = f"{HOME}/report.md"
DOER_TEMPLATE: Final = "orchestration_doer_agent_template.md"

AT_HOME: Final = "~/.claude/"
PROTOCOLS: Final = f"{AT_HOME}protocols/"
COMMANDS: Final = f"{AT_HOME}commands/"
USER_REGISTRY: Final = f"{PROTOCOLS}orchestration_agent_registry.json"
LIBRARY: Final = f"{PROTOCOLS}orchestration_research/"
"""What a person keeps across projects, in their home. A run works on copies of it (`borrowed`)."""


def summary(task: str) -> str:
    """The plan, as it was talked over."""
    return f"{HOME}/conversation_summary_{task}.md"


def answers(task: str) -> str:
    """What the person told the solution-architect in a conversation on the command line."""
    return f"_workflow/conversations/solution-architect.{task}.json"


def review(domain: str) -> str:
    """What the reviewer of one domain said."""
    return f"{FEEDBACK}/{domain}_review.md"


def agent(name: str) -> str:
    """The folder of one agent of the roster."""
    return f"{AGENTS}{name}"


def instructions(name: str) -> str:
    """What one agent is told to do."""
    return f"{agent(name)}/agent_instructions.md"


def output(name: str) -> str:
    """Where one agent's work for others lies."""
    return f"{agent(name)}/task_output/"


def manifest(name: str) -> str:
    """What one agent has written, in which version."""
    return f"{output(name)}manifest.json"


def session(name: str) -> str:
    """The notes of one agent's unfinished work."""
    return f"{agent(name)}/completion_drive/session_current.json"


def results(name: str) -> str:
    """What the last verification of one agent's work did not find; there only while it failed."""
    return f"{agent(name)}/verification_results.json"


def poc_review(poc_id: str) -> str:
    """What was decided after a PoC."""
    return f"{RISK}/poc_reviews/{poc_id}.json"


def research(technology: str) -> str:
    """What is known of one technology, by its slug."""
    return f"{RESEARCH}{technology}.json"


def checklist(agent_type: str) -> str:
    """What can go wrong for agents of one type."""
    return f"{RISK}/checklists/{agent_type}.json"


def consultation(name: str) -> str:
    """What one doer sees coming."""
    return f"{RISK}/consultations/{name}.json"


def is_common(path: str) -> bool:
    """Whether a file is no one task's: plans, the project's agents and their templates, and what was found out."""
    return path.startswith((summary("").removesuffix(".md"), REGISTRY, TEMPLATES, RESEARCH))


def borrowed(run: str) -> str:
    """Where a run keeps its copies of what lies in the person's home."""
    return f"_workflow/orchestration/{run}/home/"


def copy_of(run: str, path: str) -> str:
    """The run's copy of a file in the person's home."""
    return borrowed(run) + path.removeprefix(AT_HOME)


def borrows(run: str) -> dict[str, str]:
    """What a run borrows from the person's home, and the folders of its copies."""
    patterns = (
        USER_REGISTRY,
        f"{PROTOCOLS}orchestration_*_template.md",
        f"{LIBRARY}*.json",
        f"{COMMANDS}persona-*.md",
    )
    return {pattern: copy_of(run, pattern).rpartition("/")[0] + "/" for pattern in patterns}


def home(run: str, path: str) -> str:
    """Where a file is that may lie in the person's home: there the run's copy is meant, else the path itself."""
    return copy_of(run, path) if path.startswith(AT_HOME) else path
