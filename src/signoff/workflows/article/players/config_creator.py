"""The config creator: who writes this article for whom, from what the person said, the brief and the audience tables.

What the person said is taken as it is. What they did not say is derived and told in `notes`, so that nobody is
surprised by a voice that nobody chose. Years of experience and achievements are never derived: that would be inventing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.workflows.article.audiences import AUDIENCES, Audience
from signoff.workflows.article.players.desk import Desk, Payload, blocked, player
from signoff.workflows.article.players.lexicon import HAN
from signoff.workflows.wording import alike, plain, sentences

_USUAL: Final = ("实操者", "问题解决者")
_READERS: Final = {
    "入门新手": r"beginner|newcomer|trainee|new to|新手|入门|学徒",
    "非专业人士": r"not specialists|non-specialist|outside the trade|非专业|外行",
    "实操者": r"do the work|hands-on|operators?|shift leads?|engineers?|自己动手|带班|工艺员|一线",
    "决策者": r"decision makers?|managers?|owners?|buyers?|budget|决策|老板|采购|管理层",
    "专家": r"researchers?|specialists?|scientists?|研究人员|专家",
    "好奇新手": r"curious|never heard|好奇|没听过",
    "问题解决者": r"fix|repair|problem|at home|解决|修|家里",
    "精明买家": r"compare|which one|buy|choose between|比较|选购|怎么买",
}
_ROLE: Final = {
    "en": {
        "实践导师": "workshop mentor",
        "技术专家": "process engineer",
        "行业观察者": "industry observer",
        "生活达人": "keen amateur",
        "热心邻居": "helpful neighbour",
        "精明买家代言人": "careful buyer",
    },
    "zh": {},
}
_BIAS: Final = {"en": "a stable process beats a clever one", "zh": "宁可工艺平稳，不追参数极限"}
_TRAITS: Final = {"en": ["practical", "direct", "argues from cases"], "zh": ["务实", "直接", "爱举实例"]}
_STAGE: Final = {
    "opinion": "awareness",
    "informational": "awareness",
    "tutorial": "consideration",
    "comparison": "decision",
}
_RELATED: Final = 0.2


def _work(desk: Desk) -> Payload:
    framework = _framework(desk)
    users: dict[str, Audience] = {one.user_type: one for one in AUDIENCES if one.framework == framework}
    user = str(desk.note("user") or _reader(desk, users))
    if user not in users:
        return blocked([f"no reader {user!r} in {framework}; valid: {', '.join(users)}; name one of them"])
    depth = str(desk.note("depth") or users[user].depth)
    if depth != users[user].depth:
        fitting = next((one.user_type for one in users.values() if one.depth == depth), "")
        repair = f"name the reader {fitting!r}, or leave the depth out" if fitting else "leave the depth out"
        return blocked(
            [f"depth {depth!r} does not suit {user!r} of {framework}, which reads {users[user].depth!r}; {repair}"]
        )
    kind = str(desk.note("type") or "opinion")
    config = {
        "topic": desk.topic,
        "language": desk.language,
        "audienceFramework": framework,
        "articleType": kind,
        "articleLength": str(desk.note("length") or "standard"),
        "audience": user,
        "depth": depth,
        "authorPersona": _persona(desk, users[user].persona),
        "buyerJourney": _journey(desk, kind),
        **_links(desk),
        **({"products": list(desk.note("products"))} if desk.note("products") else {}),
    }
    return {"config": config, "notes": list(_derived(desk, config))}


def _framework(desk: Desk) -> str:
    """As the person said, or as the reader whom they named has it."""
    named = next((one.framework for one in AUDIENCES if one.user_type == desk.note("user")), "b2b")
    return str(desk.note("audience") or named)


def _reader(desk: Desk, users: Mapping[str, Audience]) -> str:
    """The reader of the depth that was named, or whom the brief speaks of most; the usual one where it says nothing."""
    counts = {user: len(re.findall(_READERS[user], desk.brief, re.IGNORECASE)) for user in users}
    deep = [user for user, one in users.items() if one.depth == desk.note("depth")]
    best = max(deep or list(users), key=lambda user: counts[user])
    return best if deep or counts[best] else next(user for user in _USUAL if user in users)


def _persona(desk: Desk, persona: str) -> dict[str, Any]:
    said = {name: desk.note(name) for name in ("role", "experience") if desk.note(name)}
    return {
        "role": _ROLE[desk.language].get(persona, persona),
        **said,
        "specialty": str(desk.note("specialty") or _subject(desk)),
        "bias": str(desk.note("bias") or _BIAS[desk.language]),
        "voiceTraits": _TRAITS[desk.language],
    }


def _subject(desk: Desk) -> str:
    """What it is about, in a few words of the article's own language: from the person, the brief, or the topic."""
    for text in (str(desk.note("about")), *_paragraphs(desk.brief)):
        if text.strip() and bool(HAN.search(text)) == (desk.language == "zh"):
            return _few_words(text)
    return desk.topic.replace("-", " ")


def _paragraphs(brief: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", brief):
        if not block.lstrip().startswith(("#", "<!--", "-")):
            yield plain(block)


def _few_words(text: str) -> str:
    """The noun that a text is about: without `An article about`, and up to where it begins to explain."""
    first = (sentences(text) or [text])[0]
    bare = re.sub(
        r"^(?:An? |The )?(?:article|piece|guide|text) (?:about|on|for) |^(?:一篇|写)?(?:关于|有关)", "", first
    )
    return re.split(r"[(（:：,，。;；]|\bwhy\b|\bhow\b|为什么|如何|怎么|的文章", bare)[0].strip(" .的") or bare.strip(
        " .。"
    )


def _journey(desk: Desk, kind: str) -> dict[str, Any]:
    action = str(desk.note("cta"))
    path = {"conversionPath": {"primaryCTA": {"action": action}}} if action else {}
    return {"funnelStage": str(desk.note("stage") or _STAGE.get(kind, "awareness")), **path}


def _links(desk: Desk) -> dict[str, Any]:
    """Other articles of the project that are about something near, offered as links."""
    subject = f"{desk.topic.replace('-', ' ')} {_subject(desk)}"
    near = [
        {"target": str(one["topic"]), "url": str(one["url"]), "anchor": str(one["title"]), "priority": "medium"}
        for one in desk.note("articles", ())
        if one.get("url") and one.get("title") and one.get("topic") != desk.topic
        and alike(subject, f"{str(one['topic']).replace('-', ' ')} {one['title']}") >= _RELATED
    ]  # fmt: skip
    return {"internalLinks": {"required": [], "recommended": near[:3]}} if near else {}


def _derived(desk: Desk, config: Mapping[str, Any]) -> Iterator[str]:
    persona = config["authorPersona"]
    given = {"user": config["audience"], "depth": config["depth"], "type": config["articleType"]}
    given |= {name: persona[name] for name in ("role", "specialty", "bias")}
    for name, value in given.items():
        if not desk.note(name):
            yield f"{name} was not given: {value!r} was derived; set it to say otherwise"


config_creator = player("config-creator", {"config": _work})
