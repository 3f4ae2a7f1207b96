"""Conversations with personas: who can begin, what was said so far, and how what they make is checked and written."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from signoff.artifacts import agent_files, yamlio
from signoff.artifacts.text_decoding import decode
from signoff.core.commands import WORDS, Ask, StartTurn
from signoff.core.decide import APPROVE, RESUME
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding
from signoff.core.personas import Need, Persona, Said, Scene, Settling, Way
from signoff.core.workflow import Workflow
from signoff.service import catalog, people, questionnaires
from signoff.service.people import PERSONAL, REJECT, Act, Actor
from signoff.service.project import Project
from signoff.service.run_control import choosable
from signoff.shell.run.live_run import LiveRun

HOME = "_workflow/conversations"
CHAT = "chat"
"""What carried out a turn that a person talked through: no runtime, and nothing that costs money."""

TASK = "TASK"


# --- who there is, and about what -------------------------------------------------------------------------------------


def find(name: str) -> tuple[Workflow, Persona]:
    """The persona of this name, and the workflow that declares it."""
    known = catalog.personas()
    if name not in known:
        raise UsageError(
            f"there is no persona {name!r}",
            valid=", ".join(known) or "no workflow here declares one",
            repair="see what each needs with `signoff chat`",
        )
    return known[name]


async def tasks(project: Project, workflow: Workflow) -> list[str]:
    """The tasks that the project knows: by the files that personas made, and by its runs."""
    named = set(await project.known(workflow.name))
    for artifact in (persona.artifact for persona in workflow.people.personas.values() if persona.artifact):
        before, after = artifact.path.split("{task}")
        files = (file.relative_to(project.root).as_posix() for file in project.root.glob(f"{before}*{after}"))
        named |= {file.removeprefix(before).removesuffix(after) for file in files}
    return sorted(
        {task for persona in workflow.people.personas.values() for name in named if (task := task_of(persona, name))}
    )


def task_of(persona: Persona, name: str) -> str:
    """The task of this name; "" for a name that no task has."""
    try:
        return persona.task(name)
    except UsageError:
        return ""


async def about(project: Project, workflow: Workflow, persona: Persona, typed: str | None) -> str:
    """The task that is meant: the one that was typed, or the only one that there is; "" if it has no name yet."""
    if typed is not None:
        return persona.task(typed)
    if persona.artifact:
        return ""
    known = await tasks(project, workflow)
    if not known:
        refuse_lacking(project, persona, TASK)
    if len(known) != 1:
        raise UsageError(
            f"{persona.name} must know what it is about",
            valid=", ".join(known) or "no task is known here",
            repair=f"name the task, as in `signoff chat {persona.name} {known[0] if known else TASK}`",
        )
    return known[0]


def lacking(project: Project, persona: Persona, task: str) -> list[Need]:
    """The files that the persona needs and that are not there."""
    return [need for need in persona.needs(task) if not any(project.root.glob(need.path))]


def refuse_lacking(project: Project, persona: Persona, task: str) -> None:
    """A persona does not begin without what it needs."""
    if missing := lacking(project, persona, task):
        maker = missing[0].maker
        raise RefusedError(
            f"{persona.name} cannot begin without {', '.join(need.path for need in missing)}",
            valid="; ".join(f"{need.path} is made by {need.maker}" for need in missing),
            repair=f"begin with `signoff chat {maker}`" if maker in catalog.personas() else f"ask {maker} for it",
        )


async def listing(project: Project) -> list[dict[str, Any]]:
    """Every persona with what it needs, for each task that the project knows, and whether it can begin now."""
    found: list[dict[str, Any]] = []
    for workflow, persona in catalog.personas().values():
        for task in [TASK] if persona.artifact else await tasks(project, workflow) or [TASK]:
            missing = lacking(project, persona, task)
            found.append(
                {
                    "persona": persona.name,
                    "workflow": workflow.name,
                    "about": persona.about,
                    "task": "" if task == TASK else task,
                    "needs": [
                        {"path": n.path, "maker": n.maker, "there": n not in missing} for n in persona.needs(task)
                    ],
                    "can_begin": not missing,
                    "next": persona.next,
                }
            )
    return found


# --- what was said ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What was said with a persona so far, and the titles of the questions; `topic` tells it from other conversations.

    `ended` says that something came of it: it is what a later conversation about the same may begin with.
    """

    persona: str
    topic: tuple[str, ...]
    said: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    ended: bool = False

    @property
    def path(self) -> str:
        return f"{HOME}/{'.'.join((self.persona, *filter(None, self.topic)))}.json"

    def plus(self, question: Question, text: str) -> Talk:
        """With one more answer, or another one in its place."""
        said = {**self.said, question.key: text}
        return replace(self, said=said, titles={**self.titles, question.key: question.title}, ended=False)

    def without_last(self) -> Talk:
        """As it was before the last answer."""
        return replace(self, said=dict([*self.said.items()][:-1]), ended=False)

    def render(self) -> bytes:
        said = [{"key": key, "question": self.titles.get(key, ""), "answer": text} for key, text in self.said.items()]
        plain = {"persona": self.persona, "topic": list(self.topic), "ended": self.ended, "said": said}
        return (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode()


def recall(project: Project, persona: Persona, *topic: str) -> Talk:
    """What is kept of this conversation; a new one is empty."""
    fresh = Talk(persona=persona.name, topic=topic)
    data = project.store.read(fresh.path)
    return fresh if data is None else _read(data, fresh.path)


def under_way(project: Project, persona: Persona) -> list[str]:
    """The tasks about which something was said to the persona that has led to nothing yet."""
    files = sorted(project.root.glob(f"{HOME}/{persona.name}.*.json"))
    paths = [file.relative_to(project.root).as_posix() for file in files]
    found = [_read(data, path) for path in paths if (data := project.store.read(path)) is not None]
    return [talk.topic[0] for talk in found if talk.topic and not talk.ended]


def _read(data: bytes, path: str) -> Talk:
    try:
        plain = json.loads(decode(data, path))
        said = {str(one["key"]): str(one["answer"]) for one in plain["said"]}
        titles = {str(one["key"]): str(one["question"]) for one in plain["said"]}
        topic = tuple(map(str, plain["topic"]))
        found = Talk(persona=str(plain["persona"]), topic=topic, said=said, titles=titles, ended=bool(plain["ended"]))
        if found.path != path:
            raise ValueError(f"it says that it is {found.path!r}")
        found.render()  # refuses text that no file can hold
        return found
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        problem = f"it is not a conversation as Signoff keeps it: {error}"
        raise DocumentError(
            [Finding(rule="chat.kept", problem=problem, repair="remove it, and begin again", file=path)]
        ) from error


def keep(project: Project, talk: Talk, before: Talk) -> Talk:
    """Puts what was said on the disk, before anything else happens; `before` is what must still be there."""
    now = project.store.read(talk.path)
    if now is not None and now != before.render():
        raise RefusedError(
            f"another process goes on with this conversation ({talk.path})",
            repair="end one of the two, then begin again: what was said is kept",
        )
    project.store.write(talk.path, talk.render(), durable=True)
    return talk


def end(project: Project, talk: Talk, task: str) -> Talk:
    """The conversation led to something: it is kept under its task, unless another one about it is under way."""
    named = replace(talk, topic=(task,), ended=True)
    other = project.store.read(named.path)
    if named.path != talk.path and other is not None and not _read(other, named.path).ended:
        named = replace(talk, ended=True)
    project.store.write(named.path, named.render(), durable=True)
    if named.path != talk.path:
        forget(project, talk)
    return named


def forget(project: Project, talk: Talk) -> None:
    """The conversation has done what it was for."""
    project.store.write(talk.path, None, durable=True)


# --- files that personas make before a run ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draft:
    """A file as a persona would write it, and what is there now."""

    persona: str
    path: str
    text: str
    before: bytes | None

    @property
    def same(self) -> bool:
        return self.before == self.text.encode()

    def difference(self) -> str:
        """What writing it would change."""
        old = [] if self.before is None else self.before.decode("utf-8", "replace").splitlines(keepends=True)
        new = self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, f"{self.path} (now)", f"{self.path} (then)"))


