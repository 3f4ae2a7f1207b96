"""One check, from the request to the report: find files, read pages in parallel, join links, apply exemptions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.evidence.check.directives import Directive, without_ignored
from signoff.evidence.check.link_rules import Files, LocalLink, link_violations
from signoff.evidence.check.rules import Violation, rules
from signoff.evidence.check.settings import Settings
from signoff.evidence.check.source_index import SourceIndex
from signoff.service.check import files as on_disk
from signoff.service.check import page_work, pool
from signoff.service.check.cache import FOLDER, Cache, digest, rules_digest
from signoff.service.check.config import Config
from signoff.service.check.report import Found, Report

ROUTED: Final = frozenset(("any", "hugo", "mkdocs", "docusaurus"))
"""Site tools whose pages may link to addresses that count from the page's own folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a check is about; paths count from `base`."""

    files: tuple[str, ...]
    config: Config
    base: Path = field(default_factory=Path)
    cache: Path | None = Path(FOLDER)
    jobs: int = 0


def check(request: Request) -> Report:
    """Looks at all files and says what is wrong."""
    return _Check(request).report()


class _Check:
    def __init__(self, request: Request) -> None:
        self.request, self.config, self.base = request, request.config, request.base
        self.settings: Settings = request.config.settings()
        self.jobs = request.jobs or pool.cores()
        self.version = rules_digest()
        self.pairs, self.lone = on_disk.pairs(self.config.pairs, self.base)
        named = request.files or tuple(dict.fromkeys(path for pair in self.pairs for path in pair))
        if not named:
            raise UsageError("no files are named", repair="name files, folders or patterns, as in `signoff check docs`")
        self.pages = on_disk.pages(named, self.config.exclude, self.base)
        counterparts = [path for pair in self.pairs if set(pair) & set(self.pages) for path in pair]
        self.beside = frozenset(counterparts) - frozenset(self.pages)
        """The other halves of pairs: only what drifted is told of them."""
        self.pages += [path for path in dict.fromkeys(counterparts) if path in self.beside]
        self.cached = 0

    def report(self) -> Report:
        cache_ = Cache(self.request.cache and self.base / self.request.cache)
        try:
            index, sources, key = self._index(cache_)
            results = self._pages(cache_, index, sources, key)
            drifted = self._drift(cache_)
        finally:
            cache_.close()
        found: list[Found] = []
        exempted, listed, ignored = Counter[str](), Counter[str](), 0
        extra = self._registry(results)
        for path, data in results.items():
            exempted.update(data["exempted"])
            listed.update(data["listed"])
            violations = [page_work.violation(row) for row in data["violations"]]
            violations += self._links(path, data, results)
            if path in self.beside:
                violations = []
            violations += [*drifted.get(path, ()), *extra.get(path, ())]
            kept, hidden = self._kept(path, violations, data)
            ignored += hidden
            found += kept
        exempted.update({f"list: {entry}": count for entry, count in listed.items()})
        found += self._idle_entries(listed)
        found.sort(key=lambda each: (each.file, each.line, each.rule.code))
        return Report(
            list(dict.fromkeys(found)),
            [path for path in results if path not in self.beside],
            exempted,
            ignored,
            self.cached,
            len(sources),
        )

    # --- sources ---

    def _index(self, cache_: Cache) -> tuple[SourceIndex | None, list[str], str]:
        sources = on_disk.sources(self.config.sources, self.base)
        if not sources:
            return None, [], ""
        contents = {path: _bytes(self.base / path) for path in sources}
        keys = {path: digest(self.version, "entry", os.path.splitext(path)[1], data) for path, data in contents.items()}  # noqa: PTH122
        entries = cache_.known(keys.values())
        missing = [path for path in sources if keys[path] not in entries]
        made = pool.each(_entry_work, [(path, str(self.base / path)) for path in missing], None, self.jobs)
        fresh = {keys[path]: each for path, each in zip(missing, made, strict=True)}
        cache_.keep(fresh)
        known = {**entries, **fresh}

        @cache
        def text_of(number: int) -> str:
            return page_work.source_text(sources[number], contents[sources[number]])

        index = SourceIndex(sources, (page_work.entry_of(known[keys[path]]) for path in sources), text_of)
        return index, sources, digest(*(f"{path} {keys[path]}" for path in sources))

    # --- pages ---

    def _pages(
        self, cache_: Cache, index: SourceIndex | None, sources: Sequence[str], key: str
    ) -> dict[str, dict[str, Any]]:
        own = {os.path.realpath(self.base / path): number for number, path in enumerate(sources)}
        settings = self.settings.key()
        keys: dict[str, str] = {}
        for path in self.pages:
            number = own.get(os.path.realpath(self.base / path), -1) if own else -1
            keys[path] = digest(self.version, "page", settings, key, str(number), _bytes(self.base / path))
        known = cache_.known(keys.values())
        missing = [path for path in self.pages if keys[path] not in known]
        self.cached = len(self.pages) - len(missing)
        jobs = [
            (str(self.base / path), own.get(os.path.realpath(self.base / path), -1) if own else -1) for path in missing
        ]
        made = pool.each(_page_work, jobs, (self.settings, index), self.jobs, 4 if index else pool.FEW)
        fresh = {keys[path]: data for path, data in zip(missing, made, strict=True)}
        cache_.keep(fresh)
        known |= fresh
        return {path: known[keys[path]] for path in self.pages}

    def _links(
        self, path: str, data: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Violation]:
        if not data["links"]:
            return
        files = self._files(results)
        links = [LocalLink(*row) for row in data["links"]]
        yield from link_violations(Path(path).as_posix(), links, frozenset(data["ids"]), files)

    def _files(self, results: Mapping[str, Mapping[str, Any]]) -> Files:
        if not hasattr(self, "_known_files"):
            root = self.config.site_root
            at = os.path.relpath(self.config.home / root, self.base) if root else None

            @cache
            def exists(path: str) -> bool:
                try:
                    return os.path.exists(self.base / path)  # noqa: PTH110 - asked for every link
                except ValueError:
                    return False

            @cache
            def ids(path: str) -> frozenset[str] | None:
                if path in results:
                    return frozenset(results[path]["ids"])
                if not path.lower().endswith(on_disk.PAGES) or not (self.base / path).is_file():
                    return None
                data = page_work.page_data(
                    self.base / path, _bytes(self.base / path), Settings(site=self.settings.site)
                )
                return frozenset(data["ids"])

            self._known_files = Files(exists, ids, at, self.settings.site in ROUTED)
        return self._known_files

    # --- pairs, registry ---

    def _drift(self, cache_: Cache) -> dict[str, list[Violation]]:
        found: dict[str, list[Violation]] = {}
        wanted = set(self.pages) - self.beside
        pairs = [pair for pair in self.pairs if wanted & set(pair)]
        keys = {pair: digest(self.version, "pair", *(_bytes(self.base / path) for path in pair)) for pair in pairs}
        known = cache_.known(keys.values())
        missing = [pair for pair in pairs if keys[pair] not in known]
        made = pool.each(
            _pair_work, [tuple(str(self.base / path) for path in pair) for pair in missing], None, self.jobs
        )
        fresh = {keys[pair]: data for pair, data in zip(missing, made, strict=True)}
        cache_.keep(fresh)
        known |= fresh
        for pair in pairs:
            for side, row in known[keys[pair]]:
                each = page_work.violation(row)
                found.setdefault(pair[side], []).append(replace(each, near=f"{pair[1 - side]}:1"))
        for path in self.lone:
            if path in wanted:
                problem = "the page has no counterpart in the other folder of its pair"
                found.setdefault(path, []).append(Violation(code="SC405", line=1, problem=problem))
        return found

    def _registry(self, results: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Violation]]:
        if not self.config.registry:
            return {}
        from signoff.service.check.registry import registry_violations

        registry = self.config.home / self.config.registry
        used = {
            path: [(claim, line) for claim, line in data["claims"]] for path, data in results.items() if data["claims"]
        }
        found: dict[str, list[Violation]] = {}
        for path, each in registry_violations(registry, used):
            found.setdefault(path, []).append(each)
        return found

    # --- exemptions ---

    def _kept(self, path: str, violations: Sequence[Violation], data: Mapping[str, Any]) -> tuple[list[Found], int]:
        patterns = on_disk.ignored_for(path, tuple(self.config.per_file_ignores))
        off = tuple(code for pattern in patterns for code in self.config.per_file_ignores[pattern])
        on = [each for each in violations if self.settings.runs(each.code) and not each.code.startswith(off or ("-",))]
        directives = [
            Directive(tuple(codes), reason, line, first, last)
            for codes, reason, line, first, last in data["directives"]
        ]
        kept = [
            each
            for each in without_ignored(on, directives)
            if each.code != "SC003" or (self.settings.runs("SC003") and self._could_run(each, directives))
        ]
        hidden = len(on) - sum(each.code != "SC003" for each in kept)
        return [self._found(path, each) for each in kept], hidden

    def _could_run(self, idle: Violation, directives: Sequence[Directive]) -> bool:
        """An exemption of a rule that this check did not run may be needed by another check."""
        codes = [code for each in directives if each.line == idle.line for code in each.codes]
        running = {
            "sources": bool(self.config.sources),
            "pair": bool(self.pairs),
            "registry": bool(self.config.registry),
            "claims": self.settings.require_claims,
        }
        return all(self.settings.runs(code) and running.get(rules()[code].needs, True) for code in codes)

    def _idle_entries(self, listed: Counter[str]) -> Iterator[Found]:
        if self.settings.require_claims and self.settings.runs("SC003"):
            for entry in self.settings.no_claims:
                if not listed[entry]:
                    problem = f"no-claims: {entry!r} exempts nothing in these files"
                    yield self._found(self.config.file, Violation(code="SC003", line=1, problem=problem))

    def _found(self, path: str, each: Violation) -> Found:
        rule = rules()[each.code]
        return Found(
            file=path, line=each.line, rule=rule, severity=self.settings.severity(rule), problem=each.problem,
            repair=each.repair or rule.repair, about=each.about, near=each.near,
        )  # fmt: skip


def _bytes(path: Path) -> bytes:
    """The bytes of a file; one that went away or may not be read counts as empty, and is told as such."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{str(path)!r} cannot be read: {error.strerror}", repair="check the file and its permissions"
        ) from error


def _entry_work(item: tuple[str, str], _: Any) -> list[Any]:
    path, at = item
    return page_work.entry_data(path, _bytes(Path(at)))


def _page_work(item: tuple[str, int], shared: tuple[Settings, SourceIndex | None]) -> dict[str, Any]:
    (path, own), (settings, index) = item, shared
    return page_work.page_data(Path(path), _bytes(Path(path)), settings, index, own)


def _pair_work(item: tuple[str, str], _: Any) -> list[Any]:
    first, second = item
    return page_work.pair_data(first, _bytes(Path(first)), second, _bytes(Path(second)))
