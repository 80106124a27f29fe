"""The report as one table that any spreadsheet opens: a row a case, with what the workbook tells of it.

The form is that of RFC 4180, in UTF-8 with the mark by which Excel knows it. What a spreadsheet would take for a
formula is kept from it as OWASP's "CSV Injection" says.
"""

import csv
from collections.abc import Sequence
from datetime import datetime
from io import StringIO
from typing import Final

from dashboard.export.cells import legal
from dashboard.export.column import Column, Value, both
from dashboard.export.report_columns import CASES, EVIDENCE
from services.reports import CaseEntry, Report
from store.rules.china_time import CHINA

_TABLE: Final[Sequence[Column[CaseEntry]]] = (*CASES, *EVIDENCE[1:])  # both begin with the number
_FORMULA: Final = tuple("=+-@＝＋－＠")


def to_csv(report: Report) -> bytes:
    """Write the table; the same report gives the same bytes."""
    text = StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow([both(column.heading) for column in _TABLE])
    writer.writerows([_cell(column.get(case)) for column in _TABLE] for case in report.cases)
    return text.getvalue().encode("utf-8-sig")


def _cell(value: Value) -> Value:
    if isinstance(value, datetime):
        return value.astimezone(CHINA).isoformat(sep=" ", timespec="seconds")
    return harmless(legal(value)) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """The text behind an apostrophe where a spreadsheet would take it for a formula, whatever blanks it begins with."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
