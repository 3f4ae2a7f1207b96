"""Products that nobody has seen before: a sheet and its source files, drawn from a seed.

Names, facts, numbers, places and prose all differ; what they have in common is that an honest page can be made of them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stage import SHEET, Stage

from signoff.artifacts import yamlio
from signoff.workflows.solution_page.documents import page_template

Pair = tuple[str, str]

PLACES: list[Pair] = [
    ("a ward", "病房"),
    ("a workshop", "车间"),
    ("a courtroom", "法庭"),
    ("a lecture hall", "讲堂"),
    ("a harbour office", "港口办公室"),
    ("a laboratory", "实验室"),
    ("a newsroom", "编辑部"),
    ("a depot", "车场"),
]
PEOPLE: list[Pair] = [
    ("nurses", "护士"),
    ("technicians", "技术员"),
    ("clerks", "书记员"),
    ("teachers", "教师"),
    ("dispatchers", "调度员"),
    ("editors", "编辑"),
    ("inspectors", "检查员"),
    ("planners", "计划员"),
]
THINGS: list[Pair] = [
    ("notes", "笔记"),
    ("reports", "报告"),
    ("records", "记录"),
    ("transcripts", "文稿"),
    ("orders", "工单"),
    ("drawings", "图纸"),
    ("lists", "清单"),
    ("letters", "信件"),
]
PLAIN: list[Pair] = [
    (
        "In {place}, {people} have little time to spare, and {thing} that arrive late are read by nobody.",
        "在{place}里，{people}的时间总是很紧，迟到的{thing}往往没有人会去看，也没有人会去问。",
    ),
    (
        "Many {people} still keep their {thing} on paper, copy them in the evening, and lose details on the way.",
        "许多{people}仍把{thing}写在纸上，到了晚上再慢慢抄录，不少细节就这样在途中丢失了。",
    ),
    (
        "What helps in {place} is a device that stays out of the way and asks {people} for no further step.",
        "在{place}真正有用的，是不打扰人的设备，它不会要求{people}为了{thing}再多做任何步骤。",
    ),
    (
        "The {thing} stay with the team that wrote them, and {people} decide who may see them later.",
        "{thing}留在撰写它的团队手里，以后谁可以查看、谁可以修改，都由{people}自己来决定。",
    ),
    (
        "Setting it up takes a table, a cable and a quiet moment before {people} enter {place}.",
        "安装时有桌子、线缆和片刻安静就够了，在{people}走进{place}之前，一切就已经准备妥当。",
    ),
    (
        "When something goes wrong, a plain message tells {people} what happened and what to do about it.",
        "出了问题，屏幕上会用平实的话告诉{people}发生了什么、该怎么处理，而不是显示难懂的代码。",
    ),
    (
        "Teams that move between {place} and the office find the same {thing} in the same order.",
        "经常往返于{place}和办公室之间的团队，在两边看到的{thing}相同，排列的顺序也相同。",
    ),
    (
        "A pilot in {place} soon shows whether {people} like to work this way, and what should change.",
        "先在{place}试用，很快就能看出{people}是否喜欢这样的工作方式，还有哪些地方需要调整。",
    ),
    (
        "Training is short, because {people} already know the words that appear on the screen.",
        "培训用不了多久，因为屏幕上出现的都是{people}早已熟悉的词，看到就知道是什么意思。",
    ),
    (
        "Our visits to {place} taught us that searching old {thing} costs {people} a lot of patience.",
        "我们到{place}走访时了解到，翻找旧的{thing}很耗耐心，{people}常常因此放弃查找。",
    ),
    (
        "The layout follows the day in {place}: what matters to {people} in the morning stands at the top.",
        "界面的编排顺着{place}的作息来：{people}早上要看的内容排在上面，其余的依次往下排。",
    ),
    (
        "Existing {thing} can be carried over, and whatever does not fit is listed for {people} to decide.",
        "已有的{thing}可以整批转入，凡是对不上的都会逐项列出，交给{people}来决定如何处理。",
    ),
]
OPENINGS: list[Pair] = [
    ("What was measured", "实测结果"),
    ("What it means in daily work", "日常使用中"),
    ("From the data sheet", "规格说明"),
    ("What we found", "我们的结论"),
    ("In figures", "用数字来说"),
    ("Put plainly", "说得直白些"),
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact: its text in both languages, with `{n}` and `{m}` for the numbers."""

    id: str
    en: str
    cn: str
    label: Pair
    low: int
    high: int
    value: Pair = ("{n}", "{n}")


