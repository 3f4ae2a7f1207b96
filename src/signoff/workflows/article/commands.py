"""Commands on plain files: every check of a draft, without a run."""

from __future__ import annotations

from typing import Final

from signoff.artifacts.textio import decode
from signoff.core.errors import UsageError
from signoff.core.findings import failing
from signoff.core.workflow import FileCall, FileCommand, FileOutcome, Parameter
from signoff.workflows.article import audiences, config, materials, places, release
from signoff.workflows.article.checks import CHECKS, run
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.edit import put
from signoff.workflows.article.following import after_draft
from signoff.workflows.article.schema import parse_doc


def check(call: FileCall) -> FileOutcome:
    """All checks on a draft, measured by the config, outline and sources of its topic."""
    given = _given(call)
    found = {name: run(name, given) for name in CHECKS}
    length = given.article.length(given.config.language)
    return FileOutcome(
        findings=tuple(finding for findings in found.values() for finding in findings),
        said=(
            *(f"{name}: {'pass' if not failing(findings) else 'fail'}" for name, findings in found.items()),
            f"length: {length} {given.unit} (budget {given.least} to {given.most})",
            f"differentiators: {release.coverage_lines(given)[0]}",
        ),
        shown="\n".join(release.mix_lines(given)),
        data={
            "checks": {name: not failing(findings) for name, findings in found.items()},
            "length": {"found": length, "least": given.least, "most": given.most, "unit": given.unit},
        },
    )


def _given(call: FileCall) -> Given:
    path, data = next(iter(call.files.items()))
    topic = str(call.params.get("topic") or path.rpartition("/")[2].removesuffix(".md"))
    draft, place = decode(data, path), places.config(topic)
    raw = call.read(place)
    if raw is None:
        raise UsageError(
            f"there is no {place}, by which {path} could be measured",
            repair="name the topic with --topic, and call it in the project of the article",
        )
    settings = config.parse_doc(call.read(config.PATH) or b"", config.PATH)
    items = materials.parse(decode(call.read(places.sources(topic)) or b"", places.sources(topic)), path)[0]
    made = parse_doc(raw, place)
    measured = parse_doc(put(decode(raw, place), after_draft(made, draft), place).encode(), place)
    least, most = audiences.budget(made.articleLength, made.language, settings.characters)
    return Given(
        config=measured,
        outline=decode(call.read(places.outline(topic)) or b"", places.outline(topic)),
        draft=draft,
        items=items,
        file=path,
        outline_file=places.outline(topic),
        least=least,
        most=most,
    )


COMMANDS: Final = (
    FileCommand(
        name="check",
        about="Run all checks on a draft: length, sections, thesis, persona, materials, statistics, links, phrases.",
        run=check,
        example="signoff article check drafts/quench-oil.md",
        parameters=(Parameter(name="topic", about="whose config it is measured by; else the name of the file"),),
    ),
)
