"""The tables of the report's workbook."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import zip_longest
from typing import Final, NamedTuple

from dashboard.export.cells import in_parts
from dashboard.export.workbook_column import Column, MarkedText, both, named
from dashboard.frame.reason_words import reason_text_in
from services.cases.passage_quotes import PassageQuote
from services.reporting.report_contents import CaseEntry
from store.messages import Message
from store.records import Brought
from store.rules.china_time import CHINA, day_or_moment


def _credited(case: CaseEntry) -> str | None:
    return None if case.credited is None else both("case.credited" if case.credited else "case.uncredited")


def _first_published(case: CaseEntry) -> date | None:
    return day_or_moment(case.first_published) if case.first_published else None


def _presence(case: CaseEntry) -> str:
    if case.work_removed:
        return both("report.work_removed")
    if case.present:
        return both("case.present")
    return both("case.common" if case.common else "case.gone")


CASES: Final[Sequence[Column[CaseEntry]]] = (
    Column("report.number", lambda case: case.number, 8, "count"),
    Column("report.status", lambda case: named("status", case.status), 14),
    Column("report.work_title", lambda case: case.work_title, 28),
    Column("report.author", lambda case: case.author, 14),
    Column("report.holder", lambda case: case.holder, 18),
    Column("report.first_published", _first_published, 19, "time"),
    Column("report.proof", lambda case: case.proof, 30),
    Column("report.work_url", lambda case: case.work_url, 30),
    Column("report.page_title", lambda case: case.page_title, 28),
    Column("report.page_url", lambda case: case.page_url, 40),
    Column("report.page_host", lambda case: case.page_host, 20),
    Column("report.level", lambda case: named("level", case.level), 16),
    Column("report.share_of_page", lambda case: case.share_of_page, 10, "share"),
    Column("report.share_of_work", lambda case: case.share_of_work, 10, "share"),
    Column("report.copied_of_page", lambda case: case.copied_characters, 12, "count"),
    Column("report.page_characters", lambda case: case.page_characters, 12, "count"),
    Column("report.copied_of_work", lambda case: case.copied_of_work, 12, "count"),
    Column("report.work_characters", lambda case: case.work_characters, 12, "count"),
    Column("report.similarity", lambda case: case.similarity, 10, "share"),
    Column("report.same_characters", lambda case: case.same_characters, 10, "share"),
    Column("report.variants", lambda case: case.variants, 10, "share"),
    Column("report.same_sound", lambda case: case.same_sound, 10, "share"),
    Column("report.score", lambda case: case.score, 10, "share"),
    Column("report.longest_run", lambda case: case.longest_run, 12, "count"),
    Column("report.passages", lambda case: len(case.passages), 10, "count"),
    Column("report.reasons", lambda case: "\n".join(map(_reason, case.reasons)), 44),
    Column("report.licence", lambda case: case.licence.licensee if case.licence else None, 22),
    Column("report.credited", _credited, 14),
    Column("report.present", _presence, 14),
    Column("report.opened_at", lambda case: case.opened_at, 19, "time"),
    Column("report.decided_at", lambda case: case.decided_at, 19, "time"),
    Column("report.decided_by", lambda case: case.decided_by, 12),
    Column("report.decision", lambda case: case.decision, 30),
    Column("report.notice_at", lambda case: case.notice_at, 19, "time"),
    Column("report.deadline", lambda case: case.deadline, 19, "time"),
    Column("report.assignee", lambda case: case.assignee, 12),
)


_BY_HEADING: Final = {column.heading: column for column in CASES}

# The cases at a glance, for a page across: twelve columns.
OVERVIEW: Final[Sequence[Column[CaseEntry]]] = tuple(
    replace(_BY_HEADING[f"report.{name}"], width=width)
    for name, width in {
        "number": 7,
        "status": 11,
        "work_title": 20,
        "author": 10,
        "page_host": 16,
        "page_url": 34,
        "level": 12,
        "share_of_page": 9,
        "share_of_work": 9,
        "present": 11,
        "opened_at": 15,
        "deadline": 15,
    }.items()
)


class SheetPart(NamedTuple):
    """A passage, or a part of one that is longer than a cell holds; `at` counts from 1, up to `of`."""

    case: CaseEntry
    passage: PassageQuote
    at: int
    of: int
    page_text: str | MarkedText | None
    work_text: str | MarkedText | None


PASSAGES: Final[Sequence[Column[SheetPart]]] = (
    Column("report.number", lambda part: part.case.number, 8, "count"),
    Column("report.passage", lambda part: part.passage.number, 8, "count"),
    Column("report.part", lambda part: f"{part.at}/{part.of}" if part.of > 1 else None, 8),
    Column("report.change", lambda part: named("level", part.passage.change), 16),
    Column("report.passage_similarity", lambda part: part.passage.similarity, 10, "share"),
    Column("report.page_start", lambda part: part.passage.page_start, 10, "count"),
    Column("report.page_end", lambda part: part.passage.page_end, 10, "count"),
    Column("report.work_start", lambda part: part.passage.work_start, 10, "count"),
    Column("report.work_end", lambda part: part.passage.work_end, 10, "count"),
    Column("report.page_text", lambda part: part.page_text, 70),
    Column("report.work_text", lambda part: part.work_text, 70),
)

EVIDENCE: Final[Sequence[Column[CaseEntry]]] = (
    Column("report.number", lambda case: case.number, 8, "count"),
    Column("evidence.url", lambda case: case.capture.url, 50),
    Column("evidence.fetched_at", lambda case: case.capture.fetched_at, 19, "time"),
    Column("evidence.brought", lambda case: _brought(case.capture.brought), 40),
    Column("evidence.status", lambda case: case.capture.status, 10, "count"),
    Column("evidence.server_address", lambda case: case.capture.server_address, 18),
    Column("evidence.body_size", lambda case: case.capture.body_size, 14, "count"),
    Column("evidence.body_sha256", lambda case: case.capture.body_digest, 36, "digest"),
    Column("evidence.rendered_sha256", lambda case: case.capture.rendered_digest, 36, "digest"),
    Column("evidence.page_text_sha256", lambda case: case.page_text_sha256, 36, "digest"),
    Column("evidence.work_text_sha256", lambda case: case.work_text_sha256, 36, "digest"),
    Column("evidence.headers", lambda case: "\n".join(f"{name}: {value}" for name, value in case.capture.headers), 60),
    Column("evidence.problems", lambda case: "\n".join(_problems(case)) or None, 30),
)


def parts_of(cases: Iterable[CaseEntry], *, marked: bool = True) -> Iterator[SheetPart]:
    """The passages of all cases, as rows of `PASSAGES`. marked: show what was changed in those that a cell holds."""
    # It reads letters, and a table without marks can do without.
    from dashboard.export.marked_changes import marked_sides

    for case in cases:
        for passage in case.passages:
            if marked and _in_a_cell(passage):
                yield SheetPart(case, passage, 1, 1, *marked_sides(passage))
            else:
                yield from _plain_parts(case, passage)


def _plain_parts(case: CaseEntry, passage: PassageQuote) -> Iterator[SheetPart]:
    texts = list(zip_longest(in_parts(passage.page_text), in_parts(passage.work_text)))
    for at, (page, work) in enumerate(texts, 1):
        yield SheetPart(case, passage, at, len(texts), page, work)


def _brought(brought: Brought | None) -> str | None:
    """Who took it, when, where, and what was taken."""
    if brought is None:
        return None
    seen_at = brought.seen_at.astimezone(CHINA).isoformat(sep=" ", timespec="seconds")
    return "\n".join(filter(None, (brought.by, seen_at, brought.app, brought.device, brought.note, *brought.files)))


def _in_a_cell(passage: PassageQuote) -> bool:
    return all(len(in_parts(text)) == 1 for text in (passage.page_text, passage.work_text))


def _reason(reason: str) -> str:
    return f"{reason_text_in('zh', reason)} {reason_text_in('en', reason)}"


def _problems(case: CaseEntry) -> Iterator[str]:
    """Of the capture, and what the store has lost."""
    yield from map(_in_both, case.capture.problems)
    yield from (both(f"case.{problem}") for problem in case.problems)


def _in_both(problem: Message) -> str:
    """Both languages; once what another program said."""
    return " ".join(dict.fromkeys((problem.text("zh"), problem.text("en"))))
