"""Which numbers of a folded text are amounts, and of what: the rules 1 to 3 and 5 of `figures.numbers`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from signoff.evidence.figures import numerals
from signoff.evidence.figures.units import (
    ADJECTIVES,
    DIGITS_ONLY,
    MEASURE_SPELLINGS,
    MONTHS,
    NAMES,
    NOUN_SPELLINGS,
    PREFIX_CURRENCY,
    Unit,
    is_han,
    is_latin,
)

_YEAR = "(?:19|20)[0-9]{2}"
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_NO_AMOUNT = re.compile(
    rf"{_YEAR}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}(?![0-9])|{_YEAR}-(?:0[1-9]|1[0-2])(?![0-9])"
    rf"|(?:{_YEAR} ?年? ?[-~至到—] ?)?{_YEAR} ?年(?: ?[0-9]{{1,2}} ?月(?: ?[0-9]{{1,2}} ?[日号])?)?"
    r"|[0-9]{1,2} ?月(?: ?[0-9]{1,2} ?[日号])?|[0-9]{1,2} ?号(?!称)"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)? (?:{_MONTH})\b\.?(?:,? {_YEAR})?"
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9])|[0-9]+(?:\.[0-9]+){2,}|802\.(?:1|3|11|15|16)(?:[a-z]{1,2}(?:/[a-z]{1,2})*(?![A-Za-z0-9])|(?![\w.]|\s*[^\W\d_]))"
    r"|(?:24 ?[/xX×*] ?7|7 ?[/xX×*] ?24)(?![0-9])(?: ?(?:小时|hours?|h\b))?|(?:19|20)[0-9]0s\b|94 ?V-[0-2]\b"
    r"|[0-9]+ ?(?:-in-|合) ?(?:[0-9]+|one|一)"
)
_CODE_REST = re.compile(r"[A-Za-z0-9]*(?:[-._/][A-Za-z0-9]+)*")
_NAME_REST = re.compile(r"[A-Za-z0-9]*(?:[-.:/][A-Za-z0-9]+)*")
_DATE_REST = re.compile(rf"(?:st|nd|rd|th)?(?:,? {_YEAR})?(?![0-9])")
_NAMES = frozenset(name.lower() for name in NAMES)
_NAME_BEFORE = re.compile(r"([A-Za-z#][A-Za-z./-]*|[\u4e00-\u9fff]{2})[®™]?[ -]?[vV]?\Z")
_NOT_ONE = frozenset("统唯单同逐之任某每这那另专归划均合其不万有进第初")
_VAGUE = frozenset("第数几")
_CURRENCY = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(PREFIX_CURRENCY, key=len, reverse=True)))}) ?\Z")
_CURRENCY_ENDS = frozenset(" $¥￥€£BYDPR币")
_RATE = re.compile(r"每(秒|分钟|分|小时)(?:可达|可|约|达|最高|高达|最多|处理|传输)? ?\Z")
_SIGN_ENDS = frozenset(" 下负")
_SIGN_WORD = re.compile(r"(?:零下|负|(?<![A-Za-z])minus) ?\Z", re.IGNORECASE)

_GAP = re.compile(r"[*_]{0,3}(?:\+|余|多)?[*_]{0,3}(?: or more| plus)?(?: {0,2}\n {0,4}|-| {0,2})[*_]{0,3}")
_TOKEN = re.compile(r"([A-Za-z0-9]+(?:\.[0-9]+)?)(?:[®™]?([ /-]))?")
_STOP = frozenset(
    re.findall(
        "[a-z]+",
        """a an and are as at be been by can for from had has have if in into is it its may more most not of on or our
        over per so such than that the their then these they this those to until up via was we were when where which
        while who will with you your support supports provides includes offers meets covers enables allows lets gives
        helps makes uses serves""",
    )
)
_CLASSIFIERS = frozenset("个种路台名位项款只颗枚套组条块张支件间家座类大处所辆")
_HAN_STOP = frozenset("的和与及或在为将把从对可能并支连接用管供给到至让使，。；：、！？（）()|,.;:!?\n")
_BETTER = re.compile(r" ?(?:Faster|Higher|Longer|Lower|More|Better|Larger|Zoom|Optical|Digital|Speed)\b")
_NO_MULTIPLE = re.compile(r" (?:a|an|per|each|every|daily|weekly|in)\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """A number, its scale and unit as read; one `in_words` without a unit is only the possible start of a range."""

    number: Decimal
    scale: int
    unit: Unit | None
    start: int
    end: int
    in_words: bool = False


def readings(plain: str) -> Iterator[Reading]:
    """What is read in a folded text, in order, without overlap."""
    done = 0
    for start in numerals.starts(plain):
        match = numerals.NUMERAL.match(plain, start) if start >= done else None
        if match is None:
            continue
        found = _read(plain, match, done)
        if isinstance(found, Reading):
            yield found
            done = found.end
        else:
            done = found


def _read(plain: str, match: re.Match[str], done: int) -> Reading | int:
    """The quantity whose number was matched, or the place up to which there is none."""
    if match["share"]:
        return _read_share(match)
    if match["digits"]:
        return _read_digits(plain, match, done)
    return _read_words(plain, match, done)


def _read_share(match: re.Match[str]) -> Reading | int:
    number = Decimal(100) if match["part"] == "百" else numerals.number(match["part"])
    unit = MEASURE_SPELLINGS.exact["%" if match["share"] == "百分之" else "‰"]
    return match.end() if number is None else Reading(number, 1, unit, match.start(), match.end())


def _read_digits(plain: str, match: re.Match[str], done: int) -> Reading | int:
    start, end = match.span()
    if skipped := _NO_AMOUNT.match(plain, start):
        return skipped.end()
    start, number = _with_point(plain, start, match["digits"].replace(",", ""))
    if plain[start - 1 : start] in _CURRENCY_ENDS and (money := _CURRENCY.search(plain, max(done, start - 5), start)):
        return _read_money(plain, number, money, end)
    if _in_code(plain, start, done):
        return _rest(_CODE_REST, plain, end)
    label = _label(plain, start, done, number)
    if label in MONTHS and (date := _DATE_REST.match(plain, end)):
        return date.end()
    tail = None if label == "第" else _tail(plain, number, start, end, only_measures=bool(label))
    if tail is None or (label and not tail[1]):
        return _rest(_NAME_REST if label else _CODE_REST, plain, end)
    return _signed(plain, done, Reading(number, tail[0], tail[1], start, tail[2]))


def _with_point(plain: str, start: int, digits: str) -> tuple[int, Decimal]:
    """The place and value of digits, which may follow a leading point: .5"""
    before = plain[max(0, start - 2) : start]
    leading = before.endswith(".") and not (len(before) == 2 and (is_latin(before[0]) or before[0] == "."))
    return (start - 1, Decimal(f"0.{digits}")) if leading and "." not in digits else (start, Decimal(digits))


def _read_words(plain: str, match: re.Match[str], done: int) -> Reading | int:
    written, (start, end) = match[0], match.span()
    number = numerals.number(written)
    if number is None or plain[max(0, start - 1) : start] in _VAGUE or _no_one(plain, start, written):
        return done
    label = _label(plain, start, done, number)
    tail = _tail(plain, number, start, end, only_measures=bool(label) or number == 1, in_words=True)
    of_counts = written.lower() in numerals.COUNT_PREFIXES
    if tail is None or (of_counts and not (tail[1] and tail[1].counted)):
        return done
    return _signed(plain, done, Reading(number, tail[0], tail[1], start, tail[2], in_words=True))


def _no_one(plain: str, start: int, written: str) -> bool:
    before = plain[max(0, start - 1) : start]
    around = written == "四" and plain.startswith("四周", start)
    return around or (written == "一" and before in _NOT_ONE) or (written.lower() == "one" and before == "-")


def _read_money(plain: str, number: Decimal, money: re.Match[str], end: int) -> Reading:
    unit = Unit(PREFIX_CURRENCY[money[0].strip()])
    scale, after = numerals.scale(plain, end, number)
    return Reading(number, scale, unit, money.start(), after)


def _rest(pattern: re.Pattern[str], plain: str, end: int) -> int:
    rest = pattern.match(plain, end)
    return rest.end() if rest else end


def _in_code(plain: str, start: int, done: int) -> bool:
    """Whether letters run into the digits (IP67, RS-485, H.264) that are not the unit of the number before."""
    if start == 0 or start == done or (start - 1 == done > 0 and plain[start - 1] in "xX-"):
        return False
    before = plain[start - 1]
    if before in "-._":
        before = plain[start - 2 : start - 1] if start > 1 else ""
        return before.isascii() and before.isalpha()
    return before.isascii() and before.isalpha()


def _label(plain: str, start: int, done: int, number: Decimal) -> str:
    """The name this number is a version or label of, if any; 第 makes every number an ordinal."""
    before = plain[max(done, start - 14) : start]
    if before.rstrip(" ").endswith("第"):
        return "第"
    found = _NAME_BEFORE.search(before)
    if found is None:
        return ""
    name: str = found[1]
    if name in MONTHS:
        return name if number <= 31 or 1900 <= number < 2100 else ""
    return name if not _NAMES.isdisjoint((name.lower(), name.lower().rpartition("/")[2])) else ""


def _signed(plain: str, done: int, reading: Reading) -> Reading:
    """A dash is a minus unless it joins the number to what stands before it."""
    start = reading.start
    if plain[start - 1 : start] in _SIGN_ENDS and (word := _SIGN_WORD.search(plain, max(0, start - 6), start)):
        return replace(reading, number=-reading.number, start=word.start())
    before = plain[start - 2 : start - 1] if start > 1 else ""
    dash = start > done and plain[start - 1 : start] == "-"
    if not dash or (start - 1 == done > 0) or is_latin(before) or (before and before in ")]%°℃-."):
        return reading
    return replace(reading, number=-reading.number, start=start - 1)


# --- what follows a number --------------------------------------------------------------------------------------------

_Tail = tuple[int, Unit | None, int]
_PRODUCT = re.compile("[xX][0-9]")


def _tail(
    plain: str, number: Decimal, start: int, end: int, *, only_measures: bool = False, in_words: bool = False
) -> _Tail | None:
    """Scale, unit and end of a number; nothing when letters run on (1080p), which makes it part of a name."""
    if measure := _measure(plain, start, end, in_words=in_words):
        return 1, *measure
    scale, after = numerals.scale(plain, end, number)
    if scale > 1 and (measure := _measure(plain, start, after, in_words=in_words)):
        return scale, *measure
    if not only_measures and (noun := _noun(plain, start, after)):
        return scale, *noun
    runs_on = is_latin(plain[after : after + 1]) and not _PRODUCT.match(plain, after)
    return None if runs_on or plain[end:after] in ("M", "B") else (scale, None, after)


def _measure(plain: str, start: int, end: int, *, in_words: bool) -> tuple[Unit, int] | None:
    at = _gap(plain, end)
    if "每" in plain[max(0, start - 6) : start] and (rate := _rate(plain, start, at)):
        return rate
    found = MEASURE_SPELLINGS.at(plain, at)
    if found is None and plain.startswith("个", at):
        at += 1
        found = MEASURE_SPELLINGS.at(plain, at)
    plausible = found and _plausible(plain, at, found[1], in_words=in_words, wrapped="\n" in plain[end:at])
    return found if plausible else None


def _rate(plain: str, start: int, at: int) -> tuple[Unit, int] | None:
    """每秒30帧 is 30帧/秒, where the table has that rate."""
    per = _RATE.search(plain, max(0, start - 8), start)
    spelled = (plain[at : at + size] for size in (3, 2, 1)) if per else ()
    rates = ((MEASURE_SPELLINGS.exact.get(f"{unit}/{per[1]}"), at + len(unit)) for unit in spelled if per)
    return next(((unit, end) for unit, end in rates if unit), None)


def _gap(plain: str, end: int) -> int:
    gap = _GAP.match(plain, end)
    return gap.end() if gap else end


def _plausible(plain: str, at: int, end: int, *, in_words: bool, wrapped: bool) -> bool:
    """Whether a spelling of a measure is meant as one here."""
    spelled = plain[at:end]
    if spelled in _DOUBTFUL:
        return not in_words and not wrapped and _DOUBTFUL[spelled](plain, at, end)
    if spelled.lower() == "times" and _NO_MULTIPLE.match(plain, end):
        return False
    if in_words and ((len(spelled) < 3 and not is_han(spelled[0])) or spelled in DIGITS_ONLY):
        return False
    return not wrapped or (len(spelled) > (1 if is_han(spelled[0]) else 2) and plain[end : end + 1] not in (":", "|"))


def _is_inch(plain: str, _at: int, end: int) -> bool:
    following = plain[end : end + 1]
    return not following or following in '.,;:)]/×"\n' or is_han(following)


def _is_byte(plain: str, at: int, _end: int) -> bool:
    return plain[at - 1] == " "  # 7B is as often seven billion


def _is_multiple(plain: str, _at: int, end: int) -> bool:
    """3x faster; not 3x3, 2 × HDMI or 2x microphones."""
    rest = plain[end : end + 2].lstrip(" ")[:1]
    things = _noun(plain, end, end)
    return not things and (not (rest.isdigit() or rest.isupper()) or bool(_BETTER.match(plain, end)))


_DOUBTFUL = {"in": _is_inch, "B": _is_byte, "x": _is_multiple, "X": _is_multiple, "×": _is_multiple}


def _noun(plain: str, start: int, end: int) -> tuple[Unit, int] | None:
    at = _gap(plain, end)
    if plain[at : at + 1] in ("x", "X", "×") and not is_latin(plain[at + 1 : at + 2]):
        at = _gap(plain, at + 1)
    elif at == end and is_latin(plain[at : at + 1]):
        return None  # 4K cameras, 3D models
    return None if "\n" in plain[end:at] else _han_noun(plain, at) or _english_noun(plain, start, end, at)


def _han_noun(plain: str, at: int) -> tuple[Unit, int] | None:
    """The thing behind a classifier, a few characters on, or else directly behind the number."""
    if plain[at : at + 1] in _CLASSIFIERS and (found := _behind_classifier(plain, at + 1)):
        return found
    while plain[at : at + 1] == " ":
        at += 1
    return NOUN_SPELLINGS.at(plain, at) if is_han(plain[at : at + 1]) else _behind_latin(plain, at)


def _behind_classifier(plain: str, at: int) -> tuple[Unit, int] | None:
    for place in range(at, min(at + 9, len(plain))):
        found = NOUN_SPELLINGS.at(plain, place) if is_han(plain[place]) else None
        if found:
            return _head(plain, found)
        if plain[place] in _HAN_STOP:
            return None
    return None


def _head(plain: str, found: tuple[Unit, int]) -> tuple[Unit, int]:
    """In 4路摄像头输入 the inputs are counted: the last of a row of nouns."""
    while is_han(plain[found[1] : found[1] + 1]) and (further := NOUN_SPELLINGS.at(plain, found[1])):
        found = further
    return found


_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z -]{0,15}(?=[\u4e00-\u9fff])")


def _behind_latin(plain: str, at: int) -> tuple[Unit, int] | None:
    run = _LATIN_RUN.match(plain, at)
    return NOUN_SPELLINGS.at(plain, run.end()) if run else None


def _english_noun(plain: str, start: int, end: int, at: int) -> tuple[Unit, int] | None:
    """The first plural among the next words, or a singular; directly behind a hyphen the singular is meant."""
    tokens = list(_tokens(plain, at, 1 if re.fullmatch(_YEAR, plain[start:end]) else 4))
    if tokens and plain[at - 1] == "-" and tokens[0][0] in NOUN_SPELLINGS.words:
        return NOUN_SPELLINGS.words[tokens[0][0]], tokens[0][1]
    plural = (token for token in tokens if token[0] in NOUN_SPELLINGS.plurals)
    singular = (token for token in tokens if token[0] in NOUN_SPELLINGS.words and token[0] not in ADJECTIVES)
    chosen = next(plural, None) or next(singular, None)
    return (NOUN_SPELLINGS.words[chosen[0]], chosen[1]) if chosen else None


def _tokens(plain: str, at: int, limit: int) -> Iterator[tuple[str, int]]:
    name = ""
    for _ in range(limit):
        token = _TOKEN.match(plain, at)
        word = token[1].lower() if token else ""
        if token is None or word in _STOP or (word[0].isdigit() and name not in _NAMES):
            return
        yield word, token.end(1)
        if not token[2]:
            return
        name, at = word, token.end()
