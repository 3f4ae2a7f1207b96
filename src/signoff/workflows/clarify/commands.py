"""What can be done with plain files, without a run: lint, autofill, evaluate, stale."""

from __future__ import annotations

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import FileCall, FileCommand, FileOutcome, Parameter
from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.core.terms import Term
from signoff.workflows.clarify import config, ids
from signoff.workflows.clarify.autofill import autofill
from signoff.workflows.clarify.checks import lint, staleness
from signoff.workflows.clarify.checks.answer_quality import Evaluation, evaluate
from signoff.workflows.clarify.config import Config
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de


def _judged(call: FileCall, doc: cl.Clarifications) -> Evaluation:
    """The answers, judged by the config of the project that the file lies in, if there is one."""
    data = call.read(config.PATH)
    settings = Config() if data is None else config.parse_doc(data, config.PATH)
    known = {*settings.known_terms, *call.params.get("known_term", ())}
    return evaluate(doc, frozenset(known), settings.limits)


def _only(call: FileCall) -> tuple[str, cl.Clarifications]:
    [(name, data)] = call.files.items()
    text = decode(data, name)
    if _is_decisions(text, name):
        raise UsageError(f"{name} holds decisions", valid="a file of questions and answers, clarifications.md")
    doc = cl.parse(text, name)
    if not doc.items:
        repair = "write `### Q1: Title`; `signoff clarify lint` says what else belongs there"
        raise UsageError(f"{name} has no question in it", repair=repair)
    return name, doc


def _is_decisions(text: str, name: str) -> bool:
    """Whether a file holds decisions: by its entries, or by its name if it has entries of neither kind."""
    questions, entries = cl.parse(text, name).items, de.parse(text, name).entries
    return bool(entries) if bool(entries) != bool(questions) else "decisions" in name.rsplit("/", 1)[-1].lower()


# --- lint -------------------------------------------------------------------------------------------------------------


def _lint(call: FileCall) -> FileOutcome:
    found: list[Finding] = []
    writes: dict[str, str] = {}
    said: list[str] = []
    for name, data in call.files.items():
        text = decode(data, name)
        if _is_other(text, name):  # a file that is not ours gets no frontmatter of ours
            problem, repair = (
                "there are no questions and no decisions in it",
                "give a clarifications.md or a decisions.md",
            )
            found.append(Finding(rule="clarify.other", problem=problem, repair=repair, file=name))
            continue
        of_decisions = _is_decisions(text, name)
        if call.params.get("fix"):
            mended, fixed = de.repaired(text, name) if of_decisions else lint.repaired(text, name)[:2]
            said += [f"repaired {name}:{finding.line}: {finding.rule}: {finding.problem}" for finding in fixed]
            writes |= {name: mended} if mended != text else {}
            text = mended
        found += de.lint(de.parse(text, name)) if of_decisions else lint.findings(cl.parse(text, name))
    return FileOutcome(findings=tuple(found), said=tuple(said), writes=writes, data={"repaired": said})


def _is_other(text: str, name: str) -> bool:
    """Whether a file is neither of ours: it has no entries, no title and no fields of them."""
    doc, made = cl.parse(text, name), de.parse(text, name)
    titled = any(line.strip() in (cl.TITLE, "# Decisions") for line in text.splitlines())
    return not (doc.items or made.entries or titled or {*lint.FIELDS, "decision_count"} & {*doc.front})


# --- autofill, evaluate, stale ----------------------------------------------------------------------------------------


def _autofill(call: FileCall) -> FileOutcome:
    name, doc = _only(call)
    filled = autofill(doc, call.params.get("only") or "all")
    said = [f"filled {len(filled.filled)} of {len(filled.filled) + len(filled.without)} empty answers"]
    if filled.filled:
        said.append(f"filled: {', '.join(filled.filled)}")
    if filled.without:
        said.append(f"still empty, for there is nothing to fill in for sure: {', '.join(filled.without)}")
    data = {"filled": list(filled.filled), "without": list(filled.without)}
    return FileOutcome(said=tuple(said), data=data, writes={name: filled.text} if filled.text != doc.text else {})


def _evaluate(call: FileCall) -> FileOutcome:
    name, doc = _only(call)
    judged = _judged(call, doc)
    said = (f"{judged.verdict}: {judged.reasoning}", *(f"{key}: {verdict}" for key, verdict in judged.per_question))
    beside = name[: name.rfind("/") + 1] + "answer-evaluation.json"
    writes = {beside: judged.render()} if call.params.get("write") else {}
    return FileOutcome(findings=doc.problems, said=said, data=judged.plain(), writes=writes)


def _stale(call: FileCall) -> FileOutcome:
    """Which decisions no longer fit the answers: told from the two files alone."""
    if len(call.files) != 2:
        raise UsageError(
            f"{len(call.files)} files were given", valid="two: clarifications.md and decisions.md, in any order"
        )
    texts = {name: decode(data, name) for name, data in call.files.items()}
    kinds = {_is_decisions(text, name): (name, text) for name, text in texts.items()}
    if len(kinds) != 2:
        raise UsageError(
            f"{' and '.join(texts)} are of one kind", valid="one file of questions and answers, one of decisions"
        )
    (asked, questions), (made, entries) = kinds[False], kinds[True]
    doc = cl.parse(questions, asked)
    found = staleness.stale(de.parse(entries, made), doc, _judged(call, doc))
    why = {**found.decisions, **found.refinements, **dict.fromkeys(found.undecided, "answered, and in no decision yet")}
    findings = [
        Finding(rule="clarify.stale", problem=f"{key}: {why[key]}", repair="decide it again", file=made, about=key)
        for key in sorted(why, key=ids.order)
    ]
    data = {
        "decisions": dict(found.decisions),
        "refinements": dict(found.refinements),
        "undecided": list(found.undecided),
    }
    said = () if findings else ("every decision fits the answers",)
    return FileOutcome(findings=tuple(findings), said=said, data=data)


_KNOWN = Parameter(name="known_term", about="a short answer that counts as clear; repeatable", repeat=True)

COMMANDS = (
    FileCommand(
        name="lint",
        about="Check files of questions or decisions against the canonical format, and repair what can be repaired",
        run=_lint,
        writes=True,
        example="signoff clarify lint pipeline/context/clarifications.md --fix",
        files="FILE...",
        most=None,
        parameters=(Parameter(name="fix", about="repair what can be repaired; answers are never touched", flag=True),),
    ),
    FileCommand(
        name="autofill",
        about="Copy the recommendation into every empty answer",
        run=_autofill,
        writes=True,
        checks=False,
        example="signoff clarify autofill clarifications.md --only refinements",
        parameters=(
            Parameter(
                name="only",
                about="fill questions alone or refinements alone",
                choices=(Term("questions", zh="问题"), Term("refinements", zh="追问")),
            ),
        ),
    ),
    FileCommand(
        name="evaluate",
        about="Judge every answer: clear, vague or not answered",
        run=_evaluate,
        writes=True,
        checks=False,
        example="signoff clarify evaluate clarifications.md --write",
        parameters=(
            Parameter(name="write", about="write answer-evaluation.json beside the file", flag=True),
            _KNOWN,
        ),
    ),
    FileCommand(
        name="stale",
        about="Show which decisions no longer fit the answers",
        run=_stale,
        example="signoff clarify stale clarifications.md decisions.md",
        files="CLARIFICATIONS DECISIONS",
        most=2,
        parameters=(_KNOWN,),
    ),
)
