"""Names and ids: a task's name is snake_case, and its id is that name with the second in which it was created."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

TASK: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
TASK_ID: Final = re.compile(r"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)_([1-9][0-9]{8,10})")
VERIFIER_TYPE: Final = "verifier_agent"
TSA: Final = "tactical_solution_architect_agent"
ARCHIVAL: Final = "archival_agent"

LONGEST: Final = 80

Name = Annotated[
    str, Field(pattern=rf"^{TASK.pattern}$", max_length=LONGEST, description="snake_case, as in api_agent")
]
TaskId = Annotated[
    str,
    Field(pattern=rf"^{TASK_ID.pattern}$", description="a snake_case slug and Unix seconds: create_users_1727539200"),
]
Epoch = Annotated[int, Field(ge=0, lt=10**11, strict=True, description="Unix seconds, a whole number")]

TACTICAL: Final = re.compile(rf"{TASK.pattern}_tactical(_[0-9]+)?")


def tactical_task(agent: str, number: int) -> str:
    """The name of the tactical task that decides for an agent; from the second one on, with its number."""
    stem = f"{agent.removesuffix('_agent')}_tactical"
    return stem if number == 1 else f"{stem}_{number}"


def task_of(run: str) -> str:
    """The task of a run: runs are named in kebab-case, tasks in snake_case."""
    return run.replace("-", "_")


def run_of(task: str) -> str:
    """The run of a task."""
    return task.replace("_", "-")


def epoch(at: str) -> int:
    """An event's time in Unix seconds."""
    return int(datetime.fromisoformat(at).timestamp())


def task_id(slug: str, created: int) -> str:
    """The id of a task that was created at this second."""
    return f"{slug}_{created}"


def slug(task_id: str) -> str:
    """The name of the task in an id."""
    return task_id.rpartition("_")[0]


def default_verifier(doer: str) -> str:
    """The verifier of a doer, unless the checkpoints name another."""
    return f"{doer.removesuffix('_agent')}_verifier"
