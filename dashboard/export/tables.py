"""The tables of the workbook: their columns, and a report's cases as rows."""

from collections.abc import Iterable
from datetime import datetime
from itertools import zip_longest
from typing import Final, NamedTuple

from dashboard.export.cells import in_parts
from dashboard.export.report import CaseEntry, PassageQuote
from dashboard.frame.language import catalogue
from dashboard.frame.reasons import in_language
from dashboard.frame.telling import in_words

Value = str | int | float | datetime | None


class Column(NamedTuple):
    """A heading (key in the catalogue), a width in characters, and the look of the cells."""

    heading: str
    width: float
    look: str = "text"


def both(key: str) -> str:
    """Words in both languages."""
    return catalogue().both(key)


def named(group: str, value: str) -> str:
    """As `both`, for a value out of a group."""
    return both(f"{group}.{value}")


_NUMBER: Final = Column("report.number", 8, "count")

CASES: Final = (
    _NUMBER,
    Column("report.status", 14),
    Column("report.work_title", 28),
    Column("report.author", 14),
    Column("report.holder", 18),
    Column("report.first_published", 19, "time"),
    Column("report.proof", 30),
    Column("report.work_url", 30),
    Column("report.page_title", 28),
    Column("report.page_url", 40),
    Column("report.page_host", 20),
    Column("report.level", 16),
    Column("report.share_of_page", 10, "share"),
    Column("report.share_of_work", 10, "share"),
    Column("report.similarity", 10, "share"),
    Column("report.same_characters", 10, "share"),
    Column("report.variants", 10, "share"),
    Column("report.same_sound", 10, "share"),
    Column("report.score", 10, "share"),
    Column("report.longest_run", 12, "count"),
    Column("report.passages", 10, "count"),
    Column("report.reasons", 44),
    Column("report.licence", 22),
    Column("report.credited", 14),
    Column("report.present", 14),
    Column("report.opened_at", 19, "time"),
    Column("report.decided_at", 19, "time"),
    Column("report.decided_by", 12),
    Column("report.decision", 30),
    Column("report.notice_at", 19, "time"),
    Column("report.deadline", 19, "time"),
    Column("report.assignee", 12),
)


def case_row(case: CaseEntry) -> tuple[Value, ...]:
    """A case under `CASES`."""
    return (
        case.number,
        named("status", case.status),
        case.work_title,
        case.author,
        case.holder,
        case.first_published,
        case.proof,
        case.work_url,
        case.page_title,
        case.page_url,
        case.page_host,
        named("level", case.level),
        case.share_of_page,
        case.share_of_work,
        case.similarity,
        case.same_characters,
        case.variants,
        case.same_sound,
        case.score,
        case.longest_run,
        len(case.passages),
        "\n".join(f"{in_language('zh', reason)} {in_language('en', reason)}" for reason in case.reasons),
        case.licence.licensee if case.licence else None,
        None if case.credited is None else both("case.credited" if case.credited else "case.uncredited"),
        both("case.present" if case.present else "case.gone"),
        case.opened_at,
        case.decided_at,
        case.decided_by,
        case.decision,
        case.notice_at,
        case.deadline,
        case.assignee,
    )


PASSAGES: Final = (
    _NUMBER,
    Column("report.passage", 8, "count"),
    Column("report.part", 8),
    Column("report.change", 16),
    Column("report.passage_similarity", 10, "share"),
    Column("report.page_start", 10, "count"),
    Column("report.page_end", 10, "count"),
    Column("report.work_start", 10, "count"),
    Column("report.work_end", 10, "count"),
    Column("report.page_text", 70),
    Column("report.work_text", 70),
)


def passage_rows(cases: Iterable[CaseEntry]) -> Iterable[tuple[Value, ...]]:
    """The passages of all cases, under `PASSAGES`."""
    for case in cases:
        for passage in case.passages:
            yield from _parts(case, passage)


def _parts(case: CaseEntry, passage: PassageQuote) -> Iterable[tuple[Value, ...]]:
    """One row, or several where a text is longer than a cell holds."""
    parts = list(zip_longest(in_parts(passage.page_text), in_parts(passage.work_text)))
    for at, (page, work) in enumerate(parts, 1):
        yield (
            case.number,
            passage.number,
            f"{at}/{len(parts)}" if len(parts) > 1 else None,
            named("level", passage.change),
            passage.similarity,
            passage.page_start,
            passage.page_end,
            passage.work_start,
            passage.work_end,
            page,
            work,
        )


EVIDENCE: Final = (
    _NUMBER,
    Column("evidence.url", 50),
    Column("evidence.fetched_at", 19, "time"),
    Column("evidence.status", 10, "count"),
    Column("evidence.server_address", 18),
    Column("evidence.body_size", 14, "count"),
    Column("evidence.body_sha256", 36, "digest"),
    Column("evidence.page_text_sha256", 36, "digest"),
    Column("evidence.work_text_sha256", 36, "digest"),
    Column("evidence.headers", 60),
    Column("evidence.problems", 30),
)


def _told(problem: str) -> str:
    """What the crawler says in English, in both languages where it has words in Chinese."""
    words = in_words(problem, chosen="zh")
    return problem if words == problem else f"{words} {problem}"


def evidence_row(case: CaseEntry) -> tuple[Value, ...]:
    """What was captured for a case, under `EVIDENCE`."""
    capture = case.capture
    lost = [both(f"case.{problem}") for problem in case.problems]
    return (
        case.number,
        capture.url,
        capture.fetched_at,
        capture.status,
        capture.server_address,
        capture.body_size,
        capture.body_digest,
        case.page_text_sha256,
        case.work_text_sha256,
        "\n".join(f"{name}: {value}" for name, value in capture.headers),
        "\n".join((*map(_told, capture.problems), *lost)) or None,
    )
