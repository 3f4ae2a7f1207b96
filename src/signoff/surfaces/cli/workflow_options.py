"""Commands made from declarations: the parameters of a workflow become options, its words become help."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import GenericAlias
from typing import Annotated, Any

import typer

from signoff import Parameter, UsageError
from signoff.service.types import language_of


def argument(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """One argument of a function that typer reads."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def shaped(call: Callable[..., int], arguments: Iterable[inspect.Parameter], text: str | None) -> Callable[..., int]:
    """The function with these arguments and this help, as if they had been written down."""
    signature = inspect.Signature(list(arguments), return_annotation=int)
    vars(call).update(__signature__=signature)
    call.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    call.__doc__ = text
    return call


def option(parameter: Parameter) -> inspect.Parameter:
    """A parameter as an option: a flag, a value, or a value that may be given again."""
    about = parameter.about[:1].upper() + parameter.about[1:] + "."
    english, chinese = (parameter.terms.names(language) for language in ("en", "zh"))
    about += f" In Chinese: {', '.join(chinese)}." if chinese != english else ""
    metavar = "|".join(english) or None
    told: Any = typer.Option(flag(parameter), help=about, metavar=metavar, autocompletion=_completed(parameter))
    if parameter.flag:
        return argument(parameter.name, Annotated[bool, typer.Option(flag(parameter), help=about)], False)
    if parameter.repeat:
        several: Any = GenericAlias(list, (parameter.kind,))
        return argument(parameter.name, Annotated[several, told], list(parameter.default or ()))
    kind: Any = parameter.kind | None
    return argument(parameter.name, Annotated[kind, told], parameter.default)


def flag(parameter: Parameter) -> str:
    """What a person types."""
    return f"--{parameter.name.replace('_', '-')}"


def _completed(parameter: Parameter) -> Callable[[str], list[str]]:
    names = dict.fromkeys([*parameter.terms.names("en"), *parameter.terms.names("zh"), *parameter.terms.values])
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def checked_values(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The checked value of each parameter; a parameter without one is left out."""
    values = {one.name: tuple(given[one.name]) if one.repeat else given[one.name] for one in parameters}
    language = language_of(values)
    for one in parameters:
        known = [_checked(one, value, language) for value in (values[one.name] if one.repeat else (values[one.name],))]
        values[one.name] = tuple(known) if one.repeat else known[0]
    return {name: value for name, value in values.items() if value is not None}


def _checked(parameter: Parameter, value: Any, language: str) -> Any:
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):  # a byte of another encoding
        raise UsageError(f"{flag(parameter)} is {value!a}, which is not UTF-8", repair="set the terminal to UTF-8")
    return parameter.chosen(value, language, flag(parameter)) if isinstance(value, str) else value
