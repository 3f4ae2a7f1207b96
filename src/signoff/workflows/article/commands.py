"""Commands on plain files: the checks of a draft, without a run."""

from __future__ import annotations

from typing import Final

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import FileCall, FileCommand, FileOutcome, Parameter
from signoff.core.errors import UsageError
from signoff.core.findings import failing
from signoff.evidence.sources.fetched_pages import parse_page
from signoff.workflows.article import config, places
from signoff.workflows.article.checks import CHECKS, run
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.documents import audiences, materials
from signoff.workflows.article.documents.computed_fields import draft_patch
from signoff.workflows.article.documents.config_schema import parse_doc, put
from signoff.workflows.article.steps import release


def check(call: FileCall) -> FileOutcome:
    """Runs every check on a draft, with the config, outline and sources of its topic."""
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
            f"there is no {place}, which the checks of {path} need",
            repair="name the topic with --topic, and run the command in the project of the article",
        )
    settings = config.parse_doc(call.read(config.PATH) or b"", config.PATH)
    items = materials.parse(decode(call.read(places.sources(topic)) or b"", places.sources(topic)), path)[0]
    made = parse_doc(raw, place)
    measured = parse_doc(put(decode(raw, place), draft_patch(made, draft), place).encode(), place)
    pages = (parse_page(data, path) for path, data in call.places.items() if path.startswith(places.pages(topic)))
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
        pages={page.url: page.text for page in pages},
    )


COMMANDS: Final = (
    FileCommand(
        name="check",
        about="Run all checks on a draft: length, sections, thesis, persona, materials, statistics, links, phrases.",
        run=check,
        example="signoff article check drafts/quench-oil.md",
        places=("knowledge/",),
        parameters=(Parameter(name="topic", about="the topic whose config counts, if it is not the name of the file"),),
    ),
)
