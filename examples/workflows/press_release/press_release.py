"""Press release: a writer drafts from the sources, an editor reviews, a person approves."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, Field

from signoff import Agent, Documents, Finding, GateInput, Workflow, approval, contract, edge, gate, table, turn

SOURCES, RELEASE = "0-sources/", "releases/{run}.md"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Draft(BaseModel):
    headline: str = Field(max_length=90)
    body: str


class Remark(BaseModel):
    problem: str
    repair: str


class Review(BaseModel):
    remarks: list[Remark] = []


@gate("Every number of the release is in a source.", reads={"release": RELEASE, "sources": SOURCES})
def numbers(given: GateInput) -> Iterator[Finding]:
    known = set(NUMBER.findall("\n".join(given.texts("sources").values())))
    for number in sorted(set(NUMBER.findall(given.text("release"))) - known):
        yield Finding(rule="numbers.unknown", problem=f"{number} is in no source", repair="leave it out")


def remarks(review: Review) -> Iterator[Finding]:
    return (Finding(rule="editor.remark", problem=one.problem, repair=one.repair) for one in review.remarks)


WRITER = Agent(name="writer", contract=contract(Draft), prompt="You write the press release from the sources alone.")
EDITOR = Agent(name="editor", contract=contract(Review), prompt="You review the press release. No remark: it is good.")

WORKFLOW = Workflow(
    name="press-release",
    about="Press release: every number of it is in the sources.",
    agents=(WRITER, EDITOR),
    gates=(numbers,),
    documents=Documents(sources=(SOURCES,)),
    steps=table(
        turn(
            "write", WRITER, "Write the press release {run}; repair what is required.",
            reads=(SOURCES, RELEASE), writes={RELEASE: lambda draft: f"# {draft.headline}\n\n{draft.body}\n"},
            gates=(numbers,),
        ),
        turn("review", EDITOR, "Review the press release {run}.", reads=(SOURCES, RELEASE), finds=remarks),
        approval("approve", of=(RELEASE,), question="Publish the press release {run}?"),
        edge("review", "write", on="failed", at_most=3),
        edge("approve", "write", on="rejected"),
    ),
)  # fmt: skip
