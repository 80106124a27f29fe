"""Read author, time and floor of a post. Parse relative times such as 半小时前."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from selectolax.lexbor import LexborNode

from crawler.extraction.dates import parse_hour, parse_time
from crawler.extraction.metadata import to_single_line
from crawler.extraction.model import Precision
from wenhen.kit.clock import CHINA

# The time of a post, stated relative to the fetch time: 半小时前, 昨天 12:30, 周三.


_TIME_UNITS = {"秒": "seconds", "分": "minutes", "小": "hours", "钟": "hours", "鐘": "hours"}
_CHINESE_AGO = re.compile(
    r"(?<![\d.])(\d{1,3})\s*个?個?\s*(?P<unit>秒|分|小|[钟鐘](?=[头頭]))[钟鐘时時头頭]*\s*[之以]?前"
)
_ENGLISH_AGO = re.compile(r"(?<![\d.])(\d{1,2})\s*(?P<unit>second|minute|hour|day)s?\s+ago\b", re.IGNORECASE)
_HALF_AN_HOUR = re.compile(r"半个?個?小[时時]\s*[之以]?前")
_JUST_NOW = re.compile(r"^\W*(?:发表于|發表於|发布于|最后回复)?\W*(?:刚刚|剛剛|刚才|剛才)\W*$")
_DAYS_AGO = re.compile(r"(?<![\d.])(\d{1,2})\s*[天日]\s*[之以]?前")
_NAMED_DAYS = {"今天": 0, "昨天": 1, "前天": 2, "大前天": 3}
_HOUR_GROUPS = (
    r"(?:\s*[,，]?\s*(?P<half>凌晨|上午|早上|中午|下午|晚上)?"
    r"\s*(?P<hour>\d{1,2})\s*[:：]\s*(?P<minute>[0-5]\d)(?:[:：][0-5]\d)?(?!\d))?"
)
_NAMED_DAY = re.compile(rf"(?P<day>大前天|前天|昨天|今天){_HOUR_GROUPS}")
_WEEKDAYS = {**{name: day for day, name in enumerate("一二三四五六日")}, "天": 6}
_WEEKDAY = re.compile(
    rf"^\W*(?:发表于|發表於|发布于|最后回复)?\W*(?P<last>上)?(?:星期|周|週|礼拜|禮拜)(?P<day>[一二三四五六日天]){_HOUR_GROUPS}\W*$"
)
_AFTERNOON_WORDS = frozenset(("下午", "晚上"))
_MIDDAY_HOUR, _LAST_HOUR = 12, 23
_MAX_RELATIVE_CHARACTERS = 60  # characters in which it is searched

PostTime = tuple[datetime, Precision]


def parse_relative_time(text: str, fetched_at: datetime) -> PostTime | None:
    """Return the time and its precision, or None without a relative time of at least day precision.

    >>> parse_relative_time("发表于 3 天前", datetime(2026, 5, 4, 1, tzinfo=CHINA))[0].isoformat()
    '2026-05-01T00:00:00+08:00'
    """
    text, now = text.strip()[:_MAX_RELATIVE_CHARACTERS], fetched_at.astimezone(CHINA)
    if _JUST_NOW.match(text):
        return now, Precision.MINUTE
    if _HALF_AN_HOUR.search(text):
        return now - timedelta(minutes=30), Precision.HOUR
    if ago := _CHINESE_AGO.search(text):
        unit = _TIME_UNITS[ago["unit"]]
        return now - timedelta(**{unit: int(ago[1])}), Precision.HOUR if unit == "hours" else Precision.MINUTE
    if days := _DAYS_AGO.search(text):
        return _midnight(now, int(days[1])), Precision.DAY
    if ago := _ENGLISH_AGO.search(text):
        return _parse_english_ago(ago, now)
    return _parse_named_day(text, now)


def _parse_english_ago(ago: re.Match[str], now: datetime) -> PostTime:
    unit, count = f"{ago['unit'].lower()}s", int(ago[1])
    if unit == "days":
        return _midnight(now, count), Precision.DAY
    return now - timedelta(**{unit: count}), Precision.HOUR if unit == "hours" else Precision.MINUTE


def _parse_named_day(text: str, now: datetime) -> PostTime | None:
    if match := _NAMED_DAY.search(text):
        return _time_of_day(_midnight(now, _NAMED_DAYS[match["day"]]), match)
    if match := _WEEKDAY.match(text):
        return _time_of_day(_midnight(now, _days_since_weekday(match, now)), match)
    return None


def _days_since_weekday(weekday: re.Match[str], now: datetime) -> int:
    """Return the days since a weekday: the last one before today, or with 上 that of the week before."""
    weekday_number, today = _WEEKDAYS[weekday["day"]], now.weekday()
    return today - weekday_number + 7 if weekday["last"] else (today - weekday_number - 1) % 7 + 1


def _time_of_day(midnight: datetime, match: re.Match[str]) -> PostTime:
    """Add the hour and minute to a day, if they are stated."""
    if match["hour"] is None:
        return midnight, Precision.DAY
    hour = int(match["hour"])
    hour += _MIDDAY_HOUR if match["half"] in _AFTERNOON_WORDS and hour < _MIDDAY_HOUR else 0
    if hour > _LAST_HOUR:
        return midnight, Precision.DAY
    return midnight + timedelta(hours=hour, minutes=int(match["minute"])), Precision.MINUTE


def _midnight(now: datetime, days: int) -> datetime:
    """Return the beginning of the day that many days ago, in China."""
    return datetime.combine(now.date() - timedelta(days=days), time(), CHINA)


MAX_AUTHOR_CHARACTERS = 40  # characters of a name
MAX_STAMP_CHARACTERS = 300  # characters in which a time or a number is searched
_TIME_ATTRIBUTES = ("datetime", "data-time", "data-timestamp", "title", "content")
_NAME_ATTRIBUTES = ("content",)
_EPOCH_TIME = re.compile(r"(1\d{9})(\d{3})?")  # seconds, or milliseconds
_DATE_COMMA = re.compile(r"(?<=\d)\s*[,，]\s*(?=\d)")  # between day and hour
_HALF_DAY = re.compile(r"上午|中午|下午|晚上")  # of the day
_AFTERNOON = re.compile(r"下午|晚上|(?<=\d)\s*pm\b", re.IGNORECASE)
_NOON_HOUR = 12
_FLOOR_NUMBER = re.compile(r"#\s?(\d{1,7})(?!\d)|(?<!\d)(\d{1,7})\s*(?:楼|樓|#)|^\s*(?:post[_-]?)?(\d{1,7})\s*$")
_NAMED_FLOORS = {"楼主": 1, "樓主": 1, "沙发": 2, "板凳": 3, "地板": 4, "地下室": 5}


def find_post_author(node: LexborNode, selectors: tuple[str, ...]) -> str | None:
    """Return the first plausible name that the selectors give."""
    for text in _selected_texts(node, selectors, _NAME_ATTRIBUTES):
        if 0 < len(name := to_single_line(text)) <= MAX_AUTHOR_CHARACTERS:
            return name
    return None


def find_post_time(node: LexborNode, selectors: tuple[str, ...], fetched_at: datetime | None) -> PostTime | None:
    """Return the time in UTC and its precision. A time relative to the fetch counts only without an absolute one."""
    texts = list(_selected_texts(node, selectors, _TIME_ATTRIBUTES))
    stated = next((moment for text in texts if (moment := parse_post_time(text)) is not None), None)
    if stated is not None or fetched_at is None:
        return stated
    return next((moment for text in texts if (moment := parse_relative_time(text, fetched_at)) is not None), None)


def find_post_floor(node: LexborNode, selectors: tuple[str, ...]) -> int | None:
    """Return the number of the post in its thread, as the selectors give it."""
    numbers = (_parse_floor(text) for text in _selected_texts(node, selectors, ()))
    return next((number for number in numbers if number is not None), None)


def parse_post_time(text: str) -> PostTime | None:
    """Parse a time in the formats of forums. Return it in UTC with its precision. The default time zone is China's.

    >>> parse_post_time("发表于 2023-4-1, 下午 09:11")[0].isoformat(), parse_post_time("1680311460")[0].isoformat()
    ('2023-04-01T13:11:00+00:00', '2023-04-01T01:11:00+00:00')
    """
    text = text.strip()[:MAX_STAMP_CHARACTERS]
    if epoch := _EPOCH_TIME.fullmatch(text):
        return datetime.fromtimestamp(int(epoch[1]), UTC), Precision.MINUTE
    late = _AFTERNOON.search(text) is not None
    text = _DATE_COMMA.sub(" ", _HALF_DAY.sub("", text))
    moment = parse_time(text)
    hour = parse_hour(text)
    if moment is None:
        return None
    if hour is None:
        return moment, Precision.DAY
    return moment + timedelta(hours=_NOON_HOUR if late and hour < _NOON_HOUR else 0), Precision.MINUTE


def _parse_floor(text: str) -> int | None:
    text = text[:MAX_STAMP_CHARACTERS]
    if match := _FLOOR_NUMBER.search(text):
        return int(match[1] or match[2] or match[3])
    return next((number for name, number in _NAMED_FLOORS.items() if name in text), None)


def _selected_texts(node: LexborNode, selectors: tuple[str, ...], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts of the matching elements, attributes with these names first."""
    for selector in selectors:
        if selector.startswith("@"):
            yield node.attributes.get(selector[1:]) or ""
            continue
        for selected in node.css(selector):
            attributes = selected.attributes
            yield from (attributes[name] or "" for name in names if name in attributes)
            yield selected.text(deep=True) or ""
