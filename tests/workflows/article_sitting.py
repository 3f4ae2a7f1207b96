"""A small stage for the role players of articles.

`Sitting` does between the turns what the workflow does, with the real contracts, the real owners of fields and the real
check of quotes, and nothing more: a player that gives something that would be refused fails the test at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.artifacts import pages as page_files
from signoff.artifacts.pages import PageText
from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Assignment, RolePlayer
from signoff.workflows.article import audiences, checks, edit, following, materials, outputs, owners, quotes
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.materials import Item
from signoff.workflows.article.players import PLAYERS
from signoff.workflows.article.schema import ArticleConfig, parse_doc

EXAMPLE = Path(__file__).parents[2] / "examples" / "heat-treatment"
TOPIC = "quench-oil-maintenance"
AT = "2026-11-18T08:00:00Z"


@dataclass
class Sitting:
    """A project in memory, and one article played turn by turn."""

    files: dict[str, bytes]
    language: str = "en"
    params: dict[str, Any] = field(default_factory=dict)
    topic: str = TOPIC
    players: Mapping[str, RolePlayer] = field(default_factory=lambda: PLAYERS)
    pages: dict[str, PageText] = field(default_factory=dict)
    items: Sequence[Item] = ()
    outputs: list[str] = field(default_factory=list)
    avoid: Mapping[str, Sequence[str]] = field(default_factory=dict)
    articles: Sequence[Mapping[str, Any]] = ()

    # --- what the players see ---

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise UsageError(f"{path!r} is no input of this turn")
        return self.files[path]

    def write(self, path: str, _text: str) -> None:
        raise UsageError(f"{path!r} is not to be written")

    def run(self, command: str) -> Any:
        raise UsageError(f"{command!r} is not to be run")

    def raw(self, agent: str, contract: str, given: Mapping[str, Any]) -> str:
        pinned = tuple(Ref(path, digest(data)) for path, data in sorted(self.files.items()))
        start = StartTurn(key=contract, agent=agent, contract=contract, task="", notes=given, pinned=pinned)
        said = self.players[agent](Assignment(start=start, brief="", params={}, at=AT), self)
        assert isinstance(said, str)
        self.outputs.append(said)
        return said

    def play(self, agent: str, contract: str, given: Mapping[str, Any], parse: Callable[[bytes, str], Any]) -> Any:
        output = parse(self.raw(agent, contract, {**self.notes, **given}).encode(), "output.yaml")
        assert output.status == "complete", output.blockers
        return output

    @property
    def notes(self) -> dict[str, Any]:
        if not self.config_text:
            return {"topic": self.topic, "language": self.language, **self.params, "articles": list(self.articles)}
        config = self.config
        return {
            "topic": self.topic,
            "language": config.language,
            "type": config.articleType,
            "length": config.articleLength,
            "framework": config.audienceFramework,
            "depth": config.depth,
        }

    # --- the config ---

    @property
    def path(self) -> str:
        return f"config/{self.topic}.json"

    @property
    def config_text(self) -> str:
        return self.files.get(self.path, b"").decode()

    @property
    def config(self) -> ArticleConfig:
        return parse_doc(self.files[self.path], self.path)

    def put(self, patch: Mapping[str, Any]) -> None:
        self.files[self.path] = edit.put(self.config_text or "{}\n", patch, self.path).encode()

    def take(self, patch: Mapping[str, Any], owner: owners.Owner, contract: str) -> None:
        """What an agent gives for the config: only its own fields, in the form that they have."""
        assert owners.check_part(patch, owner, self.path, contract) == []
        self.put(patch)

    # --- the steps ---

    def configure(self) -> None:
        made = self.play("config-creator", "config", {}, outputs.parse_config)
        self.take(made.config, "config-creator", "config")
        self.put(following.after_config(self.config))
        assert audiences.check(self.config, self.path) == []

    def gather(self) -> None:
        """Every document of the corpus in the language of the article, as a run would have fetched it."""
        for path, data in sorted(self.files.items()):
            if path.startswith("0-sources/") and path != "0-sources/brief.md":
                page = page_files.read(data, path)
                self.pages[path] = page
        for url, page in self.pages.items():
            self.files[self.place(url)] = page_files.render(page).encode()

    def place(self, url: str) -> str:
        return page_files.place(f"knowledge/{self.topic}-pages/", url)

    @property
    def listed(self) -> list[dict[str, str]]:
        return [{"url": url, "path": self.place(url), "title": page.title} for url, page in sorted(self.pages.items())]

    def survey(self) -> None:
        wants = bool(self.config.writingAngle.pending)
        given = {"pages": self.listed, "wants_theses": wants}
        found = self.play("web-researcher", "phase-1", given, outputs.parse_research)
        self.take(found.config, "web-researcher 1", "phase-1")
        self.put(following.after_phase_1(self.config, sorted(self.pages)))

    def choose(self, thesis: int | str | None = 0, stance: str = "challenge") -> None:
        if isinstance(thesis, int):
            one = self.config.research.recommendedTheses[thesis]
            angle = {"thesis": one.thesis, "stance": one.stance, "recommendedDepth": one.recommendedDepth}
        else:
            angle = {"thesis": thesis, "stance": stance if thesis else None}
        self.put({"writingAngle": {**angle, "pending": False}})

    def mine(self) -> None:
        found: dict[Any, list[Any]] = {}
        texts = {url: page.text for url, page in self.pages.items()}
        for name in materials.ROUNDS:
            given = {**self.thesis, "round": name, "pages": self.listed}
            one = self.play("web-researcher", "materials", given, outputs.parse_materials)
            for item in one.items:
                assert [str(one) for one in quotes.check(item, texts, "output.yaml")] == []
            found[name] = list(one.items)
        self.items = materials.numbered(found)
        self.files[f"knowledge/{self.topic}-sources.md"] = materials.render(self.topic, self.items).encode()
        self.put(following.after_rounds(self.config, self.items, sorted(self.pages)))

    @property
    def thesis(self) -> dict[str, Any]:
        config = self.config
        found, space = config.research.thesisValidation, config.research.innovationSpace
        return {
            "thesis": (found.validatedThesis if found else None) or config.writingAngle.thesis,
            "stance": config.writingAngle.stance,
            "strategy": space.strategy if space else None,
        }

    @property
    def ids(self) -> list[dict[str, Any]]:
        return [{"id": item.id, "kind": item.round, **item.found.model_dump(mode="json")} for item in self.items]

    def weigh(self) -> None:
        found = self.play("web-researcher", "phase-2", {**self.thesis, "ids": self.ids}, outputs.parse_research)
        self.take(found.config, "web-researcher 2", "phase-2")
        assert materials.dangling(self.config, self.items) == []
        self.put({"workflowState": {"research": {"status": "completed", "completedAt": AT}}})

    @property
    def writing(self) -> dict[str, Any]:
        least, most = audiences.budget(self.config.articleLength, self.config.language)
        return {
            **self.thesis,
            "ids": self.ids,
            "budget": {"least": least, "most": most},
            "avoid": self.avoid,
            "articles": list(self.articles),
            "path": {"outline": f"outline/{self.topic}.md", "draft": f"drafts/{self.topic}.md"},
        }

    def plan(self) -> None:
        made = self.play("outline-writer", "outline", self.writing, outputs.parse_writer)
        self.take(made.config, "outline-writer", "outline")
        self.files |= {path: text.encode() for path, text in made.documents.items()}
        self.put(following.after_outline(self.config, self.outline))

    def draft(self, findings: Sequence[Finding] = ()) -> None:
        told = [{"rule": f.rule, "problem": f.problem, "repair": f.repair, "section": f.about} for f in findings]
        made = self.play("outline-writer", "draft", {**self.writing, "findings": told}, outputs.parse_writer)
        self.take(made.config, "outline-writer", "draft")
        self.files |= {path: text.encode() for path, text in made.documents.items()}
        self.put(following.after_draft(self.config, self.text))

    def proof(self, lens: str) -> outputs.ProofOutput:
        hits = [f for f in self.found() if f.rule.startswith("article.pattern")]
        told = [{"rule": f.rule, "problem": f.problem, "line": f.line, "section": f.about} for f in hits]
        given = {**self.thesis, "lens": lens, "findings": told}
        made = self.play("proofreader", "proof", given, outputs.parse_proof)
        assert isinstance(made, outputs.ProofOutput)
        return made

    @property
    def outline(self) -> str:
        return self.files[f"outline/{self.topic}.md"].decode()

    @property
    def text(self) -> str:
        return self.files[f"drafts/{self.topic}.md"].decode()

    @text.setter
    def text(self, new: str) -> None:
        self.files[f"drafts/{self.topic}.md"] = new.encode()

    def found(self) -> list[Finding]:
        """What the checks of a draft say of it."""
        least, most = audiences.budget(self.config.articleLength, self.config.language)
        given = Given(
            config=self.config, outline=self.outline, draft=self.text, items=self.items, file="draft",
            outline_file="outline", least=least, most=most, avoid=self.avoid,
        )  # fmt: skip
        return checks.run_all(given)

    def failing(self) -> list[str]:
        return [f"{one.rule}: {one.problem}" for one in failing(self.found())]

    def up_to_draft(self, thesis: int | str | None = 0, stance: str = "challenge") -> Sitting:
        self.configure()
        self.gather()
        self.survey()
        if self.config.writingAngle.pending:
            self.choose(thesis, stance)
        self.mine()
        self.weigh()
        self.plan()
        self.draft()
        return self


def example(language: str = "en", **params: Any) -> Sitting:
    """The shipped example, in one of its languages."""
    files = {
        str(path.relative_to(EXAMPLE)): path.read_bytes()
        for path in sorted((EXAMPLE / "0-sources").rglob("*"))
        if path.is_file()
    }
    return Sitting(files, language, {"type": "opinion", **params})


def corpus(texts: Mapping[str, str], language: str = "en", **params: Any) -> Sitting:
    """A folder of somebody's own documents."""
    files = {f"0-sources/{name}": text.encode() for name, text in texts.items()}
    return Sitting(files, language, {"type": "opinion", **params})


def plain(config: ArticleConfig) -> Any:
    return json.loads(config.model_dump_json(exclude_none=True))
