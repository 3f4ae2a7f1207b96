"""Commands on plain files: a text checked by code, and the shelf listed and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import FileCall, FileCommand, FileOutcome, Parameter
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding, Severity
from signoff.workflows.content import shelf
from signoff.workflows.content.checks import Check, Documents, Draft, checks_of
from signoff.workflows.content.shelf import Shelf, of_files
from signoff.workflows.content.steps.critics import named

LABEL = "Checked by code: words, figures, form and readability. Nobody judged what the text means."
UNTYPED = "not checked: sections and limits (say what the text is with --type)"


# --- critique ---------------------------------------------------------------------------------------------------------


def critique(call: FileCall) -> FileOutcome:
    """Checks a text as far as code can: findings with their places, and no score."""
    path, data = next(iter(call.files.items()))
    draft = Draft(decode(data, path), _documents(call.places))
    checks, unknown = _checks(str(call.params.get("type") or ""), of_files(call.places), call.places)
    lacking = {check.name: lacks for check in checks if (lacks := check.lacks(draft))}
    made = [check for check in checks if check.name not in lacking]
    return FileOutcome(
        findings=tuple(
            Finding(
                rule=f"content.{check.name}",
                problem=one.problem,
                repair=one.repair,
                file=path,
                line=one.line,
                severity=one.severity,
            )
            for check in made
            for one in check.find(draft)
        ),
        said=(LABEL, *unknown, *(f"not checked: {name} (it needs {lacks})" for name, lacks in lacking.items())),
        data={"checked": [check.name for check in made], "notChecked": lacking},
    )


def _documents(places: Mapping[str, bytes]) -> Documents:
    foundation: dict[str, str] = {
        kind: decode(data, path)
        for kind in shelf.DOC_TYPES
        if (data := places.get(path := shelf.document(kind))) and not shelf.lacking([kind], places.get)
    }
    ideas = tuple(decode(data, path) for path, data in places.items() if path.startswith(shelf.IDEAS))
    return Documents(foundation, ideas)


def _checks(kind: str, known: Shelf, places: Mapping[str, bytes]) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """The checks of a type of content, and what is said if some are left out."""
    if not kind:
        return checks_of(), (UNTYPED,)
    recipe = known.recipe(kind)
    framework, files = recipe.author_framework, known.framework(recipe.author_framework or "")
    if framework and any(path in places for path in files):
        said = f"not checked: sections and limits of the framework {framework!r}, which is the project's own"
        return checks_of(None, recipe.author_context_docs), (said,)
    return checks_of(framework, recipe.author_context_docs), ()


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
        for warning in named(recipe, advisors)[1]:
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
        about="Check words, figures, form and readability of a text. It judges no meaning and gives no score.",
        run=critique,
        example="signoff content critique page.md --type website",
        places=shelf.PLACES,
        parameters=(
            Parameter(
                name="type", about="what the text is, as in `signoff run`; else only what holds for any text is checked"
            ),
        ),
    ),
    *(
        FileCommand(
            name=name,
            about=f"List the {name}, shipped and yours, and check {checked}.",
            run=_listing(listed),
            example=f"signoff content {name}",
            most=0,
            places=shelf.PLACES,
        )
        for name, checked, listed in (
            ("advisors", "yours", _advisors),
            ("recipes", "yours", _recipes),
            ("frameworks", "what names them", _frameworks),
        )
    ),
)