KINDS = [
    Kind(
        "battery",
        "Runs {n} hours on one charge",
        "充满电可运行{n}小时",
        ("Runtime", "运行"),
        3,
        40,
        ("{n} h", "{n}小时"),
    ),
    Kind("weight", "Weighs {n} g with its cover", "连同外壳重{n}克", ("Mass", "质量"), 80, 2400, ("{n} g", "{n}克")),
    Kind(
        "latency",
        "Answers in {n} ms on average",
        "平均{n}毫秒作出应答",
        ("Answer", "应答"),
        4,
        90,
        ("{n} ms", "{n}毫秒"),
    ),
    Kind(
        "microphones",
        "Listens with {n} microphones",
        "用{n}个麦克风收音",
        ("Microphones", "麦克风"),
        2,
        24,
        ("{n}", "{n}"),
    ),
    Kind("reach", "Hears speech from {n} m away", "可听清{n}米外的讲话", ("Reach", "距离"), 2, 30, ("{n} m", "{n}米")),
    Kind(
        "storage", "Holds {n} GB of recordings", "可存放{n} GB的录音", ("Storage", "存储"), 8, 900, ("{n} GB", "{n} GB")
    ),
    Kind(
        "recognition",
        "Recognised {n}% of the test words",
        "识别出{n}%的测试词",
        ("Recognised", "识别"),
        51,
        99,
        ("{n}%", "{n}%"),
    ),
    Kind(
        "climate",
        "Worked from -{n} °C to {m} °C in the chamber",
        "在试验箱中从-{n} °C到{m} °C均可工作",
        ("Climate", "气候"),
        5,
        60,
        ("-{n} °C to {m} °C", "-{n} °C到{m} °C"),
    ),
    Kind(
        "warranty",
        "{n}-year warranty with repair on site",
        "{n}年质保，上门维修",
        ("Repair", "维修"),
        2,
        9,
        ("{n} years", "{n}年"),
    ),
    Kind("power", "Draws {n} W while recording", "录音时耗电{n} W", ("Supply", "供电"), 2, 60, ("{n} W", "{n} W")),
    Kind(
        "encryption",
        "Recordings are stored encrypted on the card",
        "录音在存储卡上加密存放",
        ("Storage card", "存储卡"),
        1,
        2,
        ("Encrypted", "加密"),
    ),
    Kind(
        "colour",
        "Comes in a grey and in a green housing",
        "外壳有灰色和绿色可选",
        ("Housing", "外壳"),
        1,
        2,
        ("Grey, green", "灰色、绿色"),
    ),
]
NAMES: list[Pair] = [("Selkie", "海豹"), ("Wren", "鹪鹩"), ("Moraine", "冰碛"), ("Tansy", "艾菊"), ("Kestrel", "红隼")]
VALUE_EN = (
    "{name} keeps the {people} of a busy house informed, asks for little attention, and leaves them free for the "
    "people in front of them, wherever the day takes place."
)
VALUE_CN = (
    "{name}让忙碌机构里的{people}随时了解情况，平时几乎不用费心，无论在哪里工作，"
    "都能把精力留给眼前的人，而不是留给机器。"
)
URL = "https://lab.example.org/notes/{id}"
DAY = "2026-05-04"


