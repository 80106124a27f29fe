"""The report as one table that any spreadsheet opens: a row a case, with what the workbook tells of it.

The form is that of RFC 4180, in UTF-8 with the mark by which Excel knows it.
"""

import csv
from collections.abc import Sequence
from datetime import date, datetime
from io import StringIO
from typing import Final

from dashboard.export.cells import legal
from dashboard.export.formula_injection import harmless
from dashboard.export.report_columns import CASES, EVIDENCE
from dashboard.export.workbook_column import Column, Value, both
from services.reporting.report_contents import CaseEntry, Report
from store.rules.china_time import CHINA

_TABLE: Final[Sequence[Column[CaseEntry]]] = (*CASES, *EVIDENCE[1:])  # both begin with the number


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
    if isinstance(value, date):
        return value.isoformat()
    return harmless(legal(value)) if isinstance(value, str) else value
