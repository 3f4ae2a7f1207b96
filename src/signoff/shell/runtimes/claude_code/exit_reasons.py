"""How Claude Code ended without an output, in words: what was found, and who can mend it how."""

from __future__ import annotations

from signoff.core.budget import Allowance
from signoff.core.events import Usage
from signoff.shell.runtimes.claude_code.process import Exit
from signoff.shell.runtimes.claude_code.stream import KEY, Heard
from signoff.shell.runtimes.runtime import GaveUpError

LATER = "go on later: finished turns are not repeated"
LOGIN = "set ANTHROPIC_API_KEY to a valid key, or log in with `claude auth login`"


def gave_up(heard: Heard, ended: Exit, model: str, usage: Usage, left: Allowance) -> GaveUpError:
    """The end of a turn without an output, by what ended it."""
    kind, found, repair = _words(heard, ended, model, left)
    return GaveUpError(kind, found, repair=repair, usage=usage)


def _words(heard: Heard, ended: Exit, model: str, left: Allowance) -> tuple[str, str, str]:
    result = heard.result
    if heard.refused is not None:
        return "key", f"the provider refused the key of Claude Code ({heard.refused})", LOGIN
    if result is None and left.tokens is not None and heard.tokens >= left.tokens:
        used = f"{heard.tokens} tokens are used and {left.tokens} were left for it"
        return "budget", f"the budget ended within the turn: {used}", "raise it in the config"
    if result is None:
        said = f": {ended.said}" if ended.said else ""
        return "crashed", f"Claude Code ended with exit code {ended.code} and no result{said}", LATER
    said = str(result.get("result") or "; ".join(map(str, result.get("errors") or ())) or ended.said)[:400]
    match result.get("subtype"), result.get("api_error_status"):
        case _, int(status) if status in KEY:
            return "key", f"the provider refused the key of Claude Code: {said}", LOGIN
        case _, 404:
            return "unknown-model", f"the provider does not know {model}: {said}", "name another with --model"
        case _, int():
            return "provider", f"the provider of {model} did not answer: {said}", LATER
        case "error_max_budget_usd", _:
            return "budget", f"the budget ended within the turn: {said}", "raise it in the config"
        case _:
            return "behaviour", f"Claude Code gave nothing that could be an output: {said}", "choose another model"
