"""The units and countable nouns that `signoff.evidence.figures.numbers` knows, in English and Chinese.

Add a row to teach it one. `symbols` are case-sensitive; `words` are singular, in any case, and read in the plural too.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Unit:
    """One row: so many of the base unit `name`, with its spellings. A counted noun is a unit with `counted`."""

    name: str
    factor: Decimal = Decimal(1)
    symbols: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    han: tuple[str, ...] = ()
    counted: bool = False

    def plurals(self) -> tuple[str, ...]:
        return tuple(_plural(word) for word in self.words)

    def spellings(self) -> tuple[str, ...]:
        return (*self.symbols, *self.words, *self.plurals(), *self.han)


_IRREGULAR = {
    "foot": "feet", "square foot": "square feet", "sq ft": "sq ft", "sq m": "sq m", "axis": "axes",
    "people": "people", "times": "times", "lux": "lux", "hertz": "hertz", "percent": "percent", "per cent": "per cent",
}  # fmt: skip


def _plural(word: str) -> str:
    if word in _IRREGULAR or " per " in word or "/" in word or word.startswith("degrees"):
        return _IRREGULAR.get(word, word)
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith("ch") else f"{word}s"


def _list(spellings: str) -> tuple[str, ...]:
    return tuple(filter(None, (each.strip() for each in spellings.split(","))))


def _measure(name: str, factor: str, symbols: str = "", words: str = "", han: str = "") -> Unit:
    return Unit(name, Decimal(factor), _list(symbols), _list(words), _list(han))


def _noun(words: str, han: str) -> Unit:
    return Unit(_list(words)[0], words=_list(words), han=_list(han), counted=True)


MEASURES: tuple[Unit, ...] = (
    # time; months and years have no exact length in seconds
    _measure("s", "0.000001", "us, µs", "microsecond", "微秒"),
    _measure("s", "0.001", "ms, msec", "millisecond", "毫秒"),
    _measure("s", "1", "s", "sec, second", "秒, 秒钟"),
    _measure("s", "60", "", "min, minute", "分钟"),
    _measure("s", "3600", "h", "hr, hour", "小时, 钟头"),
    _measure("s", "86400", "", "day", "天, 日"),
    _measure("s", "604800", "", "week", "周, 星期"),
    _measure("workday", "1", "", "working day, business day, workday", "工作日"),
    _measure("month", "1", "", "month", "个月"),
    _measure("month", "12", "", "year, yr", "年"),
    # length
    _measure("m", "0.000000001", "nm", "nanometre, nanometer", "纳米"),
    _measure("m", "0.000001", "um, µm", "micrometre, micrometer, micron", "微米"),
    _measure("m", "0.001", "mm, MM, ㎜", "millimetre, millimeter", "毫米"),
    _measure("m", "0.01", "cm, CM, ㎝", "centimetre, centimeter", "厘米"),
    _measure("m", "1", "m", "metre, meter", "米"),
    _measure("m", "1000", "km, Km, KM, ㎞", "kilometre, kilometer", "千米, 公里"),
    _measure("m", "0.0254", "in, ″", "inch", "英寸"),
    _measure("m", "0.3048", "ft", "foot", "英尺"),
    # area and volume
    _measure("m²", "1", "m², m2, m^2, ㎡, sqm", "sq m, square metre, square meter", "平方米"),
    _measure("m²", "0.0001", "cm², cm2", "square centimetre, square centimeter", "平方厘米"),
    _measure("m²", "0.000001", "mm², mm2", "square millimetre, square millimeter", "平方毫米"),
    _measure("ft²", "1", "ft², ft2", "sq ft, square foot", "平方英尺"),
    _measure("L", "1", "L, l", "litre, liter", "升"),
    _measure("L", "0.001", "mL, ml", "millilitre, milliliter", "毫升"),
    _measure("L", "1000", "m³, m3", "cubic metre, cubic meter", "立方米"),
    # mass, force, pressure
    _measure("g", "0.001", "mg", "milligram", "毫克"),
    _measure("g", "1", "g", "gram", "克"),
    _measure("g", "1000", "kg, Kg, KG, ㎏", "kilogram, kilo", "千克, 公斤"),
    _measure("g", "1000000", "t", "tonne, ton", "吨"),
    _measure("g", "453.59237", "lb, lbs", "pound", "磅"),
    _measure("g", "28.349523125", "oz", "ounce", "盎司"),
    _measure("N", "1", "N", "newton", "牛顿"),
    _measure("N·m", "1", "N·m, Nm", "newton metre, newton meter", "牛米, 牛·米"),
    _measure("Pa", "1", "Pa", "pascal", "帕斯卡, 帕"),
    _measure("Pa", "100", "hPa", "hectopascal", "百帕"),
    _measure("Pa", "1000", "kPa", "kilopascal", "千帕"),
    _measure("Pa", "1000000", "MPa", "megapascal", "兆帕"),
    _measure("Pa", "100000", "", "bar", ""),
    _measure("psi", "1", "psi, PSI", "", ""),
    # data
    _measure("bit", "1", "", "bit", "比特, 位"),
    _measure("bit", "1000", "kb, Kb, kbit", "kilobit", "千比特"),
    _measure("bit", "1000000", "Mb, Mbit", "megabit", "兆比特"),
    _measure("bit", "1000000000", "Gb, Gbit", "gigabit", "吉比特"),
    _measure("bit", "8", "B", "byte", "字节"),
    _measure("bit", "8000", "KB, kB", "kilobyte", "千字节"),
    _measure("bit", "8000000", "MB", "megabyte", "兆字节"),
    _measure("bit", "8000000000", "GB", "gigabyte", "吉字节"),
    _measure("bit", "8000000000000", "TB", "terabyte", "太字节"),
    _measure("bit", "8192", "KiB", "kibibyte", ""),
    _measure("bit", "8388608", "MiB", "mebibyte", ""),
    _measure("bit", "8589934592", "GiB", "gibibyte", ""),
    _measure("bit/s", "1", "bps, bit/s, b/s", "bits per second", "比特/秒, 比特每秒"),
    _measure("bit/s", "1000", "kbps, Kbps, kb/s, kbit/s", "kilobits per second", "千比特/秒"),
    _measure("bit/s", "1000000", "Mbps, mbps, Mb/s, Mbit/s", "megabits per second", "兆比特/秒, 兆比特每秒"),
    _measure("bit/s", "1000000000", "Gbps, gbps, Gb/s, Gbit/s", "gigabits per second", "吉比特/秒"),
    _measure("bit/s", "8", "B/s", "bytes per second", "字节/秒"),
    _measure("bit/s", "8000", "KB/s, kB/s", "kilobytes per second", "千字节/秒"),
    _measure("bit/s", "8000000", "MB/s", "megabytes per second", "兆字节/秒"),
    _measure("bit/s", "8000000000", "GB/s", "gigabytes per second", "吉字节/秒"),
    # frequency, rotation, speed
    _measure("Hz", "1", "Hz, HZ, hz", "hertz", "赫兹, 赫"),
    _measure("Hz", "1000", "kHz, KHz, khz, KHZ", "kilohertz", "千赫兹, 千赫"),
    _measure("Hz", "1000000", "MHz, Mhz, MHZ", "megahertz", "兆赫兹, 兆赫"),
    _measure("Hz", "1000000000", "GHz, Ghz, GHZ", "gigahertz", "吉赫兹, 吉赫"),
    _measure("rpm", "1", "rpm, RPM, r/min", "revolutions per minute", "转/分, 转/分钟, 转每分钟"),
    _measure("m/s", "1", "m/s", "metres per second, meters per second", "米/秒, 米每秒"),
    _measure("km/h", "1", "km/h, kph, kmh", "kilometres per hour, kilometers per hour, km per hour",
             "公里/小时, 千米/小时, 公里每小时, 千米每小时"),
    # sound, light
    _measure("dB", "1", "dB, db, DB", "decibel", "分贝"),
    _measure("dBA", "1", "dBA, dB(A), dBa", "", "分贝(A)"),
    _measure("dBFS", "1", "dBFS", "", ""),
    _measure("dBm", "1", "dBm", "", ""),
    _measure("dBi", "1", "dBi", "", ""),
    _measure("dB SPL", "1", "dB SPL, dBSPL", "", ""),
    _measure("lm", "1", "lm", "lumen", "流明"),
    _measure("lx", "1", "lx", "lux", "勒克斯"),
    _measure("nit", "1", "cd/m², cd/m2", "nit", "尼特"),
    # electricity
    _measure("V", "0.001", "mV", "millivolt", "毫伏"),
    _measure("V", "1", "V", "volt", "伏, 伏特"),
    _measure("V", "1000", "kV, KV", "kilovolt", "千伏"),
    _measure("A", "0.000001", "uA, µA", "microamp", "微安"),
    _measure("A", "0.001", "mA", "milliamp, milliampere", "毫安"),
    _measure("A", "1", "A", "amp, ampere", "安, 安培"),
    _measure("Ah", "0.001", "mAh, mah, MAH", "milliamp hour, milliamp-hour", "毫安时"),
    _measure("Ah", "1", "Ah, AH", "amp hour, amp-hour", "安时"),
    _measure("W", "0.001", "mW", "milliwatt", "毫瓦"),
    _measure("W", "1", "W", "watt", "瓦, 瓦特"),
    _measure("W", "1000", "kW, KW", "kilowatt", "千瓦"),
    _measure("W", "1000000", "MW", "megawatt", "兆瓦"),
    _measure("Wh", "1", "Wh, WH", "watt hour, watt-hour", "瓦时"),
    _measure("Wh", "1000", "kWh, KWh, KWH", "kilowatt hour, kilowatt-hour", "千瓦时"),
    _measure("Ω", "1", "Ω", "ohm", "欧姆, 欧"),
    _measure("Ω", "1000", "kΩ", "kilohm", "千欧"),
    # temperature and angle; a Chinese 度 alone is an angle
    _measure("°C", "1", "°C, ° C, ℃, ºC", "degrees celsius, degree celsius, degrees c", "摄氏度"),
    _measure("°F", "1", "°F, ° F, ℉", "degrees fahrenheit, degree fahrenheit", "华氏度"),
    _measure("°", "1", "°, º", "degree, deg", "度"),
    # shares and multiples
    _measure("%", "1", "%", "percent, per cent, pct", "个百分比"),
    _measure("%", "0.1", "‰", "per mille", ""),
    _measure("percentage point", "1", "", "percentage point", "百分点"),
    _measure("ppm", "1", "ppm", "parts per million", ""),
    _measure("×", "1", "x, X, ×", "times, fold", "倍"),
    # pictures and computing
    _measure("px", "1", "px", "pixel", "像素"),
    _measure("px", "1000000", "MP", "megapixel, mega-pixel", "百万像素"),
    _measure("fps", "1", "fps, FPS", "frames per second, frames/s", "帧/秒, 帧每秒"),
    _measure("dpi", "1", "dpi, DPI", "dots per inch", ""),
    _measure("TOPS", "1", "TOPS, Tops", "", ""),
    _measure("TFLOPS", "1", "TFLOPS, TFLOPs", "teraflop", ""),
    # money
    _measure("USD", "1", "USD", "dollar, us dollar", "美元, 美金"),
    _measure("CNY", "1", "CNY, RMB", "yuan", "元, 人民币, 元人民币"),
    _measure("EUR", "1", "EUR, €", "euro", "欧元"),
    _measure("GBP", "1", "GBP", "", "英镑"),
    _measure("JPY", "1", "JPY", "yen", "日元"),
)  # fmt: skip

COUNTED: tuple[Unit, ...] = (
    _noun("microphone, mic, mike", "麦克风, 麦, 话筒"),
    _noun("speaker, loudspeaker", "扬声器, 喇叭, 音箱"),
    _noun("camera", "摄像头, 摄像机, 相机"),
    _noun("sensor", "传感器"),
    _noun("antenna", "天线"),
    _noun("display, screen, monitor", "显示屏, 显示器, 屏幕"),
    _noun("button", "按键, 按钮"),
    _noun("battery", "电池"),
    _noun("slot", "插槽, 卡槽"),
    _noun("port, interface, connector", "端口, 接口, 网口, 口"),
    _noun("input", "输入"),
    _noun("output", "输出"),
    _noun("channel", "通道, 声道, 频道, 路"),
    _noun("beam", "波束"),
    _noun("preset", "预设, 预置位"),
    _noun("zone", "区域, 分区"),
    _noun("axis", "轴"),
    _noun("core", "核心, 核"),
    _noun("thread", "线程"),
    _noun("layer", "层"),
    _noun("module", "模块, 模组"),
    _noun("line", "线路, 生产线, 产线"),
    _noun("device, unit, machine, terminal, endpoint", "设备, 终端, 台"),
    _noun("server", "服务器"),
    _noun("robot", "机器人"),
    _noun("drone", "无人机"),
    _noun("vehicle", "车辆"),
    _noun("node", "节点"),
    _noun("site, station, location", "站点, 地点, 站"),
    _noun("room", "会议室, 房间"),
    _noun("seat", "座位, 席位"),
    _noun("person, people, participant, attendee, user, employee", "人员, 用户, 参会者, 与会者, 员工, 人"),
    _noun("customer, client", "客户"),
    _noun("company, enterprise", "企业, 公司"),
    _noun("country", "国家"),
    _noun("city", "城市"),
    _noun("hospital", "医院"),
    _noun("school", "学校"),
    _noun("factory", "工厂"),
    _noun("face", "人脸"),
    _noun("language", "语言, 语种"),
    _noun("model", "模型"),
    _noun("parameter", "参数"),
    _noun("token", "词元"),
    _noun("sample", "样本, 样品"),
    _noun("image, photo, picture", "图像, 图片, 照片"),
    _noun("frame", "帧"),
    _noun("document", "文档"),
    _noun("page", "页"),
    _noun("record", "记录"),
    _noun("protocol", "协议"),
    _noun("patent", "专利"),
    _noun("cycle", "循环"),
    _noun("mode", "模式"),
)

# A Chinese spelling is not the unit when one of these follows: 4天线 are antennas, 3.0升级 an upgrade, 24位用户 people.
NOT_BEFORE: dict[str, tuple[str, ...]] = {
    "天": ("线", "然", "气", "空", "花"),
    "日": ("常", "志", "期", "本", "光", "程", "用", "语"),
    "周": ("围", "边", "期", "年", "到"),
    "年": ("代", "级", "龄"),
    "升": ("级", "高", "降", "至", "温", "压"),
    "安": ("全", "装", "卓", "防", "静", "心", "排", "检"),
    "克": ("服", "隆"),
    "度": ("假", "量"),
    "元": ("素", "件", "数", "器"),
    "瓦": ("楞", "片"),
    "位": ("置", "于", "用户", "客户", "专家", "工程师", "嘉宾", "发言", "参会", "与会", "员工", "学生", "医生", "人"),
    "人": ("工", "机", "形", "体", "声", "物", "类", "像", "民", "才", "力", "性", "数"),
    "麦": ("田",),
    "口": ("径", "袋", "味", "罩", "令", "号"),
    "路": ("由", "径", "线"),
    "层": ("级", "次", "面"),
    "核": ("验", "算", "对", "准"),
    "页": ("面", "眉", "脚"),
    "站": ("立",),
    "米": ("粒", "色"),
    "赫": ("然",),
}

# Read only after digits: with a Chinese numeral they are parts of other words (一度, 三元锂, 六安).
DIGITS_ONLY = frozenset("度元日安伏克升位欧赫帕路站麦口页台")

PREFIX_CURRENCY: dict[str, str] = {
    "$": "USD", "US$": "USD", "USD": "USD", "¥": "CNY", "￥": "CNY", "RMB": "CNY", "CNY": "CNY", "人民币": "CNY",
    "€": "EUR", "EUR": "EUR", "£": "GBP", "GBP": "GBP", "HK$": "HKD", "HKD": "HKD",
}  # fmt: skip

# Names whose number is a version, a standard or a label, not an amount.
NAMES = (
    "USB", "USB-C", "Type-C", "Type", "Bluetooth", "BLE", "Wi-Fi", "WiFi", "WLAN", "ISO", "IEC", "ISO/IEC", "EN",
    "IEEE", "HDMI", "DisplayPort", "DP", "PCIe", "DDR", "LPDDR", "Cat", "Cat.", "Category", "GB/T", "GB", "UL", "FCC",
    "Part", "Class", "Version", "Ver.", "Ver", "Release", "Chapter", "Section", "Figure", "Fig.", "Table", "Step",
    "Phase", "Level", "Tier", "Grade", "Gen", "Generation", "Rev", "Rev.", "No.", "#", "Appendix", "Page", "Option",
    "Python", "Android", "iOS", "Windows", "Ubuntu", "macOS", "Linux", "OpenGL", "Vulkan", "CUDA", "ROS", "Modbus",
    "Thread", "Zigbee", "Matter", "NFC", "RFID", "EAL", "SOC", "Article", "Annex", "Model", "Series",
    "蓝牙", "版本", "步骤", "如图", "见图", "如表", "见表", "附表", "附图", "阶段", "等级", "级别", "型号",
    "章节", "附录", "标准",
)  # fmt: skip

MONTHS = frozenset((
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
))  # fmt: skip

# Adjectives as often as nouns: a count only in the plural or behind a hyphen (8-core; not `3 core benefits`).
ADJECTIVES = frozenset(("core", "line", "record", "model", "unit", "key", "mobile"))


class Spellings:
    """The longest spelling at a place in a text, by dictionary: no pattern grows with the table."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.exact = {spelling: unit for unit in units for spelling in (*unit.symbols, *unit.han)}
        self.words = {word: unit for unit in units for word in (*unit.words, *unit.plurals())}
        self.plurals = frozenset(word for unit in units for word in unit.plurals())
        lengths: dict[str, set[int]] = {}
        for spelling in (*self.exact, *self.words):
            lengths.setdefault(spelling[:2].lower(), set()).add(len(spelling))
        self._lengths = {first: tuple(sorted(sizes, reverse=True)) for first, sizes in lengths.items()}

    def at(self, text: str, start: int) -> tuple[Unit, int] | None:
        """The unit spelled at `start` and where its spelling ends."""
        first = text[start : start + 2].lower()
        for length in (*self._lengths.get(first, ()), *self._lengths.get(first[:1], ())):
            piece = text[start : start + length]
            unit = self.exact.get(piece) or self.words.get(piece.lower())
            if unit and _ends_well(text, start + len(piece), piece):
                return unit, start + len(piece)
        return None


