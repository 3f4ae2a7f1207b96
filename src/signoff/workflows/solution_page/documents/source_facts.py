"""Facts that a document states, each in the document's own words and with the place where it stands.

Data sheets, tables and prose are read with the pieces of `signoff.evidence`. A statement becomes a fact if it gives a
number with what it is a number of, or a code such as IP67. It is left out if it cannot stand alone (questions,
instructions, conditions, examples, plans, sentences about "it" or "you"), and if no locator leads back to it: a fact
is only proposed after the evidence check has passed for its own place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from signoff import DocumentError
from signoff.artifacts.yamltree import Node, tree
from signoff.evidence.canonical import visible
from signoff.evidence.documents import Piece, read
from signoff.evidence.quantities.reading import Quantity, quantities
from signoff.evidence.shared_words import sentences
from signoff.evidence.sources import located_claims as agreement
from signoff.evidence.sources.files import Source
from signoff.evidence.sources.locators import Internal, Locator, Pdf, not_evidence
from signoff.evidence.words import is_chinese
from signoff.workflows.solution_page.documents.page_template import Lang

MOST_CHARACTERS: Final = 280
"""A longer statement says more than one thing."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A statement in the words of its source. Facts of tables and data sheets also have a label and a value."""

    text: str
    locator: Locator
    label: str = ""
    value: str = ""
    context: str = ""
    """The headings that it stands under, for the person who reads it."""

    @property
    def lang(self) -> Lang:
        return "cn" if is_chinese(self.text) else "en"

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(one for one in quantities(self.value or self.text) if _tells(one))


@dataclass(frozen=True, slots=True)
class Extracted:
    """The facts of a source, and the statements that no locator leads to."""

    facts: tuple[SourceFact, ...]
    unplaced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Statement:
    """Ways to write one statement, the best first, and where it stands."""

    texts: tuple[str, ...]
    line: int = 0
    page: int = 0
    label: str = ""
    value: str = ""
    excerpts: tuple[str, ...] = ()
    context: str = ""


def extract(source: Source) -> Extracted:
    """The facts of one source, in the order in which they stand."""
    facts: dict[str, SourceFact] = {}
    unplaced: list[str] = []
    for statement in _STATEMENTS[source.kind](source):
        if statement.texts[0] in facts:
            continue
        fact = _placed(statement, source)
        if fact is None:
            unplaced.append(statement.texts[0])
        else:
            facts.setdefault(statement.texts[0], fact)
    return Extracted(tuple(facts.values()), tuple(unplaced))


def holds(fact: SourceFact, source: Source) -> bool:
    """Whether the evidence check passes for the fact at its own locator."""
    return agreement.check(
        "fact", [fact.text], [fact.locator], lambda path: source if path == source.path else None, "", None
    ).ok


def _placed(statement: _Statement, source: Source) -> SourceFact | None:
    for text in statement.texts:
        for locator in _locators(statement, source):
            fact = SourceFact(text, locator, statement.label, statement.value, statement.context)
            if holds(fact, source):
                return fact
    return None


def _locators(statement: _Statement, source: Source) -> Iterator[Locator]:
    if source.kind == "pdf":
        for excerpt in statement.excerpts:
            yield Pdf(source.path, statement.page, excerpt)
        return
    span = source.line(statement.line)
    if span and all(agreement.contains(visible(span.text), part) for part in statement.excerpts):
        if len(statement.excerpts) == 1:
            yield Internal(source.path, line=statement.line, excerpt=statement.excerpts[0])
        yield Internal(source.path, line=statement.line)
    elif source.kind == "html" and (section := _narrowest(source, statement.excerpts)):
        yield Internal(source.path, section=section, excerpt=statement.excerpts[-1])


def _narrowest(source: Source, parts: Sequence[str]) -> str:
    """The heading of the shortest section that holds all parts of a row whose cells stand on several lines."""
    spans = ((name, source.section(name)) for name in dict.fromkeys(source.sections) if name)
    holding = [
        (len(span.text), name) for name, span in spans if span and all(agreement.contains(span.text, p) for p in parts)
    ]
    return min(holding)[1] if holding else ""


