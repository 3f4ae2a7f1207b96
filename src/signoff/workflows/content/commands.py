"""Commands on plain files: a text judged by the offline critics, and the shelf listed and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding, Severity
from signoff.core.workflow import FileCall, FileCommand, FileOutcome, Parameter
from signoff.workflows.content import issues, rubric, selecting, shelf
from signoff.workflows.content.piece import Critique, Said
from signoff.workflows.content.players.judging import judge
from signoff.workflows.content.shelf import Advisor, Recipe, Shelf, of_files

LABEL = "judged by the offline critics: rules on text, no model"


# --- critique ---------------------------------------------------------------------------------------------------------


def critique(call: FileCall) -> FileOutcome:
    """Judges a text as one round of a run would, by the critics that the recipe names."""
    known = of_files(call.places)
    recipe = known.recipe(str(call.params["type"]))
    advisors = known.advisors()
    fixed, warnings = selecting.named(recipe, advisors)
    critics = [advisors[name] for name in fixed] or selecting.candidates(recipe, advisors)
    path, data = next(iter(call.files.items()))
    said = [_said(one, shelf.text(data, path), call, recipe) for one in critics]
    life = issues.after((), said, 1)
    decision = rubric.decide(said, life, {}, {}, [one.id for one in critics], recipe.min_aggregate_score)
    shown = "none" if decision.average is None else f"{decision.average:.1f}"
    return FileOutcome(
        findings=tuple(_finding(one, path) for one in life),
        said=(
            LABEL,
            *warnings,
            *(f"{one.name}: {one.score}" for one in said),
            f"average {shown} of {recipe.min_aggregate_score:g} wanted: {decision.verdict} ({decision.reason})",
        ),
        data={"critiques": [one.plain(recipe.min_aggregate_score) for one in said], **decision.plain()},
    )


def _said(advisor: Advisor, draft: str, call: FileCall, recipe: Recipe) -> Critique:
    docs = {
        kind: shelf.text(data, path) for kind in advisor.docs if (data := call.places.get(path := shelf.document(kind)))
    }
    found = judge(advisor.id, advisor.expertise, draft, docs, recipe.content_type)
    return Critique(
        advisor=advisor.id,
        name=advisor.name,
        round=1,
        score=found["score"],
        issues=tuple(Said(one["severity"], one["description"], one["suggestion"]) for one in found["issues"]),
        clean=tuple(found["clean"]),
    )


def _finding(one: Any, path: str) -> Finding:
    severity: Severity = "error" if one.severity == "high" else "warning"
    problem = f"[{one.severity}] {one.name}: {one.description}"
    return Finding(rule=f"critic.{one.advisor}", problem=problem, repair=one.suggestion, file=path, severity=severity)


# --- the shelf --------------------------------------------------------------------------------------------------------

Listed = tuple[list[str], dict[str, Any]]


def _listing(listed: Callable[[Shelf, Mapping[str, bytes]], Listed]) -> Callable[[FileCall], FileOutcome]:
    def run(call: FileCall) -> FileOutcome:
        findings = _checked(call.places)
        if findings:
            return FileOutcome(findings=tuple(findings))
        said, data = listed(of_files(call.places), call.places)
        return FileOutcome(said=tuple(said), data=data)

    return run


def _checked(places: Mapping[str, bytes]) -> list[Finding]:
    """What is wrong with the project's own recipes and advisors, and what they name that is not there."""
    found: list[Finding] = []
    readers: dict[str, Callable[[bytes, str], object]] = {
        shelf.RECIPES: shelf.parse_recipe,
        shelf.ADVISORS: shelf.parse_advisor,
    }
    for path, data in places.items():
        try:
            if (read := readers.get(f"{path.split('/')[0]}/")) and path.endswith((".yaml", ".md")):
                read(data, path)
        except DocumentError as error:
            found += error.findings
    return found or list(_unknown(of_files(places)))


def _unknown(known: Shelf) -> Iterable[Finding]:
    advisors, frameworks = known.advisors(), known.frameworks()
    for kind, recipe in known.recipes().items():
        file = f"{shelf.RECIPES}{kind}.yaml"
        if recipe.author_advisor not in advisors:
            valid = ", ".join(advisors)
            yield _missing(file, f"the author {recipe.author_advisor!r} is not on the shelf", f"name one of {valid}")
        if recipe.author_framework and recipe.author_framework not in frameworks:
            valid = ", ".join(frameworks)
            yield _missing(
                file,
                f"the framework {recipe.author_framework!r} is not on the shelf",
                f"name one of {valid}",
                warn=True,
            )
        for warning in selecting.named(recipe, advisors)[1]:
            yield _missing(file, warning, "name advisors that can judge", warn=True)


def _missing(file: str, problem: str, repair: str, *, warn: bool = False) -> Finding:
    severity: Severity = "warning" if warn else "error"
    return Finding(rule="shelf.missing", problem=problem, repair=repair, file=file, severity=severity)


def _whose(path: str, places: Mapping[str, bytes]) -> str:
    return "yours" if path in places else "shipped"


def _advisors(known: Shelf, places: Mapping[str, bytes]) -> Listed:
    found = known.advisors()
    said = [
        f"{one.id} ({_whose(one.path, places)}, {one.role}): {one.name}" + ("" if one.judges else "; judges nothing")
        for one in found.values()
    ]
    return said, {
        name: {"name": one.name, "role": one.role, "judges": one.judges, "from": _whose(one.path, places)}
        for name, one in found.items()
    }


def _recipes(known: Shelf, places: Mapping[str, bytes]) -> Listed:
    found = known.recipes()
    said = [
        f"{name} ({_whose(f'{shelf.RECIPES}{name}.yaml', places)}): written by {one.author_advisor}"
        f"{f' with {one.author_framework}' if one.author_framework else ''}, "
        f"judged by {', '.join(one.named_critics) or 'whom the selector finds'}; "
        f"at least {one.min_aggregate_score:g}, up to {one.max_revision_rounds} revisions; "
        f"needs {', '.join(one.author_context_docs)}"
        for name, one in found.items()
    ]
    return said, {name: one.model_dump(by_alias=True) for name, one in found.items()}


def _frameworks(known: Shelf, places: Mapping[str, bytes]) -> Listed:
    found = known.frameworks()
    said = [f"{name} ({_whose(files[0], places)}): {', '.join(files)}" for name, files in found.items()]
    return said, {name: list(files) for name, files in found.items()}


COMMANDS = (
    FileCommand(
        name="critique",
        about="Judge a text as one round would, with the offline critics of a recipe.",
        run=critique,
        example="signoff content critique page.md --type website",
        places=shelf.PLACES,
        parameters=(Parameter(name="type", about="the recipe to judge by", default="website"),),
    ),
    FileCommand(
        name="advisors",
        about="List the advisors, shipped and yours, and check yours.",
        run=_listing(_advisors),
        example="signoff content advisors",
        most=0,
        places=shelf.PLACES,
    ),
    FileCommand(
        name="recipes",
        about="List the recipes, shipped and yours, and check yours.",
        run=_listing(_recipes),
        example="signoff content recipes",
        most=0,
        places=shelf.PLACES,
    ),
    FileCommand(
        name="frameworks",
        about="List the frameworks, shipped and yours, and check what names them.",
        run=_listing(_frameworks),
        example="signoff content frameworks",
        most=0,
        places=shelf.PLACES,
    ),
)