def is_latin(char: str) -> bool:
    """An ASCII letter or digit; empty is neither."""
    return char.isascii() and char.isalnum()


def is_han(char: str) -> bool:
    """A Chinese character; empty is not."""
    return "\u3400" <= char <= "\u9fff"


def _ends_well(text: str, end: int, piece: str) -> bool:
    following = text[end : end + 1]
    if is_latin(piece[-1]):
        return _latin_ends(text, end, piece, following)
    if piece in ("路", "台"):
        return not is_han(following)
    return not text.startswith(NOT_BEFORE.get(piece, ()), end)


def _latin_ends(text: str, end: int, piece: str, following: str) -> bool:
    further = text[end + 1 : end + 2]
    if (following in ("x", "X") and further.isdigit()) or (piece in ("h", "min") and following.isdigit()):
        return True  # 30mmx20mm, 6h30min
    # `2 A-grade`, `3 V's`: a short symbol that goes on is none
    goes_on = len(piece) < 3 and following in ("-", "'", "’") and further.isalpha()
    return not (is_latin(following) or following == "_" or goes_on)


MEASURE_SPELLINGS = Spellings(MEASURES)
NOUN_SPELLINGS = Spellings(COUNTED)
NOUN_NAMES = frozenset(unit.name for unit in COUNTED)