def drafted(project: Project, workflow: Workflow, persona: Persona, task: str, output: str) -> Draft:
    """What the persona would write; the output is checked by its contract, and must be about the task."""
    artifact = persona.artifact
    if artifact is None:
        raise UsageError(
            f"{persona.name} makes no file before a run: it has a part in one",
            valid=", ".join(one.name for one in workflow.people.personas.values() if one.artifact),
            repair="begin the run with start_run, and take its part with next_turn",
        )
    value = workflow.contract(artifact.contract).parse(output.encode("utf-8", "surrogatepass"), "output")
    if (meant := artifact.task(value)) != task:
        problem = f"the output is about {meant!r}, and was handed in for {task!r}"
        raise DocumentError([Finding(rule="chat.task", problem=problem, repair="name one task in both")])
    path = artifact.path.format(task=task)
    return Draft(persona.name, path, artifact.render(value), project.store.read(path))


async def put(project: Project, draft: Draft, actor: Actor, *, replace: bool = False) -> None:
    """Writes the file. One that says something else is replaced only if a person wants that, and is as it was shown."""
    async with project.store.locked(HOME):
        now = project.store.read(draft.path)
        if now == draft.text.encode():
            return
        if now != draft.before:
            raise RefusedError(f"{draft.path} changed meanwhile", repair="look at it again; nothing was written")
        if now is not None and not replace:
            raise RefusedError(
                f"{draft.path} is there and says something else:\n{draft.difference()}",
                valid="a new file, or one that may be replaced",
                repair="ask the person; only if they want the old one replaced, say so (replace=true)",
            )
        if now is not None:
            check_replacing(draft, actor)
        project.store.write(draft.path, draft.text.encode(), durable=True)


