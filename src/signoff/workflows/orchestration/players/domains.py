"""The kinds of work that a plan may ask for, each known by the words that people use for it.

A table and two rules: a statement belongs to the kind that it says most of, and what it says first counts more. It is
rough, and the same text is always read in the same way. `words` call for a kind of work; `hints` only speak of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from signoff.workflows.orchestration import reviews

FIRST: Final = 2
"""What the first word counts more than the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """One kind of work: who does it, after whom, with which layer of the stack, and what can go wrong there.

    `handover` is the file that the others read; `module` and `extra` are where its work lies in the project.
    """

    agent: str
    words: re.Pattern[str]
    hints: re.Pattern[str]
    does: str
    description: str
    capabilities: tuple[str, ...]
    verb: str = "Build"
    steps: tuple[str, str, str]
    layers: tuple[str, ...]
    review: reviews.Domain
    after: tuple[str, ...] = ()
    handover: tuple[str, str]
    module: str = ""
    extra: tuple[tuple[str, str, str], ...] = ()
    failures: tuple[tuple[str, str], ...]

    @property
    def stem(self) -> str:
        return self.agent.removesuffix("_agent")


def _words(*listed: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(listed)})(?![\w-])", re.IGNORECASE)


DATABASE: Final = Domain(
    agent="database_agent",
    words=_words(
        "schemas?", "tables?", "databases?", "migrations?", "migration scripts?", "SQL", "SQLite", "PostgreSQL",
        "MySQL",
    ),
    hints=_words("columns?", "ind(?:ex|exes|ices)", "unique", "foreign keys?", "stored?", "rows?"),
    does="Designs the tables and brings them into being by migrations",
    description="Creates and changes database schemas, writes SQL migrations",
    capabilities=("sql", "schema_design", "migrations"),
    steps=("Design the schema", "Write the migration and the way back", "Show it with a test"),
    layers=("database",),
    review="database_storage",
    handover=("schema.md", "every table with its columns, constraints and indexes"),
    module="{root}/{stem}.py",
    extra=(("migrations/*.sql", "sql", "migrations and their way back, by number"),),
    failures=(
        ("A migration stops half way", "run it in one transaction; restore the backup and mend the script"),
        ("A constraint refuses rows that are valid", "put the rule to the person before it is loosened"),
        ("There is no way back", "write the reverse script and run both on a copy"),
    ),
)  # fmt: skip
DATA_MIGRATION: Final = Domain(
    agent="data_migration_agent",
    words=_words(
        "imports?", "imported", "importing", "legacy", "data migrations?", "migrates? data", "backfill\\w*",
    ),
    hints=_words("takes? over", "taken over", "old system", "converts?", "conversion", "\\w+\\.csv"),
    does="Takes over what is there already, with a report and a way back",
    description="Takes data over from an older system: validated, in one transaction, with a way back",
    capabilities=("data_migration", "validation", "rollback", "data_integrity"),
    steps=("Read and check what is there", "Carry it over, with a way back", "Account for every line"),
    layers=("database", "backend"),
    review="database_storage",
    after=("database_agent",),
    handover=("import_rules.md", "which line is taken over how, and which is not"),
    module="{root}/{stem}.py",
    failures=(
        ("Lines are lost without a word", "count what was read, taken over and refused; the three must add up"),
        ("A second run makes everything twice", "make the run repeatable: look for what is there before writing"),
        ("The source is not as it was described", "stop before the first write, and report the line"),
    ),
)  # fmt: skip
API: Final = Domain(
    agent="api_agent",
    words=_words(
        "REST", "APIs?", "endpoints?", "WSGI", "web services?", "webhooks?", "(?:GET|POST|PUT|PATCH|DELETE) /\\S*",
    ),
    hints=_words("routes?", "HTTP", "requests?", "responses?", "JSON", "answers? [1-5]\\d\\d", "answered", "callers?"),
    does="Builds the endpoints that other programs call",
    description="Designs and implements REST API endpoints",
    capabilities=("rest_api", "http", "endpoint_design"),
    steps=("Define requests and answers", "Implement it", "Show it with a test, errors too"),
    layers=("backend",),
    review="api_dataflow",
    after=("database_agent",),
    handover=("endpoints.md", "every endpoint with its request, its answers and its errors"),
    module="{root}/{stem}.py",
    failures=(
        ("An error is answered like a success", "give every error its status and a sentence, and test both"),
        ("A caller without rights gets an answer", "refuse before anything is read, and test it"),
        ("A long list blocks the other callers", "answer lists page by page"),
    ),
)  # fmt: skip
FRONTEND: Final = Domain(
    agent="frontend_agent",
    words=_words(
        "screens?", "pages?", "UI", "user interface", "browsers?", "HTML", "dashboards?", "web forms?",
    ),
    hints=_words("forms?", "buttons?", "charts?", "CSS", "shows?", "shown", "views?", "clicks?", "React", "phones?"),
    does="Builds what people see and use",
    description="Implements pages, forms and other user interfaces",
    capabilities=("ui", "forms", "validation"),
    steps=("Lay out the page", "Build it", "Show it with a test, also when it is empty and when it fails"),
    layers=("frontend",),
    review="frontend",
    after=("database_agent", "api_agent", "implementation_agent"),
    handover=("screens.md", "every page with what it shows, when it is empty and when something fails"),
    module="{root}/{stem}.py",
    extra=(("{root}/templates/*.html", "html", "the pages"),),
    failures=(
        ("A page stays empty when its data does not come", "show what happened and how to try again"),
        ("A form can be sent twice", "make sending repeatable, or refuse the second"),
        ("A page cannot be used with the keyboard", "follow the order of the fields and label each"),
    ),
)  # fmt: skip
DEVOPS: Final = Domain(
    agent="devops_agent",
    words=_words(
        "deploy\\w*", "containers?", "Docker", "Kubernetes", "CI", "systemd", "provision\\w*",
    ),
    hints=_words("servers?", "releases?", "installs?", "installed"),
    does="Brings the result to where it runs, and back",
    description="Builds packages and deployments, with a way back",
    capabilities=("deployment", "packaging", "rollback"),
    verb="Put into service",
    steps=("Describe the environment", "Write the deployment", "Try it out, and take it back"),
    layers=("infrastructure",),
    review="security",
    after=("database_agent", "data_migration_agent", "api_agent", "frontend_agent", "implementation_agent"),
    handover=("runbook.md", "how it is put into service, looked after and taken back"),
    extra=(("deploy/{stem}/*", "", "what puts it into service"),),
    failures=(
        ("The new version does not start", "keep the last one beside it and switch back"),
        ("A secret lies in the package", "take it from the environment, and change the one that was seen"),
    ),
)  # fmt: skip
IMPLEMENTATION: Final = Domain(
    agent="implementation_agent",
    words=_words(
        "scripts?", "command[- ]line", "CLI",
    ),
    hints=_words("commands?", "functions?", "modules?", "programs?", "calculat\\w*", "prints?", "tools?"),
    does="Writes the program",
    description="Writes programs and modules that belong to no other kind of agent",
    capabilities=("programming", "command_line"),
    steps=("Settle what goes in and what comes out", "Write it", "Show it with a test"),
    layers=("backend",),
    review="api_dataflow",
    after=("database_agent",),
    handover=("usage.md", "how it is called, what it gives, how it fails"),
    module="{root}/{stem}.py",
    failures=(
        ("Bad input ends in a traceback", "check what comes in and say what was expected"),
        ("It works on one machine only", "name versions and encodings, and run it in a clean folder"),
    ),
)  # fmt: skip
TEST: Final = Domain(
    agent="test_agent",
    words=_words("tests?", "tested", "automated tests?", "test suites?"),
    hints=_words("coverage", "acceptance"),
    does="Shows from outside that everything does what the plan says",
    description="Writes and runs acceptance tests across the parts",
    capabilities=("testing", "test_design", "evidence"),
    verb="Test",
    steps=("List the cases", "Write the tests", "Run them and report"),
    layers=("testing",),
    review="api_dataflow",
    after=(
        "database_agent", "data_migration_agent", "api_agent", "frontend_agent", "implementation_agent",
    ),
    handover=("test_report.md", "what was tested, what was found, what was not tested"),
    extra=(("tests/acceptance/**", "python", "tests of the whole"),),
    failures=(
        ("A test passes whatever happens", "break the code on purpose once, and see it fail"),
        ("Tests depend on their order", "give each its own data in a folder of its own"),
    ),
)  # fmt: skip
DOCUMENTATION: Final = Domain(
    agent="documentation_agent",
    words=_words("docs", "documentation", "documented", "README", "guides?", "manuals?", "handbooks?", "runbooks?"),
    hints=_words("describes?", "explains?"),
    does="Writes what people need in order to use and look after it",
    description="Writes guides, references and runbooks from what was built",
    capabilities=("technical_writing", "documentation"),
    verb="Write",
    steps=("Outline it", "Write it from what was really built", "Follow it step by step, and mend it"),
    layers=(),
    review="frontend",
    after=(
        "database_agent", "data_migration_agent", "api_agent", "frontend_agent", "implementation_agent",
        "devops_agent",
    ),
    handover=("documentation_notes.md", "what is described where, and what is left out"),
    extra=(("docs/**", "markdown", "guides and references"),),
    failures=(
        ("A described step does not work", "follow every step on a fresh copy"),
        ("Text and program part ways", "name the file that each statement was taken from"),
    ),
)  # fmt: skip

