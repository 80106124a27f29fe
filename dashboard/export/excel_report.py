"""The report as a workbook: 汇总, 一览, 案件, 片段, 证据, 说明."""

from io import BytesIO
from typing import Any, Final

from dashboard.export.filter_in_words import chosen_in_a_line
from dashboard.export.marked_changes import are_marked
from dashboard.export.report_columns import CASES, EVIDENCE, OVERVIEW, PASSAGES, parts_of
from dashboard.export.report_notes import note_lines
from dashboard.export.sheets import add_sheet, looks_of, make_room, new_book, write, write_facts, write_table
from dashboard.export.workbook_column import Value, both, named
from services.reporting.report_contents import Report

_NOTE: Final = 100  # characters of a line of notes
AT_HAND: Final = 20_000  # cases and passages, up to which the workbook is made in memory


def to_excel(report: Report) -> bytes:
    """Write the workbook; the same report gives the same bytes. TooLarge when a sheet would not hold the rows."""
    buffer = BytesIO()
    rows = report.totals.cases + report.totals.passages
    book = new_book(buffer, "report.title", report.generated_at, flat=rows > AT_HAND)
    looks = looks_of(book)
    _summary(add_sheet(book, "report.sheet_summary"), looks, report)
    write_table(add_sheet(book, "report.sheet_overview"), looks, OVERVIEW, report.cases)
    write_table(add_sheet(book, "report.sheet_cases"), looks, CASES, report.cases)
    passages = parts_of(report.cases, marked=are_marked(report.totals.passages))
    write_table(add_sheet(book, "report.sheet_passages"), looks, PASSAGES, passages)
    write_table(add_sheet(book, "report.sheet_evidence"), looks, EVIDENCE, report.cases)
    _notes(add_sheet(book, "report.sheet_notes"), looks, report)
    book.close()
    return buffer.getvalue()


def _summary(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    totals = report.totals
    facts: list[tuple[str, Value, str]] = [
        (both("report.holder"), "、".join(report.holders) or None, "text"),
        (both("report.generated_at"), report.generated_at, "time"),
        (both("report.chosen_by"), chosen_in_a_line(report), "text"),
        (both("report.total_cases"), totals.cases, "count"),
        *((f"　{named('status', status)}", count, "count") for status, count in totals.by_status.items()),
        *((f"　{named('level', level)}", count, "count") for level, count in totals.by_level.items()),
        (both("report.total_works"), totals.works, "count"),
        (both("report.total_hosts"), totals.hosts, "count"),
        (both("report.total_passages"), totals.passages, "count"),
        (both("report.total_characters"), totals.copied_characters, "count"),
    ]
    sheet.set_column(0, 0, 44)
    sheet.set_column(1, 1, 60)
    write_facts(sheet, looks, "report.title", facts)


def _notes(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    lines = note_lines(report, ("claim", "shares", "levels", "marks", "offsets", "digests", "times", "cells"))
    sheet.set_column(0, 0, _NOTE)
    sheet.write_string(0, 0, both("report.sheet_notes"), looks["title"])
    for at, line in enumerate(lines, 2):
        make_room(sheet, at, [(line, _NOTE)])
        write(sheet, looks, at, 0, line, "text")
