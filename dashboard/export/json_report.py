"""The report for machines; `report.schema.json` says what it holds."""

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Final

from services.cases.passage_places import FramedPicture
from services.reporting.report_contents import Report, ReportedExhibit
from store.messages import Message

FORMAT: Final = "wenhen-report"
VERSION: Final = 1


def to_json(report: Report) -> bytes:
    """UTF-8 JSON: the report's own names, times as ISO 8601 in UTC, shares in [0, 1]."""
    value = {"format": FORMAT, "version": VERSION, **_fields(report)}
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    # A lone surrogate cannot be UTF-8; its escape can.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def schema() -> bytes:
    """What `to_json` writes, in the terms of JSON Schema 2020-12."""
    return resources.files(__package__).joinpath("report.schema.json").read_bytes()


def _fields(record: Any) -> dict[str, object]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _plain(value: object) -> str | int | dict[str, object] | list[object]:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, FramedPicture):  # the picture itself is shown at its case
        return value.number
    if isinstance(value, ReportedExhibit):  # the manifest itself lies in the exhibit
        return {name: one for name, one in _fields(value).items() if name != "manifest"}
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"a report holds no {type(value).__name__}")
