"""A small stage for the assembler.

`Stage` does what the orchestrator does between the turns, with the real gates and the real authority rules, and nothing
more: it hands each turn its notes, stores what comes back, and lets nothing else be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from signoff.artifacts import markdown, yamlio
from signoff.core.commands import StartTurn
from signoff.core.declarations import Assignment, Misbehaviour, RolePlayer
from signoff.core.errors import UsageError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Ref, digest
from signoff.evidence.sources.files import Source, parse_source
from signoff.evidence.sources.located_claims import WEB
from signoff.workflows.kit import fixes
from signoff.workflows.solution_page import gate_plan, gates, outputs
from signoff.workflows.solution_page.assembler import ASSEMBLER
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents import page_template
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.documents.page_template import LANGS, Lang, Template
from signoff.workflows.solution_page.steps import authority

__all__ = ["AT", "EXAMPLES", "LANGS", "SHEET", "SLUG", "Stage", "example"]

AT = "2026-11-16T09:00:00+08:00"
SLUG = "field-recorder"
SHEET = "0-sources/product.yaml"
EXAMPLES = Path(__file__).parents[3] / "examples"


@dataclass
class Stage:
    """A project in memory: its files, the template, and turns played one by one."""

    files: dict[str, bytes]
    page: Template
    slug: str = SLUG
    agents: Mapping[str, RolePlayer] = field(default_factory=lambda: ASSEMBLER)
    faults: Misbehaviour = lambda _assignment: None
    turns: int = 0

    # --- what a turn sees ---

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise UsageError(f"{path!r} is no input of this turn")
        return self.files[path]

    def play(self, agent: str, notes: Mapping[str, Any], *, attempt: int = 1) -> str:
        self.turns += attempt == 1
        start = StartTurn(
            key=agent,
            agent=agent,
            contract=agent,
            task="",
            reads=tuple(self.files),
            pinned=tuple(Ref(path, digest(data)) for path, data in self.files.items()),
            notes={"slug": self.slug, "template": self.page.model_dump(mode="json", by_alias=True), **notes},
            turn=f"{self.turns:04}",
            attempt=attempt,
        )
        assignment = Assignment(start=start, brief="", params={"slug": self.slug}, at=AT)
        spoil = self.faults(assignment)
        output = self.agents[agent](assignment, self)
        assert isinstance(output, str)
        return spoil(output, self) if spoil else output

    def path(self, lang: str) -> str:
        return f"3-drafts/{self.slug}/content-{lang}.md"

    def text(self, path: str) -> str:
        return self.files[path].decode()

    def put(self, path: str, text: str) -> None:
        self.files[path] = text.encode()

    def edit_sheet(self, change: Any) -> None:
        sheet = yamlio.load(self.text(SHEET), SHEET)
        change(sheet)
        self.put(SHEET, yamlio.dump(sheet))

    # --- the registry ---

    @property
    def registry(self) -> Registry:
        return reg.parse(self.text(reg.PATH), reg.PATH) if reg.PATH in self.files else Registry()

    def store(self, registry: Registry) -> None:
        self.put(reg.PATH, reg.render(registry))

    def set_claim(self, claim_id: str, **changes: Any) -> None:
        self.store(self.registry.with_claims(replace(self.registry.claims[claim_id], **changes)))

    def claim(self, text: str) -> Claim:
        """The claim whose English text begins like this."""
        return next(claim for claim in self.registry.claims.values() if claim.text.startswith(text))

    # --- turns ---

    def strategy(self, **notes: Any) -> outputs.StrategistOutput:
        code = reg.code_of(self.slug)
        given = {
            "code": code,
            "page_type": self.page.page_type,
            "pool": 10,
            "rejected": None,
            **notes,
        }
        output = outputs.PARSE["strategist"](self.play("strategist", given).encode(), "output")
        if output.status == "complete":
            assert not list(authority._strategist_claims(output.claims, code))
            self.files |= {path: text.encode() for path, text in output.documents.items()}
            entered = [authority.stored(claim)[0] for claim in output.claims]
            self.store(Registry({claim.id: claim for claim in entered}))
        return output

    def write(self, lang: Lang, required: list[Finding] | None = None, **notes: Any) -> outputs.CopywriterOutput:
        given = {
            "language": lang,
            "file": self.path(lang),
            "required": [gate_plan.plain(finding) for finding in required or ()],
            "mode": "revise" if required else "draft",
            "revision": 0,
            **notes,
        }
        output = outputs.PARSE["copywriter"](self.play("copywriter", given).encode(), "output")
        if output.status == "complete":
            assert not [found for claim in output.claims for found in authority._proposal(claim, self.registry)]
            self.put(self.path(lang), output.documents[self.path(lang)])
            self.store(self.registry.with_claims(*(authority.stored(claim)[0] for claim in output.claims)))
        return output

    def review(self, lang: Lang) -> outputs.EditorOutput:
        found = self.results(lang)
        proofs = self.evidence()
        notes = {
            "language": lang,
            "file": self.path(lang),
            "gates": {gate_plan.REPORTED[name]: _result(each) for name, each in found.items()},
            "evidence": {
                one: [gate_plan.plain(found) for found in proofs if found.about == one]
                for one, claim in self.registry.claims.items()
                if claim.usable
            },
            "round": 1,
            "limit": 4,
        }
        output = outputs.PARSE["editor-qa"](self.play("editor-qa", notes).encode(), "output")
        if output.status in ("complete", "needs_revision"):
            assert not list(authority._verdicts(output.verdicts, self.registry))
            against = {found.about for found in failing(proofs)}
            sound = {claim_id: claim_id not in against for claim_id in self.registry.claims}
            self.store(authority.judged(self.registry, output.verdicts, sound)[0])
        return output

    def mend(self, lang: Lang, output: outputs.EditorOutput) -> None:
        """What code does with fixes: every one must apply."""
        mended, misses = fixes.apply(self.text(self.path(lang)), output.fixes, self.path(lang))
        assert not misses
        self.put(self.path(lang), mended)

    def settle(self, lang: Lang, rounds: int = 4) -> bool:
        """Review and revise until it passes, as often as the workflow would."""
        for _ in range(rounds):
            output = self.review(lang)
            if output.decision == "PASS":
                return not failing(self.findings(lang))
            if output.fixes:
                self.mend(lang, output)
            else:
                self.write(lang, required=self.findings(lang))
        return False

    # --- gates ---

    def results(self, lang: Lang) -> dict[str, list[Finding]]:
        text, file = self.text(self.path(lang)), self.path(lang)
        page = markdown.parse(text)
        found = {
            "structure": gates.structure(page, self.page, lang, file),
            "word-count": gates.word_count(page, self.page, lang, file),
            "links": gates.links(page, file, lambda path: path in self.files, None),
            "markers": gates.markers(markdown.strip_claims(text), file),
            "claims": gates.claims(
                page, self.registry, self.shelf, self.page, lang=lang, file=file, registry_file=reg.PATH
            ),
        }
        if lang == "cn":
            english = markdown.parse(self.text(self.path("en")))
            found["parity"] = gates.parity(english, page, self.path("en"), file, self.page)
        return {name: list(findings) for name, findings in found.items()}

    def findings(self, lang: Lang) -> list[Finding]:
        return [finding for findings in self.results(lang).values() for finding in failing(findings)]

    def evidence(self) -> list[Finding]:
        return gates.evidence(self.registry, self.shelf, reg.PATH)

    @property
    def shelf(self) -> gates.Shelf:
        def open_(path: str) -> Source | None:
            return parse_source(self.files[path], path) if path in self.files else None

        saved = {path: parse_source(data, path) for path, data in self.files.items() if path.startswith(f"{WEB}/")}
        return gates.Shelf(open_, saved)


def _result(found: list[Finding]) -> dict[str, Any]:
    return {"status": "fail" if failing(found) else "pass", "findings": [gate_plan.plain(one) for one in found]}


def example(name: str) -> Stage:
    """A shipped example as a stage."""
    root = EXAMPLES / name
    paths = sorted(path for path in (root / "0-sources").rglob("*") if path.is_file())
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    kind = yamlio.load(files[SHEET].decode(), SHEET)["kind"]
    return Stage(files, page_template.load_builtin(kind), slug=f"{name}-page")
