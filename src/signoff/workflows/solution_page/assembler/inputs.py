"""What a turn of the assembler has on its desk: the inputs that the turn names, parsed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from signoff import Assignment, DocumentError, Finding, RolePlayer, Tools
from signoff.artifacts import yamlio
from signoff.artifacts.text_decoding import decode
from signoff.evidence.sources.files import Source, parse_source
from signoff.evidence.sources.located_claims import WEB
from signoff.workflows.kit.turn_inputs import SOURCES, Inputs, Payload
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents import product_sheet
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.documents.page_template import Lang, Template
from signoff.workflows.solution_page.documents.product_sheet import PRODUCT_PATH, ProductSheet

Work = Callable[["Desk"], Payload]


@dataclass(frozen=True)
class Desk(Inputs):
    """One turn's inputs, parsed when they are asked for."""

    @property
    def language(self) -> Lang:
        return "cn" if self.notes["language"] == "cn" else "en"

    def text(self, path: str) -> str | None:
        found = self.data(path)
        return None if found is None else decode(found, path)

    @cached_property
    def sheet_text(self) -> str:
        text = self.text(PRODUCT_PATH)
        if text is None:
            problem = "the product sheet is not there; the assembler works from it"
            repair = f"write {PRODUCT_PATH} (schema signoff/product@1)"
            raise DocumentError([Finding(rule="product.missing", problem=problem, repair=repair, file=PRODUCT_PATH)])
        return text

    @cached_property
    def sheet(self) -> ProductSheet:
        return product_sheet.parse(self.sheet_text, PRODUCT_PATH)

    @cached_property
    def template(self) -> Template:
        return Template.model_validate(self.notes["template"])

    @cached_property
    def registry(self) -> Registry:
        text = self.text(reg.PATH)
        if text is None:
            problem, repair = "there is no claims registry", "run the strategy first"
            raise DocumentError([Finding(rule="registry.missing", problem=problem, repair=repair, file=reg.PATH)])
        return reg.parse(text, reg.PATH)

    @cached_property
    def _opened(self) -> dict[str, Source | None]:
        return {}

    def source(self, path: str) -> Source | None:
        """A source file as evidence sees it; None where it is missing or unreadable."""
        if path not in self._opened:
            found = self.data(path) if path.startswith(SOURCES) else None
            try:
                self._opened[path] = None if found is None else parse_source(found, path)
            except DocumentError:
                self._opened[path] = None
        return self._opened[path]

    @cached_property
    def snapshots(self) -> Mapping[str, Source]:
        """The saved web pages, by path."""
        pages = {path: self.source(path) for path in self.named if path.startswith(f"{WEB}/")}
        return {path: page for path, page in pages.items() if page is not None}

    @property
    def documents(self) -> tuple[str, ...]:
        """The sources that can be evidence: neither the sheet nor the brief, which only say what is wished."""
        found = (path for path in self.named if path.startswith(SOURCES) and path != PRODUCT_PATH)
        return tuple(sorted(path for path in found if not path.startswith(f"{SOURCES}brief")))


def turns(agent: str, work: Work) -> RolePlayer:
    """The turns of one agent from its work: the envelope around it, and `blocked` when an input cannot be read."""

    def assemble(assignment: Assignment, tools: Tools) -> str:
        try:
            payload = work(Desk(assignment, tools))
        except DocumentError as error:
            payload = blocked(assignment, [str(finding) for finding in error.findings])
        return yamlio.dump({"agent": agent, "timestamp": assignment.at, **payload})

    return assemble


def blocked(assignment: Assignment, blockers: Sequence[str]) -> Payload:
    """Nobody but a person can go on: what is wrong, where, and what to do."""
    payload: Payload = {"status": "blocked", "blockers": list(blockers)}
    if assignment.start.agent == "copywriter":
        notes = assignment.start.notes
        payload |= {"language": notes["language"], "file": notes["file"]}
    return payload


def claim_out(claim: Claim) -> Payload:
    """A claim as an agent gives it back."""
    return {"id": claim.id, **reg.render_claim(claim)}
