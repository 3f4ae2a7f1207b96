"""Where a task keeps its files: all below `orchestration/`. Agents write only those that a contract names."""

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
"""What a person keeps in their home for all projects. A run works on copies (`borrowed`)."""


def summary(task: str) -> str:
    """The plan, as the person and the plan developer agreed on it."""
    return f"{HOME}/conversation_summary_{task}.md"


def answers(task: str) -> str:
    """The person's answers in a conversation with the solution-architect."""
    return f"_workflow/conversations/solution-architect.{task}.json"


def review(domain: str) -> str:
    """The review of one domain."""
    return f"{FEEDBACK}/{domain}_review.md"


def agent(name: str) -> str:
    """An agent's folder."""
    return f"{AGENTS}{name}"


def instructions(name: str) -> str:
    """An agent's instructions."""
    return f"{agent(name)}/agent_instructions.md"


def output(name: str) -> str:
    """The folder of an agent's results."""
    return f"{agent(name)}/task_output/"


def manifest(name: str) -> str:
    """The list of the files that an agent has written, with their versions."""
    return f"{output(name)}manifest.json"


def session(name: str) -> str:
    """The notes of an agent's current session."""
    return f"{agent(name)}/completion_drive/session_current.json"


def results(name: str) -> str:
    """What the last verification of an agent's work missed. The file exists only while the work fails it."""
    return f"{agent(name)}/verification_results.json"


def poc_review(poc_id: str) -> str:
    """The decision after a PoC."""
    return f"{RISK}/poc_reviews/{poc_id}.json"


def research(technology: str) -> str:
    """The research on a technology, by its slug."""
    return f"{RESEARCH}{technology}.json"


def checklist(agent_type: str) -> str:
    """The risks of an agent type."""
    return f"{RISK}/checklists/{agent_type}.json"


def consultation(name: str) -> str:
    """The risks that a doer expects."""
    return f"{RISK}/consultations/{name}.json"


def is_common(path: str) -> bool:
    """Whether all tasks of a project share a file: plans, the registry of agents, their templates, and research."""
    return path.startswith((summary("").removesuffix(".md"), REGISTRY, TEMPLATES, RESEARCH))


def borrowed(run: str) -> str:
    """The folder of a run's copies of files in the person's home."""
    return f"_workflow/orchestration/{run}/home/"


def copy_of(run: str, path: str) -> str:
    """The run's copy of a file in the person's home."""
    return borrowed(run) + path.removeprefix(AT_HOME)


def borrows(run: str) -> dict[str, str]:
    """The files that a run copies from the person's home, and the folders of the copies."""
    patterns = (
        USER_REGISTRY,
        f"{PROTOCOLS}orchestration_*_template.md",
        f"{LIBRARY}*.json",
        f"{COMMANDS}persona-*.md",
    )
    return {pattern: copy_of(run, pattern).rpartition("/")[0] + "/" for pattern in patterns}


def home(run: str, path: str) -> str:
    """The path of a file for a run: of a file in the person's home, the run's copy."""
    return copy_of(run, path) if path.startswith(AT_HOME) else path