DOMAINS: Final = (DATABASE, DATA_MIGRATION, API, FRONTEND, DEVOPS, IMPLEMENTATION, TEST, DOCUMENTATION)
"""In the order in which work is usually done; ties go to the earlier one."""
BY_AGENT: Final = {domain.agent: domain for domain in DOMAINS}
LOOK_BACK: Final = (TEST, DOCUMENTATION)
"""They speak of the others' work: a statement that begins with their word is theirs, whatever else it names."""


def called_for(text: str) -> Domain | None:
    """The kind of work that a text calls for by name; None where it calls for none."""
    return best(text, [domain.agent for domain in DOMAINS if domain.words.search(_inside(text))])


def best(text: str, among: Collection[str]) -> Domain | None:
    """Which of these kinds of work a text is about; None where it speaks of none of them."""
    found = [(domain, hits) for domain in DOMAINS if domain.agent in among and (hits := _hits(domain, text))]
    if not found:
        return None
    first = min(min(hits) for _, hits in found)
    leads = next((domain for domain, hits in found if domain in LOOK_BACK and min(hits) == first), None)
    return leads or max(found, key=lambda one: len(set(one[1].values())) + FIRST * (min(one[1]) == first))[0]


def named(text: str, among: Collection[str]) -> list[Domain]:
    """Those of these kinds of work that a text calls for by name, in the order of the table."""
    return [domain for domain in DOMAINS if domain.agent in among and domain.words.search(_inside(text))]


def of_agent(name: str, agent_type: str | None = None) -> Domain:
    """The kind of work of an agent: by its type, its name, or the words in its name."""
    known = BY_AGENT.get(agent_type or name)
    return known or best((agent_type or name).replace("_", " "), tuple(BY_AGENT)) or IMPLEMENTATION


_CALLERS: Final = re.compile(
    r"\b(?:to|for) (?:the|an?|our|its|their) (?:[\w'’-]+ ){0,3}pages?(?= (?:through|over|via|by)\b)"
    r"|\b(?:web |home |internet )?pages?(?= (?:calls?|asks?|expects?|uses?)\b)",
    re.IGNORECASE,
)
"""Somebody's page that is there already and calls what is built: it is nobody's work."""


def _inside(text: str) -> str:
    """A text without who calls from outside, each word in its place."""
    return _CALLERS.sub(lambda hit: " " * len(hit[0]), text)


def _hits(domain: Domain, text: str) -> dict[int, str]:
    """The words of a kind of work in a text, by their place."""
    said = _inside(text)
    found = (*domain.words.finditer(said), *domain.hints.finditer(said))
    return {hit.start(): hit.group().casefold() for hit in found}