# --- what is a fact ----------------------------------------------------------------------------------------------

_STANDARD: Final = re.compile(r"\b(?:IP\d\d|IEC|ISO|IEEE|EN|UL|GB/T|RFC|TLS|MQTT|Wi-Fi|Bluetooth|USB|HDMI|PoE)\b")
_DEPENDENT: Final = re.compile(
    r"(?i:it|its|this|that|these|those|they|their|he|she|here|there|such|the (?:former|latter|above|following)|both|"
    r"as (?:shown|mentioned|described|above)|also|then|however|but|and|so|therefore|thus|otherwise|in this|for this|"
    r"if|when|whenever|unless|once|while|after|before|until|assuming|suppose|given|for example|for instance|e\.g\.|"
    r"example|usually|for more|in the following|the (?:current|default)|default|"
    r"note|tip|warning|caution|important|see|figure|fig\.|table|step|chapter|section|question|q:|a:)"
    r"(?![\w-])|如果|若|当|假设|例如|比如|如下|如图|它|其|该|此|这|那|以上|以下|上述|注意|注[:：]|提示|警告"
    r"|步骤|请|见|但|因此|所以|默认|下面|预期|更多|本文|另外|同时|然后|否则|第"
)
_PERSONAL: Final = re.compile(r"\b(?:(?i:you|your|yours|we|our|my|let's|please)|us|I)\b|您|你|我们|请")
_PLANNED: Final = re.compile(
    r"\b(?:will|would|could|may|might|should|must|going to|plan(?:s|ned)? to|roadmap|upcoming|coming soon|yet|e\.g\.|"
    r"issue|bug|for example|for instance|example|assum(?:e|es|ing)|suppose)\b"
    r"|尚未|暂不|的问题|计划|即将|将于|将会|可能|应该|必须|建议|例如|比如|示例|假设|举例",
    re.IGNORECASE,
)
_INSTRUCTION: Final = re.compile(
    r"(?:add|allow|apply|assign|change|check|choose|click|close|configure|connect|copy|create|define|delete|disable|"
    r"download|edit|enable|ensure|enter|execute|export|fill|find|follow|get|go|import|increase|input|insert|install|"
    r"keep|log|make|modify|move|navigate|open|paste|pick|prepare|press|provide|pull|put|read|reduce|refer|remove|"
    r"replace|restart|run|save|scroll|select|send|set|sign|specify|start|stop|subscribe|switch|test|try|turn|type|"
    r"update|upgrade|upload|use|verify|view|visit|wait|write)\b(?! (?:to|up to|of)\b)",
    re.IGNORECASE,
)
_HAN_INSTRUCTION: Final = re.compile(
    r"(?:点击|选择|输入|设置|配置|执行|运行|打开|填写|创建|添加|修改|使用|等待|安装|下载|进入)"
)
_PAGE_FOOT: Final = re.compile(
    r"\bpage \d+(?: of \d+)?$|\b(?:copyright|all rights reserved)\b|©|第\s?\d+\s?页|版权所有", re.IGNORECASE
)
_UNFINISHED: Final = re.compile(
    r"\b(?:TODO|TBD|FIXME|XXX|lorem ipsum)\b|待定|待补充|\{\{|\$\{|<[a-z_-]+>", re.IGNORECASE
)
_CODE: Final = re.compile(
    r"[{}\\�`]|->|\w=|[<>=]=|::|://|\(\)|(?<![\w-])--?[a-z][\w-]+|[a-z0-9]_[a-z0-9]|[A-Z]_[A-Z]|\b[a-z]+\.[a-z]+\b(?!\.)"
    r"|#\d{2,}|(?<!\w)@\w"
)
_OTHER_SCRIPT: Final = re.compile(r"[\u0400-\u05ff\u0600-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u1100-\u11ff\uac00-\ud7af]")
_ENGLISH: Final = re.compile(
    r"\b(?:the|an?|of|to|is|are|was|were|in|with|and|for|on|at|by|per|up|from|has|have|than|within|without|supports?|over)\b",
    re.IGNORECASE,
)
_NO_SUBJECT: Final = re.compile(
    r"(?:default|default values?|values?|value range|(?:min|max)(?:imum)?|range|type|unit|example|possible values?|"
    r"version|date|scope|syntax|format|usage|result|description|estimated time|expected|criterion|status"
    r"|默认值|预期值|说明|描述|默认|取值范围|可选值|类型|单位|示例|最小值|最大值|版本|日期|作用域)",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"(?:fix(?:e[sd])?|resolve[sd]?|improve[sd]?|upgraded?|added|removed|changed|updated|support for|deprecated|"
    r"optimize[sd]?|scenario|client|fixes)\b|修复|优化|改进|升级|新增|增加|移除|调整|将|支持通过",
    re.IGNORECASE,
)
_GENERIC: Final = re.compile(
    r"(?:typ(?:ical)?\.?|values?|spec(?:ification)?s?|details?|data|数值|值|规格|参数值|典型值|说明|内容|指标)(?:\s*\(.*\))?",
    re.IGNORECASE,
)
_UNIT_HEADER: Final = re.compile(r"units?|单位", re.IGNORECASE)
_LABELLED: Final = re.compile(r"([^:：.。!?！？|]{2,60}?)\s*[:：]\s*(\S.{0,159})")


