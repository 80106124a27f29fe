"""Declare the columns of report tables, and make cell values safe."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Final, Generic, NamedTuple, TypeVar

from crawler.addresses import host_in_both_forms
from crawler.capture import Brought
from wenhen.cases.passages import PassageQuote
from wenhen.kit.clock import CHINA, day_or_moment
from wenhen.kit.errors import Message
from wenhen.kit.text import replace_illegal_xml
from wenhen.reports.model import CaseEntry
from wenhen.reports.wording import catalogue, reason_text_in, report_languages


class Mark(StrEnum):
    """The style of a run of text. Its name in the legend is ``mark.*`` in the catalogue."""

    SAME = "same"
    SOUND = "sound"  # homophone or variant character: dotted underline
    REPLACED = "replaced"  # bold, underlined
    ADDED = "added"  # only in the page: bold, double underline
    LEFT_OUT = "left_out"  # only in the work: struck through


class MarkedRun(NamedTuple):
    """A run of text with one style."""

    mark: Mark
    text: str


class MarkedSides(NamedTuple):
    """The runs of a passage on both sides. None if the store has lost the text."""

    page: tuple[MarkedRun, ...] | None
    work: tuple[MarkedRun, ...] | None


# Table columns: heading, value and format of each are declared once.


MarkedText = tuple[MarkedRun, ...]
Value = str | int | float | date | MarkedText | None  # a date or a datetime, which is a subclass
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A table column.

    heading: key in the catalogue.
    get: returns the cell value for a row.
    width: in characters.
    look: name of the cell format.
    """

    heading: str
    get: Callable[[Row], Value]
    width: float
    look: str = "text"


def in_both_languages(key: str) -> str:
    """Return the words for a key in both languages."""
    return catalogue().both(key)


def named_in_both(group: str, value: str) -> str:
    """Return the words for a value of a group in both languages."""
    return in_both_languages(f"{group}.{value}")


# Limits of workbook cells. `formula_injection` prevents that texts become formulas or links.


_MAX_CELL_CHARACTERS: Final = 32_767  # UTF-16 code units
_CELL_PART_CHARACTERS: Final = _MAX_CELL_CHARACTERS // 2  # code points that always fit
_CUT_MARK: Final = "……［过长，已截断 cut］"


def cell_text(text: str) -> str:
    """Return a text for one cell, without characters illegal in XML, and truncated with a mark if too long."""
    text = replace_illegal_xml(text)
    return text if len(text) <= _CELL_PART_CHARACTERS else text[: _CELL_PART_CHARACTERS - len(_CUT_MARK)] + _CUT_MARK


def split_into_cells(text: str | None) -> list[str | None]:
    """Split a text into parts that each fit a cell. None gives [None]."""
    if text is None:
        return [None]
    return [text[start : start + _CELL_PART_CHARACTERS] for start in range(0, len(text), _CELL_PART_CHARACTERS)] or [""]