def check_replacing(draft: Draft, actor: Actor) -> None:
    """Refuses an actor who may not have the file replaced."""
    people.check(actor, Act.REPLACE_FILE, f"replacing {draft.path}", f"signoff chat {draft.persona}")


def contract(workflow: Workflow, persona: Persona) -> str:
    """The contract of the file that a persona makes, as the model of a host reads it; "" if it makes none."""
    if persona.artifact is None:
        return ""
    made = workflow.contract(persona.artifact.contract)
    return agent_files.contract_block(made.name, made.schema())


async def hand_in(project: Project, name: str, typed: str, output: str, *, replace: bool) -> dict[str, Any]:
    """Takes what a persona made in a host, checked as any output is; the path is not the host's to say."""
    workflow, persona = find(name)
    task = persona.task(typed)
    refuse_lacking(project, persona, task)
    draft = drafted(project, workflow, persona, task, output)
    await put(project, draft, people.HOST, replace=replace)
    return {"written": draft.path, "task": task, "changed": not draft.same, **following(persona, task)}


def following(persona: Persona, task: str) -> dict[str, Any]:
    """Who comes after the persona, and how they are called."""
    if not persona.next:
        return {}
    return {"next": persona.next, "how_to_go_on": f"signoff chat {persona.next} {task}"}


# --- its part of a run ------------------------------------------------------------------------------------------------


def scene(project: Project, task: str) -> Scene:
    """A conversation about a task, on the files of the project as they are."""
    return Scene(task=task, read=project.store.read)


def on_turn(live: LiveRun, task: str, start: StartTurn) -> Scene:
    """A conversation about a turn, on the inputs that it was pinned to."""
    pinned = {ref.path: ref for ref in start.pinned}

    def read(path: str) -> bytes | None:
        return live.library.data(pinned[path]) if path in pinned else None

    return Scene(task=task, read=read, files=tuple(pinned), notes=start.notes)


def owner(project: Project, workflow: Workflow, ask: Ask, task: str) -> Persona | None:
    """The persona whose part a request is."""
    here = scene(project, task)
    return next((persona for persona in workflow.people.personas.values() if persona.settle(ask, here)), None)


def way(live: LiveRun, ask: Ask, option: str) -> Way | None:
    """The way of a persona that leads to this option of a request."""
    return next((way for _, found in _settlings(live, ask) for way in found.ways if way.act == option), None)


