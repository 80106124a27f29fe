"""The filter that a report was taken with, in words of both languages."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from dashboard.export.workbook_column import both, named
from services.reporting.report_contents import CaseEntry, Report
from store.rules.china_time import day_of
from store.rules.percent import percent

# Conditions of the store that have another name in the catalogue.
_NAMES: Final = {
    "status": "report.status",
    "case": "report.number",
    "text": "filter.q",
    "hosts": "filter.host",
    "page": "filter.on",
    "copies": "filter.counted",
    "confirmed": "filter.counted",
}


def chosen_in_words(report: Report) -> list[tuple[str, str]]:
    """Each condition as (name, value); none where all cases were taken."""
    return [(both(_NAMES.get(name, f"filter.{name}")), _value(name, value, report)) for name, value in _asked(report)]


def chosen_in_a_line(report: Report) -> str:
    """All conditions in one line, or that there is none."""
    return "；".join(f"{name}：{value}" for name, value in chosen_in_words(report)) or both("report.all_cases")


def _asked(report: Report) -> list[tuple[str, str]]:
    return [(name, value) for name, value in report.chosen_by.items() if name in _VALUES]


def _value(name: str, value: str, report: Report) -> str:
    return _VALUES[name](value, report)


def _as_it_is(value: str, _: Report) -> str:
    return value


def _of_group(group: str) -> Callable[[str, Report], str]:
    return lambda value, _: named(group, value)


def _answer(name: str) -> Callable[[str, Report], str]:
    return lambda value, _: both(f"filter.{name}_{value}")


def _share(value: str, _: Report) -> str:
    return percent(float(value))


def _day(value: str, _: Report) -> str:
    return day_of(datetime.fromisoformat(value)).isoformat()


def _last_day(value: str, _: Report) -> str:
    return day_of(datetime.fromisoformat(value) - timedelta(microseconds=1)).isoformat()  # the bound is not in it


def _from_case(tell: Callable[[CaseEntry], str]) -> Callable[[str, Report], str]:
    """What the cases themselves call it, as they all share it."""
    return lambda value, report: f"{tell(report.cases[0])} ({value})" if report.cases else value


def _assignee(value: str, _: Report) -> str:
    return value or both("filter.assignee_none")


_VALUES: Final[Mapping[str, Callable[[str, Report], str]]] = {
    "status": _of_group("status"),
    "level": _of_group("level"),
    "case": _as_it_is,
    "text": _as_it_is,
    "host": _as_it_is,
    "hosts": _as_it_is,
    "cluster": _as_it_is,
    "licence": _as_it_is,
    "work": _from_case(lambda case: case.work_title),
    "page": _from_case(lambda case: case.page_url),
    "copies": lambda *_: both("filter.counted_copies"),
    "confirmed": lambda *_: both("filter.counted_confirmed"),
    "licensed": _answer("licensed"),
    "credited": _answer("credited"),
    "present": _answer("present"),
    "removal": _answer("removal"),
    "assignee": _assignee,
    "score_from": _share,
    "score_to": _share,
    "share_from": _share,
    "share_to": _share,
    "since": _day,
    "until": _last_day,
}
