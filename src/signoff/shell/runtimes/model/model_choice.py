"""Which model an agent gets: the flag, then the environment, then the project's config, then the agent's own file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from signoff.core.errors import UsageError

VARIABLE = "SIGNOFF_MODEL"
KNOWN = "anthropic:…, openai:…, google-gla:…, ollama:…, openai-compatible:…"
EXAMPLE = "anthropic:claude-sonnet-5-5"
"""The model that help, messages and README name; a test keeps it the newest with a known price."""

ALIASES = {
    "google-gla": "google",
    "gemini": "google",
    "google-vertex": "google-cloud",
    "openai-compatible": "openai-chat",
}
BASE_URL = "OPENAI_BASE_URL"
OPENAI = "https://api.openai.com"


@dataclass(frozen=True, slots=True)
class Choice:
    """What the command line and the environment say; it wins over the project."""

    everyone: str | None = None
    agents: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def model(self, agent: str, wanted: str | None) -> str:
        """The model of this agent; `wanted` is what the config or the agent file names."""
        named = self.agents.get(agent) or self.everyone
        named = named or self._variable(f"{VARIABLE}_{agent.upper().replace('-', '_')}") or self._variable(VARIABLE)
        if found := named or wanted:
            return found
        raise UsageError(
            f"no model is named for the agent {agent!r}",
            valid=KNOWN,
            repair=f"name one with --model {agent}={EXAMPLE}, in {VARIABLE}, under `models:` in the config, "
            "or as `model:` in the agent file",
        )

    def _variable(self, name: str) -> str | None:
        return self.environment.get(name, "").strip() or None


def choice(flags: Iterable[str], agents: Iterable[str], environment: Mapping[str, str]) -> Choice:
    """Reads `--model NAME` and `--model AGENT=NAME`; raises on a wrong one before anything is done."""
    known = tuple(agents)
    everyone: str | None = None
    named: dict[str, str] = {}
    for flag in flags:
        agent, equals, model = flag.partition("=")
        if not equals or ":" in agent:
            everyone = _checked(flag)
        elif agent not in known:
            raise UsageError(f"--model {flag}: there is no agent {agent!r}", valid=", ".join(known))
        else:
            named[agent] = _checked(model)
    return Choice(everyone, named, dict(environment))


def _checked(name: str) -> str:
    provider, colon, model = name.strip().partition(":")
    if colon and provider and model:
        return name.strip()
    raise UsageError(
        f"{name!r} does not say whose model it is", valid=KNOWN, repair=f"write PROVIDER:MODEL, as in {EXAMPLE}"
    )


def canonical(name: str, environment: Mapping[str, str]) -> str:
    """A model as the library names it. An OpenAI model at another address is asked in the common chat protocol."""
    provider, _, model = _checked(name).partition(":")
    provider = ALIASES.get(provider, provider)
    elsewhere = environment.get(BASE_URL, OPENAI)
    if provider == "openai" and not elsewhere.startswith(OPENAI):
        provider = "openai-chat"
    if name.startswith("openai-compatible:") and BASE_URL not in environment:
        raise UsageError(
            f"{name} needs an address",
            repair=f"set {BASE_URL} to the address of the server, as in http://127.0.0.1:8000/v1",
        )
    return f"{provider}:{model}"
