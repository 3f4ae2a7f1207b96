"""Signoff: agents propose, code decides, people sign off.

This module, `signoff.evidence` and `signoff.testing` are the public API; what else there is may change. Names are
imported when they are first used, so `import signoff` is fast.

    from signoff import Agent, Finding, Workflow, approval, contract, edge, gate, table, turn

`docs/guides/own-workflow.md` makes a workflow with them, `docs/guides/python.md` drives runs from Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from signoff.core.budget import Budget as Budget
    from signoff.core.commands import (
        Ask as Ask,
    )
    from signoff.core.commands import (
        CancelTurn as CancelTurn,
    )
    from signoff.core.commands import (
        Check as Check,
    )
    from signoff.core.commands import (
        Command as Command,
    )
    from signoff.core.commands import (
        Finish as Finish,
    )
    from signoff.core.commands import (
        Gather as Gather,
    )
    from signoff.core.commands import (
        Reply as Reply,
    )
    from signoff.core.commands import (
        StartTurn as StartTurn,
    )
    from signoff.core.commands import (
        TurnLimits as TurnLimits,
    )
    from signoff.core.commands import (
        Withdraw as Withdraw,
    )
    from signoff.core.commands import (
        Write as Write,
    )
    from signoff.core.decide import APPROVE as APPROVE
    from signoff.core.decide import RESUME as RESUME
    from signoff.core.declarations import Agent as Agent
    from signoff.core.declarations import Assignment as Assignment
    from signoff.core.declarations import Contract as Contract
    from signoff.core.declarations import Effects as Effects
    from signoff.core.declarations import FileCall as FileCall
    from signoff.core.declarations import FileCommand as FileCommand
    from signoff.core.declarations import FileOutcome as FileOutcome
    from signoff.core.declarations import Gate as Gate
    from signoff.core.declarations import GateInput as GateInput
    from signoff.core.declarations import Now as Now
    from signoff.core.declarations import Parameter as Parameter
    from signoff.core.declarations import Probe as Probe
    from signoff.core.declarations import Reader as Reader
    from signoff.core.declarations import RolePlayer as RolePlayer
    from signoff.core.declarations import Tool as Tool
    from signoff.core.declarations import Tools as Tools
    from signoff.core.errors import (
        DefinitionError as DefinitionError,
    )
    from signoff.core.errors import (
        DocumentError as DocumentError,
    )
    from signoff.core.errors import (
        OperatorError as OperatorError,
    )
    from signoff.core.errors import (
        RefusedError as RefusedError,
    )
    from signoff.core.errors import (
        SignoffError as SignoffError,
    )
    from signoff.core.errors import (
        UsageError as UsageError,
    )
    from signoff.core.errors import (
        UserError as UserError,
    )
    from signoff.core.events import (
        Answered as Answered,
    )
    from signoff.core.events import (
        Called as Called,
    )
    from signoff.core.events import (
        Checked as Checked,
    )
    from signoff.core.events import (
        DocsChanged as DocsChanged,
    )
    from signoff.core.events import (
        Event as Event,
    )
    from signoff.core.events import (
        Gathered as Gathered,
    )
    from signoff.core.events import (
        Started as Started,
    )
    from signoff.core.events import (
        TurnFailed as TurnFailed,
    )
    from signoff.core.events import (
        TurnReturned as TurnReturned,
    )
    from signoff.core.findings import Finding as Finding
    from signoff.core.findings import failing as failing
    from signoff.core.refs import Look as Look
    from signoff.core.refs import Ref as Ref
    from signoff.core.refs import digest as digest
    from signoff.core.state import State as State
    from signoff.core.state import replace as replace
    from signoff.core.table import (
        Edge as Edge,
    )
    from signoff.core.table import (
        Move as Move,
    )
    from signoff.core.table import (
        Stage as Stage,
    )
    from signoff.core.table import (
        stage_table as stage_table,
    )
    from signoff.core.workflow import ByCode as ByCode
    from signoff.core.workflow import Documents as Documents
    from signoff.core.workflow import Limits as Limits
    from signoff.core.workflow import People as People
    from signoff.core.workflow import Setup as Setup
    from signoff.core.workflow import Views as Views
    from signoff.core.workflow import Workflow as Workflow
    from signoff.service.python_api import open_project as open_project
    from signoff.workflows.kit.contracts import contract as contract
    from signoff.workflows.kit.steps import (
        Approval as Approval,
    )
    from signoff.workflows.kit.steps import (
        Progress as Progress,
    )
    from signoff.workflows.kit.steps import (
        approval as approval,
    )
    from signoff.workflows.kit.steps import (
        edge as edge,
    )
    from signoff.workflows.kit.steps import (
        gate as gate,
    )
    from signoff.workflows.kit.steps import (
        step as step,
    )
    from signoff.workflows.kit.steps import (
        table as table,
    )
    from signoff.workflows.kit.steps import (
        turn as turn,
    )

_HOMES = {
    "core.budget": "Budget",
    "core.commands": "Ask CancelTurn Check Command Finish Gather Reply StartTurn TurnLimits Withdraw Write",
    "core.decide": "APPROVE RESUME",
    "core.errors": "DefinitionError DocumentError OperatorError RefusedError SignoffError UsageError UserError",
    "core.events": "Answered Called Checked DocsChanged Event Gathered Started TurnFailed TurnReturned",
    "core.findings": "Finding failing",
    "core.refs": "Look Ref digest",
    "core.state": "State replace",
    "core.table": "Edge Move Stage stage_table",
    "core.declarations": (
        "Agent Assignment Contract Effects FileCall FileCommand FileOutcome Gate GateInput Now "
        "Parameter Probe Reader RolePlayer Tool Tools"
    ),
    "core.workflow": "ByCode Documents Limits People Setup Views Workflow",
    "service.python_api": "open_project",
    "workflows.kit.contracts": "contract",
    "workflows.kit.steps": "Approval Progress approval edge gate step table turn",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'signoff' has no attribute {name!r}")
    value = getattr(import_module(f"signoff.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