def _tells(one: Quantity) -> bool:
    """Whether a number says what it is a number of."""
    said = _protects(one.text) if one.kind == "code" else one.kind == "number" and bool(one.unit)
    return said and not one.weak


def _protects(code: str) -> bool:
    return re.fullmatch(r"IP[X\d]{2}K?", code) is not None


def _is_value(text: str) -> bool:
    return any(map(_tells, quantities(text))) or bool(_STANDARD.search(text))


def _is_sound(text: str) -> bool:
    """Whether a statement can stand in a sheet at all: a finished one, in a language of the page, and no code."""
    if len(text) > MOST_CHARACTERS or text.rstrip().endswith(("?", "？", ":", "：")):
        return False
    refused = (_UNFINISHED, _PAGE_FOOT, _CODE, _OTHER_SCRIPT)
    return not (any(pattern.search(text) for pattern in refused) or not_evidence(text))


def _is_english(text: str) -> bool:
    return len(re.findall(r"[À-ɏ]", text)) < 2 and bool(_ENGLISH.search(text))


def _stands_alone(text: str) -> bool:
    """Whether prose states something by itself: no question, order, condition, example, plan or reference."""
    if len(text) < (8 if is_chinese(text) else 16) or not _is_sound(text):
        return False
    if any(pattern.match(text) for pattern in (_DEPENDENT, _CHANGE)) or _PERSONAL.search(text) or _PLANNED.search(text):
        return False
    if not is_chinese(text) and not _is_english(text):
        return False
    instructed = _HAN_INSTRUCTION if is_chinese(text) else _INSTRUCTION
    return not instructed.match(text) and any(map(_tells, quantities(text)))


# --- prose, tables -----------------------------------------------------------------------------------------------


def _of_piece(piece: Piece) -> Iterator[_Statement]:
    if piece.kind in ("sentence", "item"):
        made = _of_prose(piece.text, line=piece.line)
    else:
        made = _of_row(piece) if piece.kind == "row" else iter(())
    yield from (replace(each, context=_heading(piece)) for each in made)


def _heading(piece: Piece) -> str:
    """What a piece stands under, without the headers of its table."""
    headers = {header for header, _, _ in piece.cells}
    return " / ".join(part for part in piece.context.split(" / ") if part and part not in headers)


