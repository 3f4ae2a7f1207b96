"""A model by its name, ready to be asked; what is missing is said before anything is spent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from genai_prices import calc_price
from pydantic_ai import RequestUsage
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from signoff.core.errors import UsageError
from signoff.shell.runtimes.model.model_choice import KNOWN, canonical

_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]*_(?:API_KEY|KEY|TOKEN|BASE_URL|URL))`")


def build(name: str, environment: Mapping[str, str]) -> Model:
    """The model, with its client; no request is made."""
    try:
        return infer_model(canonical(name, environment))
    except ImportError as error:
        raise UsageError(f"{name} needs a package that is not installed: {error}", repair=_install(name)) from error
    except UserError as error:
        raise _unready(name, str(error)) from error


def _install(name: str) -> str:
    provider = name.partition(":")[0]
    return f"install it with `pip install 'pydantic-ai-slim[{provider}]'`"


def _unready(name: str, said: str) -> UsageError:
    if "Unknown model" in said:
        hint = re.search(r"Did you mean '([^']+)'", said)
        return UsageError(
            f"{name!r} is no model of a known provider",
            valid=KNOWN,
            repair=f"did you mean {hint[1]}?" if hint else "write PROVIDER:MODEL",
        )
    variables = list(dict.fromkeys(_VARIABLE.findall(said)))
    if variables:
        return UsageError(
            f"{name} has no {'key' if 'KEY' in variables[0] else 'address'}: {variables[0]} is not set",
            repair=f"set {' or '.join(variables)} in the environment, or choose another model with --model",
        )
    return UsageError(f"{name} cannot be used: {said}", repair="choose another model with --model")


def has_native_output(model: Model) -> bool:
    """Whether the provider can hold this model to a JSON schema."""
    return bool(model.profile.get("supports_json_schema_output", False))


def has_price(model: Model) -> bool:
    """Whether the library's price list knows what this model costs."""
    try:
        calc_price(RequestUsage(input_tokens=1, output_tokens=1), model_ref=model.model_name, provider_id=model.system)
    except LookupError:
        return False
    return True
