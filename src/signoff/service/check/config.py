"""The config of a check: `[tool.signoff.check]` of pyproject.toml, or `[check]` of signoff.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.evidence.check.anchors import SLUGS
from signoff.evidence.check.rules import rules
from signoff.evidence.check.settings import Settings

NAMES: Final = ("signoff.toml", "pyproject.toml")
SEVERITIES: Final = ("error", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What is written in a config; paths count from its folder."""

    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    site: str = "any"
    site_root: str = ""
    sources: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    registry: str = ""
    require_claims: bool = False
    no_claims: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    placeholder_hosts: tuple[str, ...] = ()
    file: str = ""
    home: Path = Path()

    def settings(self) -> Settings:
        return Settings(
            ignore=frozenset(self.ignore),
            select=frozenset(self.select),
            severities=dict(self.severity),  # type: ignore[arg-type]  # checked when read
            site=self.site,
            require_claims=self.require_claims,
            no_claims=self.no_claims,
            product=self.product,
            placeholder_hosts=self.placeholder_hosts,
        )


_VALID: Final[Mapping[str, str]] = {
    "severity": "a table of codes with error or warning",
    "per-file-ignores": "a table of patterns with lists of codes",
    "pairs": "a list of pairs of paths",
    "require-claims": "true or false",
    "site": f"one of {', '.join(SLUGS)}",
    "site-root": "a path",
    "registry": "a path",
}
_OWN: Final = ("file", "home")
KEYS: Final = tuple(each.name.replace("_", "-") for each in fields(Config) if each.name not in _OWN)


def find(start: Path, named: Path | None = None) -> Config:
    """The config that is named, or the nearest one at or above a folder; without one, the defaults."""
    if named is not None:
        if not named.is_file():
            raise UsageError(f"there is no config {str(named)!r}", repair="name a TOML file with --config")
        return _read(named) or Config(home=named.parent, file=str(named))
    for folder in (start, *start.resolve().parents):
        for name in NAMES:
            if (folder / name).is_file() and (found := _read(folder / name)):
                return found
    return Config(home=start)


def _read(file: Path) -> Config | None:
    """The config in a file; None if it has no table for checks."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file} cannot be read as TOML: {error}", repair="correct the file") from error
    table: Any = data
    for step in ("tool", "signoff", "check") if file.name == "pyproject.toml" else ("check",):
        table = table.get(step) if isinstance(table, Mapping) else None
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise UsageError(f"{file}: check is {table!r}", valid="a table", repair="write [check] and keys below it")
    return _checked(table, file)


def _checked(table: Mapping[str, Any], file: Path) -> Config:
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            repair = f"write {near[0]!r}" if near else "remove the key"
            raise UsageError(f"{file}: unknown key {key!r}", valid=", ".join(KEYS), repair=repair)
        given[key.replace("-", "_")] = _value(key, value, file)
    config = Config(**given, file=str(file), home=file.parent)
    config = replace(
        config,
        sources=tuple(str(file.parent / each) for each in config.sources),
        pairs=tuple((_at(file.parent, one), _at(file.parent, two)) for one, two in config.pairs),
    )
    refuse_unknown_codes(
        (
            *config.ignore,
            *config.select,
            *config.severity,
            *(code for listed in config.per_file_ignores.values() for code in listed),
        ),
        str(file),
    )
    return config


def _at(folder: Path, named: str) -> str:
    """A path of a config as it counts from where we are; a label like `en=` stays in front."""
    label, sign, path = named.rpartition("=")
    return f"{label}{sign}{folder / path}"


def _value(key: str, value: Any, file: Path) -> Any:
    wanted = _VALID.get(key, "a list of texts")
    match key:
        case "severity" if isinstance(value, Mapping) and all(each in SEVERITIES for each in value.values()):
            return dict(value)
        case "per-file-ignores" if isinstance(value, Mapping) and all(map(_texts, value.values())):
            return {pattern: tuple(codes) for pattern, codes in value.items()}
        case "pairs" if isinstance(value, list) and all(_texts(each) and len(each) == 2 for each in value):
            return tuple((each[0], each[1]) for each in value)
        case "require-claims" if isinstance(value, bool):
            return value
        case "site" if value in SLUGS:
            return value
        case "site-root" | "registry" if isinstance(value, str):
            return value
        case "ignore" | "select" | "exclude" | "sources" | "no-claims" | "product" | "placeholder-hosts" if _texts(
            value
        ):
            return tuple(value)
    raise UsageError(f"{file}: {key} is {value!r}", valid=wanted, repair=f"write {wanted}")


def known_site(name: str) -> str:
    """The name of a site tool, or a refusal that lists them."""
    if name not in SLUGS:
        raise UsageError(f"--site is {name!r}", valid=", ".join(SLUGS), repair="name one of them")
    return name


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def refuse_unknown_codes(codes: Sequence[str], where: str) -> None:
    """A code is that of a rule, or the beginning of some, as SC2 is of all rules on links."""
    for code in codes:
        if not code.startswith("SC") or not any(known.startswith(code) for known in rules()):
            near = get_close_matches(code, rules(), 1, 0.5)
            repair = f"write {near[0]}" if near else "see the list with --explain all"
            raise UsageError(f"{where}: {code!r} is not the code of a rule", valid=", ".join(rules()), repair=repair)


def explained(code: str) -> str:
    """The pages of the rules that a code names, or for `all` a line for each rule."""
    if code == "all":
        return "\n".join(f"{rule.code} {rule.name}: {rule.summary}" for rule in rules().values())
    refuse_unknown_codes((code,), "--explain")
    return "\n".join(rule.page() for known, rule in rules().items() if known.startswith(code))
