"""How the values of a report are told on paper: in words, with their unit and their zone."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

from dashboard.export.workbook_column import Column, Row, Value
from dashboard.frame.display import NOTHING, grouped, local_time
from store.rules.percent import percent

ZONE: Final = "UTC+8"


def printed_time(at: datetime) -> str:
    """To the second, in Beijing time, which the zone behind it says."""
    return f"{local_time(at)} {ZONE}"


_LOOKS: Final[Mapping[str, Callable[[float], str]]] = {"share": percent, "count": lambda count: grouped(round(count))}


def printed(value: Value, look: str) -> str:
    """A value as its look wants it; a dash for none."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, datetime):
        return printed_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return "".join(run.text for run in value)
    return _LOOKS.get(look, str)(value)


def printed_cell(column: Column[Row], row: Row) -> str:
    """The cell of a column as it is printed."""
    return printed(column.get(row), column.look)