_FORMULA_SIGNS: Final = tuple("=+-@＝＋－＠")
# Workbook options: text stays text.
PLAIN_TEXT_OPTIONS: Final[Mapping[str, bool]] = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def escape_formula(text: str) -> str:
    """Return a CSV cell. A text that a spreadsheet would take for a formula gets a leading apostrophe."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA_SIGNS) else text


def _credit_text(case: CaseEntry) -> str | None:
    return None if case.credited is None else in_both_languages("case.credited" if case.credited else "case.uncredited")


def _first_publication(case: CaseEntry) -> date | None:
    return day_or_moment(case.first_published) if case.first_published else None


def _presence_text(case: CaseEntry) -> str:
    if case.work_removed:
        return in_both_languages("report.work_removed")
    if case.present:
        return in_both_languages("case.present")
    return in_both_languages("case.common" if case.common else "case.gone")


CASE_COLUMNS: Final[Sequence[Column[CaseEntry]]] = (
    Column("report.number", lambda case: case.number, 8, "count"),
    Column("report.status", lambda case: named_in_both("status", case.status), 14),
    Column("report.work_title", lambda case: case.work_title, 28),
    Column("report.author", lambda case: case.author, 14),
    Column("report.holder", lambda case: case.holder, 18),
    Column("report.first_published", _first_publication, 19, "time"),
    Column("report.proof", lambda case: case.proof, 30),
    Column("report.work_url", lambda case: case.work_url, 30),
    Column("report.page_title", lambda case: case.page_title, 28),
    Column("report.page_url", lambda case: case.page_url, 40),
    Column("report.page_host", lambda case: host_in_both_forms(case.page_host), 20),
    Column("report.level", lambda case: named_in_both("level", case.level), 16),
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
    Column("report.reasons", lambda case: "\n".join(map(_reason_words, case.reasons)), 44),
    Column("report.licence", lambda case: case.licence.licensee if case.licence else None, 22),
    Column("report.credited", _credit_text, 14),
    Column("report.present", _presence_text, 14),
    Column("report.opened_at", lambda case: case.opened_at, 19, "time"),
    Column("report.decided_at", lambda case: case.decided_at, 19, "time"),
    Column("report.decided_by", lambda case: case.decided_by, 12),
    Column("report.decision", lambda case: case.decision, 30),
    Column("report.notice_at", lambda case: case.notice_at, 19, "time"),
    Column("report.deadline", lambda case: case.deadline, 19, "time"),
    Column("report.assignee", lambda case: case.assignee, 12),
)


_COLUMNS_BY_HEADING: Final = {column.heading: column for column in CASE_COLUMNS}

# The twelve columns of the overview, sized for a landscape page.
OVERVIEW_COLUMNS: Final[Sequence[Column[CaseEntry]]] = tuple(
    replace(_COLUMNS_BY_HEADING[f"report.{name}"], width=width)
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
    """A passage, or a part of one that is too long for a cell. `at` counts from 1 to `of`."""

    case: CaseEntry
    passage: PassageQuote
    at: int
    of: int
    page_text: str | MarkedText | None
    work_text: str | MarkedText | None


PASSAGE_COLUMNS: Final[Sequence[Column[SheetPart]]] = (
    Column("report.number", lambda part: part.case.number, 8, "count"),
    Column("report.passage", lambda part: part.passage.number, 8, "count"),
    Column("report.part", lambda part: f"{part.at}/{part.of}" if part.of > 1 else None, 8),
    Column("report.change", lambda part: named_in_both("level", part.passage.change), 16),
    Column("report.passage_similarity", lambda part: part.passage.similarity, 10, "share"),
    Column("report.page_start", lambda part: part.passage.page_start, 10, "count"),
    Column("report.page_end", lambda part: part.passage.page_end, 10, "count"),
    Column("report.work_start", lambda part: part.passage.work_start, 10, "count"),
    Column("report.work_end", lambda part: part.passage.work_end, 10, "count"),
    Column("report.page_text", lambda part: part.page_text, 70),
    Column("report.work_text", lambda part: part.work_text, 70),
)

EVIDENCE_COLUMNS: Final[Sequence[Column[CaseEntry]]] = (
    Column("report.number", lambda case: case.number, 8, "count"),
    Column("evidence.url", lambda case: case.capture.url, 50),
    Column("evidence.fetched_at", lambda case: case.capture.fetched_at, 19, "time"),
    Column("evidence.brought", lambda case: _bringing_text(case.capture.brought), 40),
    Column("evidence.status", lambda case: case.capture.status, 10, "count"),
    Column("evidence.server_address", lambda case: case.capture.server_address, 18),
    Column("evidence.body_size", lambda case: case.capture.body_size, 14, "count"),
    Column("evidence.body_sha256", lambda case: case.capture.body_digest, 36, "digest"),
    Column("evidence.rendered_sha256", lambda case: case.capture.rendered_digest, 36, "digest"),
    Column("evidence.page_text_sha256", lambda case: case.page_text_sha256, 36, "digest"),
    Column("evidence.work_text_sha256", lambda case: case.work_text_sha256, 36, "digest"),
    Column("evidence.headers", lambda case: "\n".join(f"{name}: {value}" for name, value in case.capture.headers), 60),
    Column("evidence.problems", lambda case: "\n".join(_problem_lines(case)) or None, 30),
)


def _bringing_text(brought: Brought | None) -> str | None:
    """Return who captured the page manually, when, where, and the files."""
    if brought is None:
        return None
    seen_at = brought.seen_at.astimezone(CHINA).isoformat(sep=" ", timespec="seconds")
    return "\n".join(filter(None, (brought.by, seen_at, brought.app, brought.device, brought.note, *brought.files)))


def _reason_words(reason: str) -> str:
    """Return a reason in the languages of the report."""
    return " ".join(reason_text_in(language, reason) for language in report_languages())


def _problem_lines(case: CaseEntry) -> Iterator[str]:
    """Yield the problems of the capture, and lost data."""
    yield from map(_message_in_both, case.capture.problems)
    yield from (in_both_languages(f"case.{problem}") for problem in case.problems)


def _message_in_both(problem: Message) -> str:
    """Return a message in both languages, or once if both are equal."""
    return " ".join(dict.fromkeys((problem.text("zh"), problem.text("en"))))