def _settlings(live: LiveRun, ask: Ask) -> list[tuple[Persona, Settling]]:
    """How each persona whose part it is puts a request."""
    scenes = (
        (one, Scene(task=task_of(one, live.run), read=live.store.read))
        for one in live.workflow.people.personas.values()
    )
    return [(one, found) for one, scene in scenes if (found := one.settle(ask, scene))]


@dataclass(frozen=True, slots=True)
class Ways:
    """How a request is put to a person: what they see first, and by its word each way to settle it.

    A way of a persona comes with that persona, which remembers what was said; any other option is a way by itself.
    """

    shown: str
    by_word: Mapping[str, tuple[Way, Persona | None]]


def ways(live: LiveRun, ask: Ask) -> Ways:
    """All ways to settle a request: those of personas, and of each option that no persona has a way for."""
    found = _settlings(live, ask)
    own: list[tuple[Way, Persona | None]] = [(way, persona) for persona, one in found for way in one.ways]
    known = {way.act for way, _ in own}
    options = [one for one in ask.options if one not in known and (one in PERSONAL or one in choosable(ask))]
    own += [(_option(ask, one), None) for one in options]
    return Ways("\n\n".join(one.shown for _, one in found if one.shown), {way.word: (way, who) for way, who in own})


_ABOUT = {
    APPROVE: "yes to exactly these bytes; the run goes on",
    REJECT: "no; the agents get your reason and try again",
    RESUME: "the run goes on from here",
}


def _option(ask: Ask, option: str) -> Way:
    """An option with which only a text goes: a reason, the step to begin again at, or a note."""
    about = str(dict(ask.notes.get("about") or {}).get(option) or _ABOUT.get(option, ""))
    steps = tuple(map(str, ask.notes.get("from", ())))
    if option == APPROVE or (option == RESUME and not steps):
        return Way(word=option, about=about, act=option)
    if option == REJECT:
        return _worded(option, about, "reason", "What must change?", "The agents are given these words.", must=True)
    if option == RESUME:
        text = f"One of {', '.join(steps)}. An empty line: where it stopped."
        return _worded(option, about, "from", "Where does it begin again?", text, valid=steps)
    must = option in ask.notes.get(WORDS, ())
    text = "It is recorded with the choice." + ("" if must else " An empty line: none.")
    return _worded(option, about, "note", "What do you say with it?", text, must=must)


def _worded(
    option: str, about: str, key: str, title: str, text: str, *, must: bool = False, valid: tuple[str, ...] = ()
) -> Way:
    """An option for which one thing is asked, which goes with it under this key."""

    def questions(said: Said) -> Iterator[Question]:
        words = said.get(key, "").strip()
        wrong = "It needs words." if must and not words else ""
        if valid and words not in ("", *valid):
            wrong = f"{words!r} is none of {', '.join(valid)}."
        yield Question(key=key, title=title, text=text, answer=words, must=must, verdict=wrong if key in said else "")

    def payload(said: Said) -> dict[str, str]:
        return {key: words} if (words := said.get(key, "").strip()) else {}

    return Way(word=option, about=about, act=option, questions=questions, payload=payload)


def refuse_payload(found: Way | None, option: str, payload: Mapping[str, Any]) -> None:
    """What goes with a choice is checked as any output is; a note alone only where it stands for more."""
    if not (found and found.takes and found.takes.must):
        payload = {name: value for name, value in payload.items() if name != "note"}
        if not payload:
            return
    if found is None or found.takes is None:
        raise UsageError(f"nothing goes with {option!r} but a note", repair="leave the payload out")
    if problems := tuple(found.takes.check(payload)):
        raise DocumentError(problems)


def payload_text(found: Way, payload: Mapping[str, Any]) -> str:
    """What goes with a choice as a person reads it before they agree, if nothing is wrong with it."""
    refuse_payload(found, found.act, payload)
    return yamlio.dump(payload)


def refuse_unreadable(text: str) -> str:
    """An answer as it is kept; text that no file can hold is refused."""
    told = questionnaires.normalized(text)
    if bad := next((char for char in told if questionnaires.unreadable(char)), None):
        raise UsageError(f"the answer has the character U+{ord(bad):04X}", repair="leave it out; nothing was kept")
    return told
