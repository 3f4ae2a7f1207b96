"""Content: a goal, a rubric and tools for one agent that conducts; an author; critics side by side; rounds that end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Agent, Parameter, Reader
from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.core.workflow import ByCode, Documents, People, Setup, Views, Workflow
from signoff.workflows.content import config, outputs, shelf, views
from signoff.workflows.content.commands import COMMANDS
from signoff.workflows.content.faults import FAULTS
from signoff.workflows.content.state import content_path, draft_path
from signoff.workflows.content.steps import conductor, critics
from signoff.workflows.content.steps.edits import rests_on
from signoff.workflows.content.steps.events import idea_id, kind_of, step
from signoff.workflows.content.steps.toolbox import TOOLS, picture
from signoff.workflows.content.trace import trace
from signoff.workflows.kit.contracts import contract
from signoff.workflows.kit.person_edits import Read, accepts

AGENTS = (
    Agent(
        name="critic-selector",
        contract=contract(outputs.SelectorOutput, "critic-selector", check=critics.check_selection),
    ),
    Agent(
        name="orchestrator",
        contract=contract(outputs.OrchestratorOutput, "orchestrator", check=conductor.check_end),
        tools=tuple(TOOLS),
    ),
    Agent(name="author", contract=contract(outputs.AuthorOutput, "author")),
    Agent(name="critic", contract=contract(outputs.CriticOutput, "critic")),
)


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    """What people write: the shelf, the config, the draft and what came of it. What a run rests on is kept."""
    name = str(params["slug"])
    return [config.PATH, *shelf.PLACES, draft_path(name), content_path(name)]


READERS: Mapping[str, Read] = {
    config.PATH: config.parse_doc,
    f"{shelf.RECIPES}*.yaml": shelf.parse_recipe,
    f"{shelf.ADVISORS}*.md": shelf.parse_advisor,
    f"{shelf.IDEAS}*.md": shelf.parse_idea,
    "*.md": decode,
    "*.yaml": decode,
}


def _ready(params: Mapping[str, Any], read: Reader) -> Sequence[Finding]:
    """What a run needs: an idea or at least a title, a type, and the author's documents; what is missing is listed."""
    name = idea_id(params)
    path = f"{shelf.IDEAS}{name}.md"
    data = read(path)
    if data is None and not params.get("title"):
        repair = f"write {path}, or say what it is about with --title and --fact"
        problem = f"there is no idea {name!r}"
        return [Finding(rule="idea.missing", problem=problem, repair=repair, file=path)]
    kind = kind_of(params, shelf.parse_idea(data, path) if data is not None else None)
    if not kind:
        repair = f"say it with --type, as in --type {'|'.join(shelf.of_files({}).recipes())}, or as `type:` in the idea"
        raise UsageError("the type of content is not named", repair=repair)
    place = f"{shelf.RECIPES}{kind}.yaml"
    own = read(place)
    recipe = shelf.of_files({place: own} if own is not None else {}).recipe(kind)
    return shelf.lacking(recipe.author_context_docs, read)


FIRST, FIXED = "first-idea", "fixed"
STARTER = {
    f"{shelf.IDEAS}{FIRST}.md": f"starter/ideas/{FIRST}.md",
    **{shelf.document(kind): f"starter/{shelf.document(kind)}" for kind in shelf.DOC_TYPES},
}
ANOTHER = "give the new piece a name of its own, as in `signoff run content NAME --type … --idea …`"

WORKFLOW = Workflow(
    name="content",
    about="Website, blog and social copy: an author drafts, critics judge side by side, a rubric decides.",
    package="signoff.workflows.content",
    steps=step,
    agents=AGENTS,
    parameters=(
        Parameter(
            name="type",
            about="what is made: website, blog-post, social-post, or a recipe of your own; else as the idea says",
            later=ANOTHER,
        ),
        Parameter(
            name="idea",
            about="the idea: the name of a file in ideas/, or its path; else the name of the run",
            later=ANOTHER,
        ),
        Parameter(name="title", about="what it is about, in a line", later=ANOTHER),
        Parameter(name="audience", about="whom it is for", later=ANOTHER),
        Parameter(name="fact", about="a fact that may be used; repeatable", repeat=True, later=ANOTHER),
        Parameter(
            name="conductor",
            about="who calls the tools: the orchestrator agent, or a fixed policy that needs no model",
            choices=("agent", FIXED),
            later=ANOTHER,
        ),
    ),
    tools=tuple(TOOLS.values()),
    documents=Documents(tracked=_tracked, made=views.project, accepts=accepts(READERS), rests_on=rests_on),
    limits=config.SETTINGS.limits,
    setup=Setup(
        scaffold=config.SETTINGS.scaffold,
        starter=STARTER,
        ready=_ready,
        called=lambda params: idea_id(params) if params.get("idea") else "",
        first_run=FIRST,
        example="signoff run content --type website --idea autumn-launch",
        slash="create-content",
    ),
    views=Views(status=views.status, summary=views.summary, trace=trace, picture=picture),
    people=People(commands=COMMANDS),
    by_code=ByCode(
        always=lambda params: {"orchestrator": conductor.orchestrator} if params.get("conductor") == FIXED else {},
        faults=FAULTS.planned,
    ),
)
