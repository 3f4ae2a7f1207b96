"""`signoff facts`: proposes the facts of a product sheet from documents of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from signoff.core.errors import DocumentError, UsageError
from signoff.evidence.sources.files import parse_source
from signoff.evidence.sources.locators import describe, render
from signoff.service.status_overview import around
from signoff.shell.files import inside, read_if_there, write_plain
from signoff.workflows.solution_page.documents.page_template import PageType
from signoff.workflows.solution_page.documents.product_sheet import PRODUCT_PATH
from signoff.workflows.solution_page.documents.proposed_sheet import Proposal, new_sheet, with_facts
from signoff.workflows.solution_page.documents.source_facts import SourceFact, extract

KINDS: tuple[PageType, ...] = get_args(PageType)
READ = (".md", ".markdown", ".txt", ".html", ".htm", ".xhtml", ".pdf", ".yaml", ".yml", ".json")
"""The kinds of file that a folder is searched for."""


_OURS = re.compile(rb"^schema: signoff/", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the person asked for. `into` and `sources` are paths as given; `home` is the folder that they count from."""

    sources: tuple[Path, ...]
    home: Path
    into: Path = Path(PRODUCT_PATH)
    kind: str = "hardware"
    force: bool = False
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The proposal, where it was written (or would be), and what could not be read or placed."""

    proposal: Proposal
    sheet: str
    replaced: bool
    existed: bool
    files: tuple[str, ...]
    unreadable: tuple[str, ...]
    unplaced: int

    def to_json(self) -> dict[str, Any]:
        return {
            "sheet": self.sheet,
            "created": not self.existed or self.replaced,
            "facts": [_to_json(name, fact) for name, fact in self.proposal.added.items()],
            "differing": list(self.proposal.differing),
            "unplaced": self.unplaced,
            "files": list(self.files),
            "unreadable": list(self.unreadable),
        }


def _to_json(name: str, fact: SourceFact) -> dict[str, Any]:
    numbers = [{"value": str(one.value), "unit": one.unit.lstrip("#"), "text": one.text} for one in fact.quantities]
    return {
        "id": name,
        "lang": fact.lang,
        "text": fact.text,
        "label": fact.label,
        "value": fact.value,
        "quantities": numbers,
        "under": fact.context,
        "source": render(fact.locator),
    }


def described(fact: SourceFact) -> str:
    """The place of a fact in one line."""
    return describe(fact.locator)


def propose(asked: Asked) -> Result:
    """Reads the sources, and writes a new sheet or adds to the one that is there."""
    kind = next((one for one in KINDS if one == asked.kind), None)
    if kind is None:
        raise UsageError(f"--page-type is {asked.kind!r}", valid=", ".join(KINDS))
    root, sheet = _places(asked)
    full = inside(root, sheet)
    old = read_if_there(full)
    paths = list(_files(asked.sources, asked.home, root, {sheet}))
    if not paths:
        listed = ", ".join(map(str, asked.sources))
        raise UsageError(f"no document in {listed}", valid=", ".join(READ), repair="name a file or a folder with some")
    facts: list[SourceFact] = []
    unreadable: list[str] = []
    unplaced = 0
    for path in paths:
        try:
            found = extract(parse_source(read_if_there(inside(root, path)) or b"", path))
        except DocumentError as error:
            unreadable += [f"{path}: {one.problem}. Repair: {one.repair}" for one in error.findings]
            continue
        facts += found.facts
        unplaced += len(found.unplaced)
    keep = old is not None and not asked.force
    proposal = with_facts(_text(old or b"", sheet), sheet, facts) if keep else new_sheet(facts, kind)
    if not asked.dry and (proposal.added or not keep):
        write_plain(full, proposal.text.encode())
    replaced = old is not None and asked.force
    return Result(proposal, sheet, replaced, old is not None, tuple(paths), tuple(unreadable), unplaced)


def _text(data: bytes, file: str) -> str:
    return parse_source(data, file).text


def _places(asked: Asked) -> tuple[Path, str]:
    """The project folder, from which locators count, and the sheet in it."""
    target = (asked.home / asked.into).resolve()
    above = target.parent
    root = above.parent if above.name == "0-sources" else around(above) or around(asked.home) or asked.home
    root = root.resolve()
    if not target.is_relative_to(root):
        raise UsageError(
            f"--into is {asked.into}, outside the project {root}", repair=f"name a file in it, such as {PRODUCT_PATH}"
        )
    if target.suffix not in (".yaml", ".yml"):
        raise UsageError(f"--into is {asked.into}", valid="a .yaml file", repair=f"write it into {PRODUCT_PATH}")
    return root, target.relative_to(root).as_posix()


def _files(sources: Sequence[Path], home: Path, root: Path, but: set[str]) -> Iterator[str]:
    """The documents, as paths from the project folder, each once."""
    seen = set(but)
    for given in sources:
        full = (home / given).resolve()
        if not full.exists():
            raise UsageError(f"{given} is not there", repair="correct the path of the document")
        below = sorted(one for one in full.rglob("*") if one.suffix.lower() in READ and _states(one))
        for file in below if full.is_dir() else [full]:
            if not file.is_relative_to(root):
                repair = f"copy it into {root / '0-sources'}: evidence is a file of the project"
                raise UsageError(f"{given} is outside the project {root}", repair=repair)
            path = file.relative_to(root).as_posix()
            if path not in seen and not path.rpartition("/")[2].startswith("."):
                seen.add(path)
                yield path


def _states(file: Path) -> bool:
    """Whether a file of a folder is a document: no brief, and no sheet or other file of a workflow."""
    if not file.is_file() or file.name == "brief.md":
        return False
    return file.suffix not in (".yaml", ".yml") or not _OURS.search((read_if_there(file) or b"")[:4000])
