"""An interview at a terminal or in a pipe: one question at a time, each answer kept before the next is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from signoff import UserError
from signoff.service import conversations
from signoff.service.conversations import Talk
from signoff.service.project import Project
from signoff.service.types import Question, Said, Terms, upcoming
from signoff.surfaces.cli.terminal import question_prompts as talking
from signoff.surfaces.cli.terminal.formatting import clean, counted, paragraph

HELP = (
    "  A letter takes that choice, any other line is your answer. It is kept at once.",
    "  (an empty line)  nothing, or nothing more: go on; where an answer is needed, the recommendation",
    "  =                take the recommendation",
    f"  {talking.MANY}              begin a text of several lines; end it with the same mark on a line of its own",
    "  e                write the answer in your $EDITOR",
    "  /back            take the last answer back",
    "  /draft           show what would come of it so far",
    "  /exit            leave; what was said is kept, and nothing else is written",
)
DRAFT, EXIT, HELPED, BACK = "/draft", "/exit", "/help", "/back"
WHOLE = 8_000
"""How many characters of a question are shown when it is answered."""
Questions = Callable[[Said], Iterator[Question]]


class LeftError(Exception):
    """The person leaves; what was said is kept."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a persona talks with a person. `drafted` is what would come of what was said so far.

    Words to pick from are shown under their names of these `terms` in this language, and may be typed in either one.
    """

    screen: talking.Screen
    drafted: Callable[[], str] = lambda: ""
    terms: Terms = field(default_factory=Terms)
    language: str = "en"

    def read(self, prompt: str) -> str | None:
        while (line := self.screen.read(prompt)) is not None and line.strip() == DRAFT:
            self._draft()
        return line

    def _draft(self) -> None:
        try:
            talking.tell(self, paragraph(self.drafted()) or ["  There is no draft yet."])
        except UserError as error:
            talking.tell(self, paragraph(f"There is no draft yet:\n{error}"))

    def say(self, line: str) -> None:
        self.screen.say(line)

    def edit(self, text: str) -> str | None:
        return self.screen.edit(text)

    def pick(self, words: Mapping[str, str], numbers: int = 0, enter: str = "") -> str:
        """The word that the person types, or a number of a point that they want to change; they may leave.

        `enter` says what an empty line does; without it, that is none of the words.
        """
        told = [f"  (an empty line): {enter}"] if enter else []
        names = {word: self.terms.name(word, self.language) for word in words}
        told += [
            f"  {names[word]}: {clean(about, 1000)}" if about else f"  {names[word]}" for word, about in words.items()
        ]
        if numbers:
            told.append(f"  {'1' if numbers == 1 else f'1 to {numbers}'}: change that point, take it out, or say more")
            told.append(f"  {BACK}: take the last answer back")
        told.append("  q: leave; what was said is kept")
        valid = {*words, *map(str, range(1, numbers + 1)), *((BACK,) if numbers else ()), *(("",) if enter else ())}
        talking.tell(self, told)
        while (line := self.read("> ")) is not None and (typed := line.strip()) not in (EXIT, "q"):
            if (word := self.terms.value(typed) or typed.casefold()) in valid:
                return word
            wrong = [] if typed in (HELPED, "?") else [f"  {clean(typed)!r} is none of these:"]
            talking.tell(self, [*wrong, *told])
        raise LeftError


@dataclass(slots=True)
class Interviewer:
    """Asks the questions of one conversation; `kept` is what of it is on the disk."""

    project: Project
    kept: Talk
    questions: Questions
    screen: talking.Screen
    drafted: Callable[[Said], str]
    talk: Talk = field(init=False)

    def __post_init__(self) -> None:
        self.talk = self.kept

    @property
    def said(self) -> Said:
        return self.talk.said

    @property
    def desk(self) -> Desk:
        return Desk(self.screen, lambda: self.drafted(self.said))

    def recall(self) -> None:
        """Offers to go on from what was said before."""
        if not self.said:
            return
        done = ", and something came of it" if self.talk.ended else ""
        self.screen.say(f"What you said before is kept: {counted(len(self.said), 'answer')}{done}.")
        anew = "begin again; with your first answer the old ones are gone"
        if self.desk.pick({"on": "go on from there", "anew": anew}) == "anew":
            self.talk = Talk(persona=self.kept.persona, topic=self.kept.topic)

    def hold(self) -> Said:
        """Asks until nothing is left to ask."""
        while (question := upcoming(self.questions(self.said), self.said)) is not None:
            meant = self._ask(question)
            if meant.what == "back":
                self._back()
            else:
                self._answer(question, meant.text or (question.recommendation if question.must else ""))
        return self.said

    def agree(self, word: str, about: str) -> Said:
        """Asks, shows what comes of it, and asks again what the person wants to change, until they say the word."""
        while True:
            self.hold()
            words, points = self._shown(word, about), [one for one in self.questions(self.said) if one.key in self.said]
            self.screen.say("\nIt is made of what you said:")
            lines = ((one.title, clean(one.answer, 70) or "(nothing)") for one in points)
            talking.tell(self.screen, (f"  {n}. {clean(title)}: {said}" for n, (title, said) in enumerate(lines, 1)))
            picked = self.desk.pick(words, len(points))
            if picked == word:
                return self.said
            if picked == BACK:
                self._back()
            else:
                question = points[int(picked) - 1]
                meant = self._ask(question)  # the answer may be taken out, or left as it is
                if meant.what != "back":
                    self._answer(question, meant.text)

    def _shown(self, word: str, about: str) -> dict[str, str]:
        """Shows the draft; if it would not do, says why, and there is nothing to agree to."""
        self.screen.say("")
        try:
            talking.tell(self.screen, paragraph(self.drafted(self.said)))
        except UserError as error:
            talking.tell(self.screen, paragraph(f"This does not do yet:\n{error}"))
            return {}
        return {word: about}

    def _ask(self, question: Question) -> talking.Heard:
        title = clean(question.title, WHOLE)
        talking.tell(self.screen, ("", f"{clean(question.section)}: " * bool(question.section) + title))
        talking.tell(self.screen, talking.details(question))
        meant = talking.ask(question, self.desk, HELP)
        if meant.what == "end":
            raise LeftError
        return meant

    def _back(self) -> None:
        if self.said:
            self._keep(self.talk.without_last())
        else:
            self.screen.say("  There is nothing before this.")

    def _answer(self, question: Question, text: str) -> None:
        try:
            new = self.talk.plus(question, conversations.refuse_unreadable(text))
        except UserError as error:
            talking.tell(self.screen, paragraph(str(error)))
            return
        judged = next((one for one in self.questions(new.said) if one.key == question.key), None)
        if judged is not None and judged.verdict:
            self.screen.say(f"  {clean(judged.verdict, 1000)}")
        else:
            self._keep(new)

    def _keep(self, new: Talk) -> None:
        self.kept = self.talk = conversations.keep(self.project, new, self.kept)
