"""What a check is asked to do: values, each with a default, as they stand in a config or on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from signoff.evidence.check.rules import Rule, Severity, rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that change what a page's own rules find; `select` turns rules on that are off by default."""

    ignore: frozenset[str] = frozenset()
    select: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    site: str = "any"
    require_claims: bool = False
    no_claims: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    placeholder_hosts: tuple[str, ...] = ()

    def runs(self, code: str) -> bool:
        rule = rules()[code]
        if any(code.startswith(each) for each in self.ignore):
            return False
        return rule.on or any(code.startswith(each) for each in self.select)

    def severity(self, rule: Rule) -> Severity:
        return self.severities.get(rule.code, rule.severity)

    def key(self) -> str:
        """What changes the findings of a page, as a text for the key of a cache."""
        return repr(
            (
                sorted(self.ignore),
                sorted(self.select),
                self.site,
                self.require_claims,
                self.no_claims,
                self.product,
                self.placeholder_hosts,
            )
        )
