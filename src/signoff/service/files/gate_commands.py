"""The gates on plain files, without a project: the gates that a run uses, and a `look` over the files themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, get_args
from urllib.parse import unquote

from signoff.artifacts import markdown
from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Gate, GateInput
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Parse, Ref, digest
from signoff.service import catalog
from signoff.service.status_overview import around
from signoff.shell.files import inside, read_if_there
from signoff.shell.outside.link_probes import probe
from signoff.workflows.solution_page import config, gate_plan, state
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents.page_template import BUILTIN, LANGS, Lang, PageType
from signoff.workflows.solution_page.gates import GATES

T = TypeVar("T")

NAMES = tuple(gate_plan.REPORTED)
PAGE_TYPES: tuple[str, ...] = get_args(PageType)
MODES = ("format", "http")
_CN_NAME = re.compile(r"(?:^|[-_.])(?:cn|zh)(?:[-_.]|$)", re.IGNORECASE)
_EN_NAME = re.compile(r"(?:^|[-_.])en(?:[-_.]|$)", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_PATH_LIKE = re.compile(r"[^\s()<>\"'\[\]#?]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the person asked for; None means: find it out. With a `home`, nothing outside that folder is looked at."""

    gate: str
    files: tuple[Path, ...]
    lang: str | None = None
    page_type: str | None = None
    template: str | None = None
    registry: Path | None = None
    mode: str | None = None
    strip: bool = False
    home: Path | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a gate said of the files."""

    gate: str
    files: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return not failing(self.findings)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON data."""
        found = [gate_plan.plain(finding) for finding in self.findings]
        return {"gate": self.gate, "pass": self.passed, "files": list(self.files), "findings": found}


async def check(asked: Asked) -> Result:
    """Runs one gate over the files; parity takes two, all others take them one by one."""
    if asked.gate not in NAMES:
        return _declared(asked)
    _refuse_nonsense(asked)
    groups = [asked.files] if asked.gate == "parity" else [(file,) for file in asked.files]
    found = [finding for files in groups for finding in await _one(asked, files)]
    return Result(asked.gate, tuple(map(str, asked.files)), tuple(found))


def _refuse_nonsense(asked: Asked) -> None:
    _one_of("--lang", asked.lang, LANGS)
    _one_of("--page-type", asked.page_type, PAGE_TYPES)
    _one_of("--mode", asked.mode, MODES)
    if asked.gate == "parity" and len(asked.files) != 2:
        raise UsageError(
            f"parity compares two files, {len(asked.files)} given", repair="give the English file, then the Chinese one"
        )
    _refuse_lost(asked.files)


def _refuse_lost(files: Sequence[Path]) -> None:
    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no file {str(file)!r}", repair="give the path of a file that is there")


def _one_of(what: str, given: str | None, valid: Sequence[str]) -> None:
    if given is not None and given not in valid:
        raise UsageError(f"{what} is {given!r}", valid=", ".join(valid))


def _declared(asked: Asked) -> Result:
    """A gate that a workflow or a package declares: each file stands for a document that it reads, in order."""
    home = asked.home or around(asked.files[0].resolve().parent) or Path.cwd()
    catalog.use_project(home)
    known = catalog.gates()
    _one_of("gate", asked.gate, (*NAMES, *known))
    gate, shelf = known[asked.gate], _Files(home, confined=asked.home is not None)
    roles = [role for role, path in gate.reads.items() if not path.endswith("/")]
    if len(asked.files) != len(roles):
        raise UsageError(
            f"{asked.gate} reads {len(roles)} file{'s' * (len(roles) != 1)}, {len(asked.files)} given",
            repair=f"give a file for each of: {', '.join(roles) or 'nothing'}",
        )
    _refuse_lost(asked.files)
    of = {role: shelf.given(file) for role, file in zip(roles, asked.files, strict=True)}
    for role, folder in gate.reads.items():
        if folder.endswith("/"):
            paths = (at.relative_to(home).as_posix() for at in sorted((home / folder).rglob("*")) if at.is_file())
            of |= {f"{role}/{path.removeprefix(folder)}": shelf.ref(path) for path in paths}
    findings = _findings(gate, GateInput(of=of, params={}, look=shelf), shelf)
    return Result(asked.gate, tuple(map(str, asked.files)), tuple(findings))


async def _one(asked: Asked, files: Sequence[Path]) -> list[Finding]:
    shelf = _Files(asked.home or _home(asked, files[0]), confined=asked.home is not None)
    gate = GATES[asked.gate]
    given = _input(asked, files, shelf)
    if urls := list(gate.urls(given)):
        given = replace(given, probes=await probe(urls, given.params))
    return _findings(gate, given, shelf)


def _findings(gate: Gate, given: GateInput, shelf: _Files) -> list[Finding]:
    try:
        findings = gate.run(given)
    except DocumentError as error:
        findings = error.findings
    return [replace(finding, file=shelf.shown.get(finding.file, finding.file)) for finding in findings]


# --- files as documents -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Files:
    """A `look` over plain files. Paths count from the folder; `shown` has them as the person wrote them."""

    home: Path
    shown: dict[str, str] = field(default_factory=dict)
    confined: bool = False

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T:
        return parse(self.read(ref.path), ref.path)

    def read(self, path: str) -> bytes:
        data = read_if_there(self.place(path))
        if data is None:
            raise UsageError(f"there is no file {self.home / path}", repair="give the path of a file that is there")
        return data

    def place(self, path: str) -> Path:
        """Where a path leads. It may lead out of the folder only if a person named the files."""
        return inside(self.home, path) if self.confined else self.home / path

    def ref(self, path: str) -> Ref:
        return Ref(path, digest(self.read(path)))

    def given(self, file: Path) -> Ref:
        """A file that the person named."""
        path = Path(os.path.relpath(file.resolve(), self.home.resolve())).as_posix()
        self.shown[path] = str(file)
        return self.ref(path)