@dataclass
class _Maker:
    """One invented product, drawn from a seed."""

    chance: random.Random
    used: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)

    def sentence(self) -> Pair:
        while True:
            pattern = self.chance.choice(PLAIN)
            slots = [self.chance.choice(list_) for list_ in (PLACES, PEOPLE, THINGS)]
            en, cn = (pattern[at].format(place=slots[0][at], people=slots[1][at], thing=slots[2][at]) for at in (0, 1))
            if en not in self.used:
                self.used.add(en)
                return en, cn

    def prose(self, sentences: int) -> Pair:
        made = [self.sentence() for _ in range(sentences)]
        return " ".join(en for en, _ in made), "".join(cn for _, cn in made)

    def section(self) -> dict[str, str]:
        head, items = self.prose(3), [self.sentence() for _ in range(3)]
        lists = ("\n".join(f"- {item[at]}" for item in items) for at in (0, 1))
        return {lang: f"{text}\n\n{list_}" for lang, text, list_ in zip(("en", "cn"), head, lists, strict=True)}

    def fact(self, kind: Kind) -> dict[str, Any]:
        n, m = self.chance.randint(kind.low, kind.high), self.chance.randint(kind.low, kind.high)
        text = {"en": kind.en.format(n=n, m=m), "cn": kind.cn.format(n=n, m=m)}
        made: dict[str, Any] = {"id": kind.id, "text": text, "source": self.source(kind.id, text["en"])}
        if self.chance.random() < 0.8:
            values = [pattern.format(n=n, m=m) for pattern in kind.value]
            made["spec"] = {"label": _bi(kind.label), "value": {"en": values[0], "cn": values[1]}}
        return made

    def source(self, fact: str, text: str) -> dict[str, Any]:
        form = self.chance.choice(("line", "section", "path", "path-yaml", "release", "url"))
        said = f"The report states: {text}."
        noise = self.sentence()[0]
        match form:
            case "url":
                self.files[f"0-sources/web/{fact}.md"] = (
                    f"---\nurl: {URL.format(id=fact)}\naccessed_date: {DAY}\n---\n\n{noise}\n\n{said}\n"
                )
                return {"url": URL.format(id=fact), "accessed_date": DAY, "excerpt": text}
            case "path-yaml":
                path = f"0-sources/specs/{fact}.yaml"
                self.files[path] = (
                    f"product: sample\nnotes:\n  - id: other\n    said: {noise}\n  - id: it\n    said: '{text}'\n"
                )
                return {"path": path}
            case "release":
                version = f"{self.chance.randint(1, 9)}.{self.chance.randint(0, 9)}"
                path = f"0-sources/prd/v{version}-{fact}.md"
                self.files[path] = f"# Notes\n\n{noise}\n\n## {fact.title()}\n\n{said}\n"
                return {"path": path, "version": version, "section": fact.title()}
        path = f"0-sources/reports/{fact}.md"
        self.files[path] = f"# Report\n\n{noise}\n\n## {fact.title()}\n\n{said}\n"
        places: dict[str, dict[str, Any]] = {"line": {"line": 7}, "section": {"section": fact.title()}}
        return {"path": path, **places.get(form, {})}

    def stated(self, fact: Mapping[str, Any]) -> Pair:
        opening = self.chance.choice(OPENINGS)
        tag = f"{{{fact['id']}}}"
        return f"{opening[0]}: {fact['text']['en']}. {tag}", f"{opening[1]}：{fact['text']['cn']}。{tag}"

    def feature(self, facts: list[dict[str, Any]], number: int) -> dict[str, Any]:
        before, after = self.sentence(), self.sentence()
        stated = [self.stated(fact) for fact in facts]
        text = {
            "en": " ".join([before[0], *(en for en, _ in stated), after[0]]),
            "cn": "".join([before[1], *(cn for _, cn in stated), after[1]]),
        }
        thing = THINGS[number % len(THINGS)]
        return {"title": {"en": f"Good for {thing[0]}", "cn": f"适合处理{thing[1]}"}, "text": text}

    def sheet(self) -> dict[str, Any]:
        kind = self.chance.choice(page_template.BUILTIN)
        page = page_template.load_builtin(kind)
        name = self.chance.choice(NAMES)
        chosen = self.chance.sample(KINDS, self.chance.randint(6, len(KINDS)))
        facts = [self.fact(one) for one in chosen]
        if not any("spec" in fact for fact in facts):
            facts[0]["spec"] = {"label": {"en": "Sort", "cn": "类别"}, "value": {"en": "See text", "cn": "见正文"}}
        count = self.chance.randint(page.features.min, page.features.max)
        prose = [section.id for section in page.sections if section.kind == "prose"]
        people = self.chance.choice(PEOPLE)
        return {
            "schema": "signoff/product@1",
            "kind": kind,
            "name": _bi(name),
            "value_proposition": {
                "en": VALUE_EN.format(name=name[0], people=people[0]),
                "cn": VALUE_CN.format(name=name[1], people=people[1]),
            },
            "audience": [{"who": _bi(people), "need": _bi(self.sentence())}],
            "keywords": {"en": ["recorder"], "cn": ["录音"]},
            "facts": facts,
            "sections": {one: self.section() for one in prose},
            "features": [self.feature(facts[at::count], at) for at in range(count)],
            "faq": [self.question(at) for at in range(self.chance.randint(4, 6))],
            "cta": {
                "text": _bi(self.prose(2)),
                "label": {"en": "Ask for a sample", "cn": "申请样机"},
                "url": "https://www.example.com/sample",
            },
        }

    def question(self, number: int) -> dict[str, Any]:
        thing = THINGS[number % len(THINGS)]
        question = {"en": f"What happens to our {thing[0]}?", "cn": f"我们的{thing[1]}会怎样处理？"}
        return {"question": question, "answer": _bi(self.prose(3))}


def _bi(pair: Pair) -> dict[str, str]:
    return {"en": pair[0], "cn": pair[1]}


def product(seed: int) -> Stage:
    """A product that nobody has seen before, as a stage; the same seed gives the same one."""
    maker = _Maker(random.Random(seed))
    sheet = maker.sheet()
    files = {SHEET: yamlio.dump(sheet), "0-sources/brief.md": "# Brief\n\nA page, please.\n", **maker.files}
    return Stage({path: text.encode() for path, text in files.items()}, page_template.load_builtin(sheet["kind"]))
