"""Parse dates and times in the formats of Chinese sites, servers and programs. The default time zone is China's."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from wenhen.kit.clock import CHINA

MAX_DATE_CHARACTERS: Final = 200  # characters that are searched for a date; it may contain several blanks

_HOUR: Final = (
    r"(?:[T\s,，|·_-]{0,4}(?:[(（]?(?:星期|周|週|礼拜)[一二三四五六日天][)）]?)?[T\s,，|·_-]{0,4}"
    r"(?P<half>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|[AaPp][Mm])?\s{0,2}"
    r"(?P<hour>\d{1,2})\s*(?:[:：]\s*(?P<minute>\d{1,2})(?:\s*[:：]\s*(?P<second>\d{1,2})(?:[.,]\d{1,9})?)?"
    r"|[时時点點]\s*(?:(?P<minute_cn>\d{1,2})\s*分?(?:\s*(?P<second_cn>\d{1,2})\s*秒)?)?)"
    r"(?:\s{0,2}(?P<after>[AaPp])\.?[Mm]\b)?)?"
)
_ZONE: Final = r"(?:\s*(?P<zone>Z|(?:GMT|UTC)?[+-]\d\d(?::?\d\d)?|GMT|UTC)(?![\d:]))?"
DATE_PATTERN: Final = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:\s*[-/.年]\s*|\s+)(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})(?!\d)\s*[日号號]?"
    + _HOUR
    + _ZONE
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME: Final = r"(?P<name>[JFMASOND][a-z]{2})[a-z]{0,6}\.?"
_ENGLISH_DATES: Final = (
    re.compile(rf"\b{_MONTH_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)\b(?:\s+at)?{_HOUR}{_ZONE}"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH_NAME},?[\s-]+(?P<year>(?:19|20)\d\d)\b(?:\s+at)?{_HOUR}{_ZONE}"),
    # Java's own format. Its CST is China Standard Time here.
    re.compile(
        rf"\b{_MONTH_NAME}\s+(?P<day>\d{{1,2}})\s+(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\s+(?:[A-Z]{{3,4}}\s+)?(?P<year>20\d\d)\b"
    ),
)  # fmt: skip
_EPOCH: Final = re.compile(r"(1\d{9})(?:\d{3})?")  # seconds, or milliseconds
_COMPACT: Final = re.compile(r"(20\d\d)([01]\d)([0-3]\d)T?(?:([0-2]\d)([0-5]\d)([0-5]\d)?)?(Z)?")
_ROC_YEAR: Final = re.compile(r"(?:中華)?民國\s*(\d{2,3})\s*年")
_ROC_EPOCH: Final = 1911  # the year before the first of the Republic
_CHINESE_YEAR: Final = re.compile(
    r"[一二][〇○零Ｏ一二三四五六七八九]{3}\s*年\s*([一二三四五六七八九十]{1,2})\s*月\s*([一二三四五六七八九十]{1,3})\s*[日号號]"
)
_CHINESE_DIGITS: Final = {
    **{digit: number for number, digit in enumerate("零一二三四五六七八九")},
    "〇": 0,
    "○": 0,
    "Ｏ": 0,
}
_NOON: Final = 12
_AFTERNOON_WORDS: Final = frozenset(("下午", "傍晚", "晚上", "pm", "p"))


def parse_time(text: str) -> datetime | None:
    """Return the first date in a text in UTC. The default time zone is China's.

    >>> parse_time("发布时间：2024年3月5日 08:30").isoformat()
    '2024-03-05T00:30:00+00:00'
    """
    return next((moment for _, moment in iter_times(text)), None)


def iter_times(text: str) -> Iterator[tuple[re.Match[str], datetime]]:
    """Yield the dates of a text in order, each with its match. In `match.string` digits are ASCII."""
    plain = normalize_dates(text[:MAX_DATE_CHARACTERS])
    for match in DATE_PATTERN.finditer(plain):
        if (moment := _moment(match, int(match["month"]))) is not None:
            yield match, moment
    if not any(sign.isascii() and sign.isalpha() for sign in plain):
        return
    for pattern in _ENGLISH_DATES:
        for match in pattern.finditer(plain):
            name = match["name"].lower()
            if name in _MONTHS and (moment := _moment(match, _MONTHS.index(name) + 1)) is not None:
                yield match, moment


def parse_stamp(text: str) -> datetime | None:
    """Return the time of a metadata value in UTC: a date, or a number of seconds or milliseconds.

    >>> parse_stamp("1583112600").isoformat(), parse_stamp("20200302093000").isoformat()
    ('2020-03-02T01:30:00+00:00', '2020-03-02T01:30:00+00:00')
    """
    text = text.strip()
    if epoch := _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC)
    if compact := _COMPACT.fullmatch(text):
        year, month, day, hour, minute, second, zulu = compact.groups(default="0")
        return parse_time(f"{year}-{month}-{day} {hour}:{minute}:{second}{'' if zulu == '0' else zulu}")
    return parse_time(text)


def parse_hour(text: str) -> int | None:
    """Return the hour of the first date in a text as written, or None without one."""
    match = DATE_PATTERN.search(text[:MAX_DATE_CHARACTERS])
    return int(match["hour"]) if match is not None and match["hour"] is not None else None


def normalize_dates(text: str) -> str:
    """Convert the dates of a text to ASCII digits and years of the common era.

    >>> normalize_dates("二〇二〇年三月二日"), normalize_dates("中華民國109年3月2日")
    ('2020年3月2日', '2020年3月2日')
    """
    if not text.isascii():
        text = "".join(
            unicodedata.normalize("NFKC", sign) if "！" <= sign <= "～" and sign not in "，：（）｜" else sign
            for sign in text
        )
        text = _CHINESE_YEAR.sub(_plain_chinese_date, text)
        text = _ROC_YEAR.sub(lambda match: f"{int(match[1]) + _ROC_EPOCH}年", text)
    return text.replace("\\/", "/")


def _plain_chinese_date(date: re.Match[str]) -> str:
    year = "".join(str(_CHINESE_DIGITS[sign]) for sign in date[0][:4])
    return f"{year}年{_chinese_number(date[1])}月{_chinese_number(date[2])}日"


def _chinese_number(written: str) -> int:
    """Parse a number up to 99. An invalid one gives an invalid month or day."""
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _CHINESE_DIGITS[written] if len(written) == 1 else 0
    return (_CHINESE_DIGITS.get(tens, 0) if tens else 1) * 10 + (_CHINESE_DIGITS.get(ones, 0) if ones else 0)


def _moment(match: re.Match[str], month: int) -> datetime | None:
    fields = match.groupdict()
    hour = int(fields["hour"] or 0)
    minute, second = fields.get("minute") or fields.get("minute_cn"), fields.get("second") or fields.get("second_cn")
    half = (fields.get("half") or fields.get("after") or "").lower()
    if half in _AFTERNOON_WORDS and hour < _NOON:
        hour += _NOON
    try:
        day = datetime(int(fields["year"]), month, int(fields["day"]), tzinfo=CHINA)
        moment = day.replace(hour=hour % 24, minute=int(minute or 0), second=int(second or 0))
        if hour >= 24:
            moment = moment + timedelta(days=1) if hour == 24 else day
        zone = fields.get("zone") or ""
        if zone and (zone.isalpha() or second or "T" in match[0]):  # 09:30-10:30 is a range
            moment = moment.replace(tzinfo=_parse_offset(zone))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_offset(zone: str) -> timezone:
    """Return a zone that is written as `Z`, `GMT`, `UTC` or an offset. Raises ValueError for an impossible one."""
    offset = (zone.lstrip("GMTUCZ").replace(":", "") or "+").ljust(5, "0")
    if offset[3] not in "012345":
        raise ValueError(zone)
    away = timedelta(hours=int(offset[1:3]), minutes=int(offset[3:]))
    return timezone(-away if offset[0] == "-" else away)