def _of_prose(text: str, *, line: int = 0, page: int = 0) -> Iterator[_Statement]:
    text = text.strip()
    label, value = _labelled(text)
    if label or (_stands_alone(text) and not _LABELLED.fullmatch(text)):
        yield _Statement((text,), line, page, label, value, (text,))


def _labelled(text: str) -> tuple[str, str]:
    """`Weight: 460 g` as label and value; two empty texts for anything else."""
    found = _LABELLED.fullmatch(text)
    if not found or not _is_sound(text) or _PERSONAL.search(text) or _PLANNED.search(text):
        return "", ""
    if _DEPENDENT.match(text) or _CHANGE.match(text) or not _names(found[1]):
        return "", ""
    label, value = found[1].strip(), found[2].strip()
    short = len(value) <= 80 and len(label.split()) <= 8
    return (label, value) if short and _is_value(value) and not any(map(_tells, quantities(label))) else ("", "")


def _names(label: str) -> bool:
    """Whether a label says of what: a word, and not only that it is a default or a range."""
    return (
        bool(re.search(r"[^\W\d_]{2}", label))
        and not _NO_SUBJECT.fullmatch(label.strip())
        and not _OTHER_SCRIPT.search(label)
    )


def _of_row(piece: Piece) -> Iterator[_Statement]:
    """The facts of a row: its first cell says of what, each other cell with a value says how much."""
    if len(piece.cells) < 2:
        return
    label = piece.cells[0][1].strip(" :：")
    unit = next((text for header, text, _ in piece.cells[1:] if _UNIT_HEADER.fullmatch(header.strip())), "")
    if len(label) > 80 or not re.search(r"[^\W\d_]", label) or _PERSONAL.search(label) or not _is_sound(label):
        return
    for header, value, _ in piece.cells[1:]:
        if value and len(value) <= 160 and not _UNIT_HEADER.fullmatch(header.strip()) and _is_sound(value):
            yield from _of_cell(piece, label, header.strip(), value, unit)


def _of_cell(piece: Piece, label: str, header: str, value: str, unit: str) -> Iterator[_Statement]:
    several = len([cell for cell in piece.cells[1:] if cell[1]]) > (2 if unit else 1)
    named = f"{label} ({header})" if header and several and not _GENERIC.fullmatch(header) else label
    measured = f"{value} {unit}" if unit and unit not in ("-", "/", "–", "—") else value
    if (
        not _is_value(measured)
        or not _names(label)
        or value.casefold() in label.casefold()
        or (len(value) > 60 and not _stands_alone(value))
    ):
        return
    texts = dict.fromkeys((f"{named}: {measured}", f"{named} ({unit}): {value}" if unit else f"{named}: {value}"))
    parts = tuple(part for part in dict.fromkeys((label, value)) if any(map(str.isalnum, part)))
    yield _Statement(tuple(texts), piece.line, 0, named, measured, parts)


# --- kinds of source ---------------------------------------------------------------------------------------------


def _markdown(source: Source) -> Iterator[_Statement]:
    for piece in read(source.text).pieces:
        yield from _of_piece(piece)


