"""Write the report as CSV and as JSON."""

import csv
import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from importlib import resources
from io import StringIO
from typing import Any, Final

from wenhen.cases.passages import FramedPicture
from wenhen.kit.clock import CHINA, day_or_moment
from wenhen.kit.errors import Message
from wenhen.reports.columns import (
    CASE_COLUMNS,
    EVIDENCE_COLUMNS,
    Column,
    Value,
    cell_text,
    escape_formula,
    in_both_languages,
)
from wenhen.reports.model import CaseEntry, Report, ReportedExhibit

# The report as CSV (RFC 4180): one row per case, with the columns of the workbook. UTF-8 with a byte order mark for
# Excel.


_CSV_COLUMNS: Final[Sequence[Column[CaseEntry]]] = (*CASE_COLUMNS, *EVIDENCE_COLUMNS[1:])  # both start with the number


def to_csv(report: Report) -> bytes:
    """Return the CSV file. Equal reports give equal bytes."""
    text = StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow([in_both_languages(column.heading) for column in _CSV_COLUMNS])
    writer.writerows([_csv_value(column.get(case)) for column in _CSV_COLUMNS] for case in report.cases)
    return text.getvalue().encode("utf-8-sig")


def _csv_value(value: Value) -> Value:
    if isinstance(value, datetime):
        return value.astimezone(CHINA).isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    return escape_formula(cell_text(value)) if isinstance(value, str) else value


# The report as JSON, described by `report.schema.json`.


JSON_FORMAT: Final = "wenhen-report"
JSON_VERSION: Final = 1


def to_json(report: Report) -> bytes:
    """Return UTF-8 JSON with the field names of the report, times in ISO 8601 UTC, and shares in [0, 1].

    A day of first publication stays a day.
    """
    value = {"format": JSON_FORMAT, "version": JSON_VERSION, **_record_fields(report)}
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain_json)
    # UTF-8 cannot encode a lone surrogate, so it is escaped.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def json_schema() -> bytes:
    """Return the JSON Schema (2020-12) of `to_json`."""
    return resources.files(__package__).joinpath("report.schema.json").read_bytes()


def _record_fields(record: Any) -> dict[str, object]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    if published := values.get("first_published"):
        values["first_published"] = day_or_moment(published)  # a day stays a day
    return values


def _plain_time(value: date) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else str(value)


def _plain_json(value: object) -> str | int | dict[str, object] | list[object]:
    if isinstance(value, date):
        return _plain_time(value)
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, FramedPicture):  # only the number, without the image
        return value.number
    if isinstance(value, ReportedExhibit):  # without the manifest, which is in the exhibit
        return {name: field for name, field in _record_fields(value).items() if name != "manifest"}
    if is_dataclass(value):
        return _record_fields(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"a report holds no {type(value).__name__}")
