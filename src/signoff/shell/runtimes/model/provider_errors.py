"""What went wrong between here and a provider, in words: what was found, and who can mend it how."""

from __future__ import annotations

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
)

from signoff.core.events import Usage
from signoff.shell.runtimes.runtime import GaveUpError

LATER = "go on later: finished turns are not repeated"


class EnoughError(AgentRunError):
    """The budget does not allow one more request in this turn."""


def gave_up(error: AgentRunError, model: str, usage: Usage) -> GaveUpError:
    """The end of a turn without an output, by what ended it."""
    kind, found, repair = _words(error, model)
    return GaveUpError(kind, found, repair=repair, usage=usage, model=model)


def _words(error: AgentRunError, model: str) -> tuple[str, str, str]:
    said = f"{_said(error)}{_notes(error)}"
    match error:
        case ModelAuthenticationError():
            return "key", f"the provider of {model} refused the key: {said}", f"set {_variable(model)} to a valid key"
        case ModelNotFoundError():
            repair = "name a model that the provider has, with --model or under `models:` in the config"
            return "unknown-model", f"the provider does not know {model}: {said}", repair
        case ModelQuotaExceededError():
            return "quota", f"the account is used up: {said}", "look at the provider's billing, or choose another model"
        case ModelContextWindowExceededError():
            return "too-long", f"the brief is too long for {model}: {said}", "choose a model with a larger window"
        case ModelRequestRejectedError():
            return "rejected", f"the provider rejected the request to {model}: {said}", "choose another model"
        case ModelConnectionError() if not isinstance(error, ModelHTTPError):
            return "provider", f"the connection to {model} failed: {said}", LATER
        case ModelAPIError():
            return "provider", f"the provider of {model} did not answer: {said}", LATER
        case EnoughError():
            return "budget", f"the budget ended within the turn: {said}", "raise it"
        case ContentFilterError():
            return "filtered", f"the provider's content filter held the answer back: {said}", "look at the sources"
        case _:
            return "behaviour", f"{model} gave nothing that could be an output: {said}", "choose another model"


def _said(error: AgentRunError) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = str(inner.get("message")) if isinstance(inner, dict) and inner.get("message") else error.message
    status = f"{error.status_code}, " if isinstance(error, ModelHTTPError) else ""
    return f"{status}{message}"[:400]


def _notes(error: BaseException) -> str:
    return "".join(f" ({note})" for note in getattr(error, "__notes__", ()))


def _variable(model: str) -> str:
    """Where the key of a provider is looked for."""
    provider = model.partition(":")[0]
    first = {"openai-chat": "OPENAI", "openai-compatible": "OPENAI", "google-gla": "GOOGLE"}
    return f"{first.get(provider, provider.upper().replace('-', '_'))}_API_KEY"
