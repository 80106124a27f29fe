"""Format values, filter conditions and notes of a report in both languages."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from wenhen.kit.clock import china_day
from wenhen.kit.text import percent
from wenhen.reports.columns import Column, Row, Value, in_both_languages, named_in_both
from wenhen.reports.model import CaseEntry, Report
from wenhen.reports.wording import NO_VALUE, catalogue, format_local_time, group_digits, report_languages

# Printed values: in words, with unit and time zone.


TIME_ZONE_NAME: Final = "UTC+8"


def format_printed_time(moment: datetime) -> str:
    """Format a time to the second in Beijing time, with the zone."""
    return f"{format_local_time(moment)} {TIME_ZONE_NAME}"


_LOOK_FORMATTERS: Final[Mapping[str, Callable[[float], str]]] = {
    "share": percent,
    "count": lambda count: group_digits(round(count)),
}


def format_printed(value: Value, look: str) -> str:
    """Format a value for a cell format. Empty values give a dash."""
    if value is None or value == "":
        return NO_VALUE
    if isinstance(value, datetime):
        return format_printed_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return "".join(run.text for run in value)
    return _LOOK_FORMATTERS.get(look, str)(value)


def format_printed_cell(column: Column[Row], row: Row) -> str:
    """Format the cell of a column for print."""
    return format_printed(column.get(row), column.look)


# Conditions with another key in the catalogue.
_CONDITION_NAMES: Final = {
    "status": "report.status",
    "case": "report.number",
    "text": "filter.q",
    "hosts": "filter.host",
    "page": "filter.on",
    "copies": "filter.counted",
    "confirmed": "filter.counted",
}


def filter_conditions(report: Report) -> list[tuple[str, str]]:
    """Return the conditions as (name, value), empty if all cases were selected."""
    return [
        (in_both_languages(_CONDITION_NAMES.get(name, f"filter.{name}")), _condition_value(name, value, report))
        for name, value in _asked_conditions(report)
    ]


def filter_line(report: Report) -> str:
    """Return all conditions in one line, or a text for no condition. Say so if no case matches them."""
    line = "；".join(f"{name}：{value}" for name, value in filter_conditions(report))
    nothing = () if report.totals.cases else (in_both_languages("report.no_cases"),)
    return "；".join((line or in_both_languages("report.all_cases"), *nothing))


def _asked_conditions(report: Report) -> list[tuple[str, str]]:
    return [(name, value) for name, value in report.chosen_by.items() if name in _VALUE_FORMATTERS]


def _condition_value(name: str, value: str, report: Report) -> str:
    return _VALUE_FORMATTERS[name](value, report)


def _raw_value(value: str, _: Report) -> str:
    return value


def _group_value(group: str) -> Callable[[str, Report], str]:
    return lambda value, _: named_in_both(group, value)


def _answer_value(name: str) -> Callable[[str, Report], str]:
    return lambda value, _: in_both_languages(f"filter.{name}_{value}")


def _share_value(value: str, _: Report) -> str:
    return percent(float(value))


def _day_value(value: str, _: Report) -> str:
    return china_day(datetime.fromisoformat(value)).isoformat()


def _last_day_value(value: str, _: Report) -> str:
    return china_day(datetime.fromisoformat(value) - timedelta(microseconds=1)).isoformat()  # the bound is exclusive


def _case_value(tell: Callable[[CaseEntry], str]) -> Callable[[str, Report], str]:
    """Return a formatter that uses a field of the first case, because all cases share it."""
    return lambda value, report: f"{tell(report.cases[0])} ({value})" if report.cases else value


def _assignee_value(value: str, _: Report) -> str:
    return value or in_both_languages("filter.assignee_none")


_VALUE_FORMATTERS: Final[Mapping[str, Callable[[str, Report], str]]] = {
    "status": _group_value("status"),
    "level": _group_value("level"),
    "case": _raw_value,
    "text": _raw_value,
    "host": _raw_value,
    "hosts": _raw_value,
    "cluster": _raw_value,
    "licence": _raw_value,
    "holder": _raw_value,
    "work": _case_value(lambda case: case.work_title),
    "page": _case_value(lambda case: case.page_url),
    "copies": lambda *_: in_both_languages("filter.counted_copies"),
    "confirmed": lambda *_: in_both_languages("filter.counted_confirmed"),
    "licensed": _answer_value("licensed"),
    "credited": _answer_value("credited"),
    "present": _answer_value("present"),
    "removal": _answer_value("removal"),
    "assignee": _assignee_value,
    "score_from": _share_value,
    "score_to": _share_value,
    "share_from": _share_value,
    "share_to": _share_value,
    "since": _day_value,
    "until": _last_day_value,
}


def note_lines(report: Report, notes: Iterable[str]) -> list[str]:
    """Return the notes, one line per note and language, then the methods."""
    lines = [catalogue().text(language, f"report.note_{name}") for name in notes for language in report_languages()]
    return lines + [
        f"{in_both_languages('report.method')}: {method.scheme} "
        + "; ".join(f"{name} = {value}" for name, value in sorted(method.parameters.items()))
        for method in report.methods
    ]
