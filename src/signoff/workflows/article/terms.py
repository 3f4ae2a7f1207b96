"""The words that the fields of an article's config may hold: closed lists, ids of materials, places in the article."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StrictBool, StrictInt

from signoff.artifacts.forms import Text

Texts: TypeAlias = tuple[Text, ...]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0, description="a whole number, 0 or more")]
YesNo: TypeAlias = StrictBool
Percent: TypeAlias = Annotated[
    str, Field(pattern=r"^(?:100|[1-9]?[0-9])%$", description="a share in whole percent, as in '40%'")
]
Moment: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$",
        description="a moment in ISO 8601 with its zone, as in 2026-11-04T09:30:00Z",
    ),
]

# --- what kind of article, for whom -----------------------------------------------------------------------------------

Language: TypeAlias = Literal["en", "zh"]
Framework: TypeAlias = Literal["b2b", "b2c"]
ArticleType: TypeAlias = Literal["opinion", "tutorial", "informational", "comparison"]
ArticleLength: TypeAlias = Literal["short", "standard", "deep"]
UserType: TypeAlias = Literal[
    "入门新手", "非专业人士", "实操者", "决策者", "专家", "好奇新手", "问题解决者", "精明买家"
]
Depth: TypeAlias = Literal["入门基础", "进阶技巧", "技术细节", "概述", "专家级", "极简", "实用", "对比"]
ThesisDepth: TypeAlias = Literal[Depth, "all"]
Persona: TypeAlias = Literal["实践导师", "技术专家", "行业观察者", "生活达人", "热心邻居", "精明买家代言人"]
Stance: TypeAlias = Literal["challenge", "confirm", "nuance"]
FunnelStage: TypeAlias = Literal["awareness", "consideration", "decision"]
Priority: TypeAlias = Literal["high", "medium"]

# --- judgements -------------------------------------------------------------------------------------------------------

Status: TypeAlias = Literal["in-progress", "completed"]
Level: TypeAlias = Literal["high", "medium", "low"]
# In the order that solution-page has them: to `typing` the two are equal, and whichever is read first is published.
Strategy: TypeAlias = Literal["execution", "angle", "both"]
Score: TypeAlias = Literal["strong", "moderate", "weak"]
Hook: TypeAlias = Literal["surprising-stat", "question", "problem", "direct"]
Adjustment: TypeAlias = Literal["keep", "soften", "strengthen"]
ThesisSupport: TypeAlias = Literal["strong", "moderate", "weak", "nuance", "counter", "neutral"]
IntroFramework: TypeAlias = Literal["Direct Hook", "PAS", "AIDA"]
ConclusionType: TypeAlias = Literal["next-step", "synthesis", "verdict", "prevention"]

# --- ids and places ---------------------------------------------------------------------------------------------------

_NUMBER: Final = r"(?:[1-9][0-9]{3,}|[0-9]{3})"
ID: Final = rf"(?:CASE-|EXP-|DEB-|VOICE-|D){_NUMBER}"
"""Any id of a material, as a pattern."""

CaseId: TypeAlias = Annotated[str, Field(pattern=rf"^CASE-{_NUMBER}$", description="an id of a case, as in CASE-001")]
ExpertId: TypeAlias = Annotated[
    str, Field(pattern=rf"^EXP-{_NUMBER}$", description="an id of an expert explanation, as in EXP-001")
]
DebateId: TypeAlias = Annotated[str, Field(pattern=rf"^DEB-{_NUMBER}$", description="an id of a debate, as in DEB-001")]
MaterialId: TypeAlias = Annotated[
    str,
    Field(pattern=rf"^{ID}$", description="an id of a material: CASE-001, D001, EXP-001, VOICE-001 or DEB-001"),
]

_SECTION: Final = r"H2-[1-9][0-9]*"
Place: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^(?:introduction|{_SECTION}|conclusion)$",
        description="introduction, H2-1, H2-2, … or conclusion",
    ),
]
Slot: TypeAlias = Annotated[
    str, Field(pattern=rf"^(?:hook|{_SECTION}|conclusion)$", description="hook, H2-1, H2-2, … or conclusion")
]
ShortPlace: TypeAlias = Annotated[
    str, Field(pattern=rf"^(?:intro|{_SECTION}|conclusion)$", description="intro, H2-1, H2-2, … or conclusion")
]
Placed: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^(?:introduction|{_SECTION}|conclusion): *\S",
        description="the place, a colon and what stands there, as in `H2-1: words of that section`",
    ),
]
Bracketed: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^\[(?:introduction|{_SECTION}|conclusion)\]: *\S",
        description="the place in brackets, a colon and the opinion, as in `[H2-1]: prefer the slower bath`",
    ),
]


def place(name: str) -> str:
    """The name that a place has everywhere: `hook` and `intro` are the introduction."""
    return "introduction" if name in ("hook", "intro") else name