def _home(asked: Asked, file: Path) -> Path:
    """Where paths count from: the registry's project for claims, else the project of the file, else where we are."""
    if asked.gate == "claims":
        registry = _registry(asked, file).resolve()
        return registry.parent.parent if registry.parent.name == "_shared" else registry.parent
    return around(file.resolve().parent) or Path.cwd()


def _registry(asked: Asked, file: Path) -> Path:
    if asked.registry is not None:
        if not asked.registry.is_file():
            raise UsageError(
                f"there is no registry {str(asked.registry)!r}", repair="give the path of a claims registry"
            )
        return asked.registry
    found = next((at for folder in file.resolve().parents if (at := folder / reg.PATH).is_file()), None)
    if found is None:
        raise UsageError(f"no {reg.PATH} above {file}", repair="name the registry with --registry FILE")
    return found


def registry_evidence(file: Path) -> tuple[Mapping[str, reg.Claim], Mapping[str, list[Finding]]]:
    """The claims of a registry, and for each what does not hold of its evidence."""
    asked = Asked(gate="claims", files=(file,), registry=file)
    shelf = _Files(_home(asked, file))
    of = _claims(asked, file, shelf)
    given = GateInput(of=of, params={"link_mode": "format"}, look=shelf)
    found: dict[str, list[Finding]] = {}
    for finding in GATES["evidence"].run(given):
        shown = shelf.shown.get(finding.file, finding.file)
        found.setdefault(finding.about, []).append(replace(finding, file=shown))
    return shelf(of["registry"], reg.parse_doc).claims, found


# --- what a gate is given ---------------------------------------------------------------------------------------------


def _input(asked: Asked, files: Sequence[Path], shelf: _Files) -> GateInput:
    refs = [shelf.given(file) for file in files]
    of = dict(zip(("en", "cn") if asked.gate == "parity" else ("draft",), refs, strict=True))
    name, own = _template(asked, shelf)
    if own is not None:
        of["template"] = own
    if asked.gate == "claims":
        of |= _claims(asked, files[0], shelf)
    settings = _settings(shelf)
    params = {
        "lang": asked.lang or _language(files[0], shelf.read(refs[0].path)),
        "template": name,
        "strip": asked.strip,
        "link_mode": asked.mode or "format",
        "allow_private": settings.allow_private_links,
        "files": sorted({target for ref in refs for target in _targets(ref, shelf)}),
    }
    return GateInput(of=of, params=params, look=shelf)


def _claims(asked: Asked, file: Path, shelf: _Files) -> dict[str, Ref]:
    """The registry, all sources of its project, and what else its evidence names."""
    registry = shelf.given(_registry(asked, file))
    below = sorted((shelf.home / state.SOURCES).rglob("*"))
    paths = {at.relative_to(shelf.home).as_posix() for at in below if at.is_file() and not at.name.startswith(".")}
    paths |= set(_named(shelf(registry, reg.parse_doc), shelf.home))
    return {"registry": registry, **{path: shelf.ref(path) for path in sorted(paths)}}


def _settings(shelf: _Files) -> config.Config:
    data = read_if_there(shelf.place(config.PATH))
    return config.Config() if data is None else config.parse_doc(data, config.PATH)


def _template(asked: Asked, shelf: _Files) -> tuple[str, Ref | None]:
    """A shipped template by name, or a file: one that is named, or the project's own."""
    if asked.template and asked.template not in BUILTIN:
        if not Path(asked.template).is_file():
            repair = "give the path of a template file, or the name of a shipped one"
            raise UsageError(f"there is no template {asked.template!r}", valid=", ".join(BUILTIN), repair=repair)
        return asked.template, shelf.given(Path(asked.template))
    name = asked.template or asked.page_type or _settings(shelf).template_name
    own = f"{state.TEMPLATES}{name}.yaml"
    return name, shelf.ref(own) if (shelf.home / own).is_file() else None


def _named(registry: reg.Registry, home: Path) -> Iterator[str]:
    for claim in registry.claims.values():
        for locator in claim.evidence:
            path = getattr(locator, "path", None)
            if path and ".." not in Path(path).parts and not Path(path).is_absolute() and (home / path).is_file():
                yield os.path.normpath(path)


def _language(file: Path, data: bytes) -> Lang:
    """From the name of the file; if that says nothing, from the share of Han characters."""
    if _CN_NAME.search(file.name):
        return "cn"
    if _EN_NAME.search(file.name):
        return "en"
    text = data.decode("utf-8", "replace")
    letters = sum(map(str.isalpha, text))
    return "cn" if letters and len(_HAN.findall(text)) / letters > 0.2 else "en"


def _targets(ref: Ref, shelf: _Files) -> Iterator[str]:
    """The files on disk that the page might link to, as paths from the folder."""
    text = shelf(ref, _text)
    words = {link.url for link in markdown.parse(text).links} | set(_PATH_LIKE.findall(text))
    for word in words:
        path = unquote(re.split(r"[#?]", word)[0])
        base = "" if path.startswith("/") else os.path.dirname(ref.path)  # noqa: PTH120 - project paths are strings
        target = os.path.normpath(os.path.join(base, path.lstrip("/")))  # noqa: PTH118
        if path and "\0" not in path:
            with suppress(OSError, UsageError):  # a word of the page may be no possible file name, or lead out
                if shelf.place(target).exists():
                    yield target


_text: Callable[[bytes, str], str] = decode
