"""What a run asks a person, settled where they sit: approvals, choices and questions, one request at a time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff import APPROVE, Ask, UserError
from signoff.service import conversations, questionnaires, run_control, runs
from signoff.service.conversations import Talk, Ways
from signoff.service.people import PERSONAL
from signoff.service.project import Run
from signoff.service.recordings.recorder import Offer
from signoff.service.types import Persona, Said, Way, upcoming
from signoff.surfaces.cli.terminal import question_prompts
from signoff.surfaces.cli.terminal.formatting import clean, paragraph
from signoff.surfaces.cli.terminal.interview import Desk, Interviewer, LeftError
from signoff.surfaces.cli.terminal.question_prompts import Screen, Terminal, tell
from signoff.surfaces.cli.terminal.signing import Presented, here, present, sign

Wait = Callable[[Coroutine[Any, Any, Any]], Any]
"""Waits for work that is done in an event loop, and gives what came of it."""

LATER, SHOW = "later", "show"


@dataclass(slots=True)
class Requests:
    """The requests of a run, put to the person at this terminal.

    `task` is what the conversation is about, if it is not the run's name; `later` are the requests that they left open
    for now, `asked` those whose questions were gone through.
    """

    live: Run
    screen: Screen
    wait: Wait
    task: str = ""
    later: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)

    def settle(self, offer: Offer | None = None) -> bool:
        """Has the next request settled; False if none is left, or the person leaves. `offer` is a recorded answer."""
        try:
            while (ask := self._next(offer)) is not None:
                try:
                    ways = conversations.ways(self.live, ask)
                    act = self.put(ask, ways, offer if offer and offer.ask == ask else None, may_wait=True)
                except UserError as error:  # what is refused is said, and the request is put again
                    tell(self.screen, paragraph(str(error)))
                    continue
                if act:
                    return True
                if act == {}:
                    self.later.add(ask.request)
        except LeftError:
            pass
        return False

    def _next(self, offer: Offer | None) -> Ask | None:
        """The request that a recording has an answer to, else the first that was not left for later."""
        waiting = [ask for name, ask in self.live.state.requests.items() if name not in self.later]
        return next((ask for ask in waiting if offer and offer.ask == ask), waiting[0] if waiting else None)

    def put(self, ask: Ask, ways: Ways, offer: Offer | None = None, *, may_wait: bool = False) -> dict[str, Any] | None:
        """Shows a request and settles it in the way that the person takes; gives what was recorded.

        Nothing ({}) is recorded for one that is left open, and None if it changed meanwhile: then it is put again.
        """
        tell(
            self.screen,
            ("", f"{clean(ask.kind)} {clean(ask.request)}: {clean(self.live.named(ask.question), 1000)}"),
        )
        tell(self.screen, paragraph(ways.shown))
        pages = ", ".join(map(clean, runs.pages(self.live, ask)))
        tell(self.screen, [f"  more about it: {pages}"] * bool(pages))
        if ask.notes.get("questions") is True and ask.key not in self.asked and offer is None:
            self._answer(ask)
            if self.live.state.requests.get(ask.request) != ask:
                return None
        seen = present(self.live, ask) if ask.of else Presented()
        desk = Desk(self.screen, terms=self.live.workflow.views.terms, language=self.live.language)
        words = {word: self.live.named(way.about) for word, (way, _) in ways.by_word.items()}
        more = {SHOW: "print the files"} if ask.of else {}
        more |= {LATER: "leave it open"} if may_wait else {}
        enter = f"take the recorded answer of {clean(offer.by)}: {clean(offer.text, 1000)}" if offer else ""
        while (word := desk.pick({**words, **more}, enter=enter)) == SHOW and word not in words:
            for path in ask.of:
                tell(self.screen, ("", f"--- {clean(path)}", *paragraph(runs.text(self.live, path), "")))
        if not word and offer:
            self.wait(offer.take())
            return {"request": ask.request, "act": offer.sitting.act}
        if word == LATER and word not in words:
            return {}
        return self._take(ask, *ways.by_word[word], seen)

    def _answer(self, ask: Ask) -> None:
        """The questions of the run's document, one by one, as with `signoff answer`."""
        self.asked.add(ask.key)
        sheet = questionnaires.read(self.live)
        keys = question_prompts.wanted(sheet, every=False)
        if keys:
            self.screen.say(f"{clean(sheet.path)}: {len(keys)} of {len(sheet.questions)} to go through. ? for help.")
            question_prompts.converse(sheet, keys, Terminal(self.live))

    # --- what the person takes ---

    def _take(self, ask: Ask, way: Way, persona: Persona | None, seen: Presented) -> dict[str, Any] | None:
        """Asks for what goes with a way and records the act, if the request is still the one that was shown."""
        payload, talk = self._payload(ask, way, persona)
        self.wait(self.live.refresh())
        if self.live.state.requests.get(ask.request) != ask or seen.outdated(ask, self.live.state.docs):
            self.screen.say("  It changed while you looked at it; nothing was recorded. Here it is again.")
            return None
        settled = self._record(ask, way, payload, seen)
        self.asked.discard(ask.key)
        if talk is not None:
            conversations.forget(self.live.project, talk)
        return settled

    def _payload(self, ask: Ask, way: Way, persona: Persona | None) -> tuple[Mapping[str, Any], Talk | None]:
        """What goes with the act, made of what the person says; if it is more than words, they see it first."""
        if persona is None:
            return way.payload(self._said(way)), None
        task = self.task or conversations.task_of(persona, self.live.run)
        talk = conversations.recall(self.live.project, persona, task, ask.key, way.word)
        drafted: Callable[[Said], str] = lambda said: conversations.payload_text(way, way.payload(said))  # noqa: E731
        asking = Interviewer(self.live.project, talk, way.questions, self.screen, drafted)
        asking.recall()
        said = asking.agree(way.word, way.about) if way.takes else asking.hold()
        return way.payload(said), asking.talk

    def _said(self, way: Way) -> Said:
        """The answers to what a way asks; a few words need not survive a kill."""
        said: dict[str, str] = {}
        while (question := upcoming(way.questions(said), said)) is not None:
            tell(
                self.screen,
                (f"  {question.title} {question.text}", *([f"  {question.verdict}"] * bool(question.verdict))),
            )
            if (line := self.screen.read("> ")) is None:
                raise LeftError
            said[question.key] = conversations.refuse_unreadable(line)
        return said

    def _record(self, ask: Ask, way: Way, payload: Mapping[str, Any], seen: Presented) -> dict[str, Any]:
        """Records the act: what is a person's is confirmed as with its own command."""
        actor = here()
        if way.act not in PERSONAL:
            self.wait(runs.answer(self.live, ask.request, way.act, actor, payload))
            return {"request": ask.request, "act": way.act, "by": actor.by, **payload}
        found = run_control.request(self.live, ask.key, way.act, actor)
        given = {"accept_changes": bool(seen.changed), **payload} if way.act == APPROVE else payload
        signed = sign(found, way.act, given, actor, seen)
        self.wait(signed.enter(self.live))
        return signed.to_json(self.live)