_BLOCK: Final = re.compile(r"<(table|ul|ol|dl)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


def _html(source: Source) -> Iterator[_Statement]:
    """Tables and lists by their elements, everything else line by line as it is shown."""
    text = source.text
    for found in _BLOCK.finditer(text):
        first = text.count("\n", 0, found.start())
        for piece in read(found[0]).pieces:
            piece.line += first
            yield from _of_piece(piece)
    blocks = {
        line
        for found in _BLOCK.finditer(text)
        for line in range(text.count("\n", 0, found.start()) + 1, text.count("\n", 0, found.end()) + 2)
    }
    for number, line in enumerate(source.shown, 1):
        if number not in blocks and line.strip():
            for sentence in sentences(visible(line)):
                yield from _of_prose(sentence, line=number)


def _pdf(source: Source) -> Iterator[_Statement]:
    for number in range(1, source.page_count + 1):
        try:
            page = source.page(number)
        except DocumentError:  # a picture: nothing can be read there
            continue
        for line in _unwrapped((page.text if page else "").split("\n")):
            yield from _of_pdf_line(line, number)


def _of_pdf_line(line: str, page: int) -> Iterator[_Statement]:
    whole = visible(line)
    label, value = _sheet_line(whole)
    if label:
        yield _Statement((whole,), 0, page, label, value, (whole,))
        return
    for sentence in sentences(whole):
        yield from _of_prose(sentence, page=page)


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a page, those of one sentence together: a long line goes on in a line that begins small."""
    held = ""
    for line in (each.strip() for each in lines):
        goes_on = len(held) >= 40 and held[-1:] not in ".。!！?？:：" and (line[:1].islower() or is_chinese(line[:1]))
        if goes_on:
            held = f"{held} {line}"
        else:
            if held:
                yield held
            held = line
    if held:
        yield held


_SHEET_LINE: Final = re.compile(r"([^\W\d_][^\d:：]{1,50}?)(?:\s*[:：]\s*|\s+)((?:[-+±≤≥<>~≈]\s?)?\d.{0,60})")


def _sheet_line(line: str) -> tuple[str, str]:
    """A line of a data sheet, such as `Weight 460 g`, as label and value."""
    found = _SHEET_LINE.fullmatch(line)
    if not found or not _is_sound(line) or line.endswith((".", "。")) or _DEPENDENT.match(line):
        return "", ""
    label, value = found[1].strip(), found[2].strip()
    verbless = len(label.split()) <= 5 and not _PERSONAL.search(label) and not _INSTRUCTION.match(label)
    first = next(iter(quantities(value)), None)
    return (label, value) if verbless and first and first.start <= 3 and first.measured else ("", "")


# --- YAML and JSON -----------------------------------------------------------------------------------------------

_NAMES: Final = ("name", "label", "title", "parameter", "id", "key", "名称", "参数", "项目")
_VALUES: Final = ("value", "typical", "min", "max", "值", "数值")
_UNITS: Final = ("unit", "units", "单位")


def _yaml(source: Source) -> Iterator[_Statement]:
    try:
        root = tree(source.text, source.path, strict=False)
    except DocumentError:  # other people's YAML: its lines are not data then
        return
    if root is not None:
        yield from _of_node(root, "")


def _of_node(node: Node, key: str, above: str = "") -> Iterator[_Statement]:
    if node.kind == "seq":
        for item in node.items:
            yield from _of_node(item, key, above)
    elif node.kind == "map":
        named = {one.value.casefold(): item for one, item in zip(node.keys, node.items, strict=True)}
        label = next((str(named[name].value) for name in _NAMES if name in named and named[name].value), key)
        unit = next((str(named[name].value) for name in _UNITS if name in named and named[name].value), "")
        for one, item in zip(node.keys, node.items, strict=True):
            name = str(one.value)
            if item.kind != "scalar":
                inner = name.replace("_", " ")
                yield from _of_node(item, inner, " / ".join(filter(None, (above, inner))))
            elif name.casefold() in _VALUES and label:
                limit = f" ({name})" if name.casefold() in ("min", "max") else ""
                measured = f"{item.value} {unit}".strip()
                yield from _of_scalar(f"{label.replace('_', ' ')}{limit}", measured, node.line, above)
            elif name.casefold() not in (*_NAMES, *_UNITS):
                yield from _of_scalar(name.replace("_", " "), str(item.value), one.line, above)


def _of_scalar(label: str, value: str, line: int, above: str) -> Iterator[_Statement]:
    value = visible(value)
    if len(value) <= 80 and _is_sound(value) and _is_value(value):
        yield _Statement((f"{label}: {value}",), line, 0, label, value, context=above)
    else:
        for sentence in sentences(value):
            if _stands_alone(sentence):
                yield _Statement((sentence,), line, context=above)


_STATEMENTS: Final = {"markdown": _markdown, "text": _markdown, "html": _html, "pdf": _pdf, "yaml": _yaml}
