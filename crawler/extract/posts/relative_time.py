"""When a post was written, where its page tells it by the time that it was fetched: 半小时前, 昨天 12:30, 周三."""

import re
from datetime import datetime, time, timedelta

from crawler.extract.posts.post import Precision
from store.rules.china_time import CHINA

_UNITS = {"秒": "seconds", "分": "minutes", "小": "hours", "钟": "hours", "鐘": "hours"}
_AGO = re.compile(r"(?<![\d.])(\d{1,3})\s*个?個?\s*(?P<unit>秒|分|小|[钟鐘](?=[头頭]))[钟鐘时時头頭]*\s*[之以]?前")
_ENGLISH = re.compile(r"(?<![\d.])(\d{1,2})\s*(?P<unit>second|minute|hour|day)s?\s+ago\b", re.IGNORECASE)
_HALF_AN_HOUR = re.compile(r"半个?個?小[时時]\s*[之以]?前")
_JUST_NOW = re.compile(r"^\W*(?:发表于|發表於|发布于|最后回复)?\W*(?:刚刚|剛剛|刚才|剛才)\W*$")
_DAYS_AGO = re.compile(r"(?<![\d.])(\d{1,2})\s*[天日]\s*[之以]?前")
_DAYS = {"今天": 0, "昨天": 1, "前天": 2, "大前天": 3}
_HOUR = (
    r"(?:\s*[,，]?\s*(?P<half>凌晨|上午|早上|中午|下午|晚上)?"
    r"\s*(?P<hour>\d{1,2})\s*[:：]\s*(?P<minute>[0-5]\d)(?:[:：][0-5]\d)?(?!\d))?"
)
_DAY = re.compile(rf"(?P<day>大前天|前天|昨天|今天){_HOUR}")
_WEEKDAYS = {**{name: day for day, name in enumerate("一二三四五六日")}, "天": 6}
_WEEKDAY = re.compile(
    rf"^\W*(?:发表于|發表於|发布于|最后回复)?\W*(?P<last>上)?(?:星期|周|週|礼拜|禮拜)(?P<day>[一二三四五六日天]){_HOUR}\W*$"
)
_LATE = frozenset(("下午", "晚上"))
_NOON, _LAST = 12, 23
_LONGEST = 60  # characters in which it is looked for

Told = tuple[datetime, Precision]


def relative_time(said: str, fetched_at: datetime) -> Told | None:
    """The moment, and how exactly it is known; None where nothing nearer than a day is told.

    >>> relative_time("发表于 3 天前", datetime(2026, 5, 4, 1, tzinfo=CHINA))[0].isoformat()
    '2026-05-01T00:00:00+08:00'
    """
    said, now = said.strip()[:_LONGEST], fetched_at.astimezone(CHINA)
    if _JUST_NOW.match(said):
        return now, Precision.MINUTE
    if _HALF_AN_HOUR.search(said):
        return now - timedelta(minutes=30), Precision.HOUR
    if ago := _AGO.search(said):
        unit = _UNITS[ago["unit"]]
        return now - timedelta(**{unit: int(ago[1])}), Precision.HOUR if unit == "hours" else Precision.MINUTE
    if days := _DAYS_AGO.search(said):
        return _midnight(now, int(days[1])), Precision.DAY
    if ago := _ENGLISH.search(said):
        return _english(ago, now)
    return _on_a_day(said, now)


def _english(ago: re.Match[str], now: datetime) -> Told:
    unit, count = f"{ago['unit'].lower()}s", int(ago[1])
    if unit == "days":
        return _midnight(now, count), Precision.DAY
    return now - timedelta(**{unit: count}), Precision.HOUR if unit == "hours" else Precision.MINUTE


def _on_a_day(said: str, now: datetime) -> Told | None:
    if found := _DAY.search(said):
        return _at(_midnight(now, _DAYS[found["day"]]), found)
    if found := _WEEKDAY.match(said):
        return _at(_midnight(now, _days_since(found, now)), found)
    return None


def _days_since(weekday: re.Match[str], now: datetime) -> int:
    """How many days the weekday is past: the last one before today, or with 上 that of the week before."""
    there, today = _WEEKDAYS[weekday["day"]], now.weekday()
    return today - there + 7 if weekday["last"] else (today - there - 1) % 7 + 1


def _at(midnight: datetime, found: re.Match[str]) -> Told:
    """The hour and minute of that day, where they are told."""
    if found["hour"] is None:
        return midnight, Precision.DAY
    hour = int(found["hour"])
    hour += _NOON if found["half"] in _LATE and hour < _NOON else 0
    if hour > _LAST:
        return midnight, Precision.DAY
    return midnight + timedelta(hours=hour, minutes=int(found["minute"])), Precision.MINUTE


def _midnight(now: datetime, days: int) -> datetime:
    """The beginning of the day that lies so many days back, in China."""
    return datetime.combine(now.date() - timedelta(days=days), time(), CHINA)
