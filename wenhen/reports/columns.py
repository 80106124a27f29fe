"""Declare the columns of report tables, and make cell values safe."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Final, Generic, NamedTuple, TypeVar

from crawler.capture import Brought
from wenhen.cases.passages import PassageQuote
from wenhen.kit.clock import CHINA, day_or_moment
from wenhen.kit.errors import Message
from wenhen.kit.text import replace_illegal_xml
from wenhen.reports.model import CaseEntry
from wenhen.reports.wording import catalogue, reason_text_in


class Mark(StrEnum):
    """How a run of text is shown; each has its words in the legend, ``mark.*`` of the catalogue."""

    SAME = "same"
    SOUND = "sound"  # another character of the same sound, or another form of it: dotted underline
    REPLACED = "replaced"  # bold, underlined
    ADDED = "added"  # the page has it alone: bold, underlined twice
    LEFT_OUT = "left_out"  # the work has it alone: struck through


class MarkedRun(NamedTuple):
    """A run of one look."""

    mark: Mark
    text: str


class MarkedSides(NamedTuple):
    """The runs of one passage on either side; None where the store has lost the text."""

    page: tuple[MarkedRun, ...] | None
    work: tuple[MarkedRun, ...] | None


# The columns of a table of a workbook, each declared once: its heading, how its value is got, how its cells look.


MarkedText = tuple[MarkedRun, ...]
Value = str | int | float | date | MarkedText | None  # a day, or a moment, which is one too
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column. heading: key in the catalogue; get: the value of its cell in a row; width: in characters; look: of
    its cells, by name.
    """

    heading: str
    get: Callable[[Row], Value]
    width: float
    look: str = "text"


def in_both_languages(key: str) -> str:
    """Words in both languages."""
    return catalogue().both(key)


def named_in_both(group: str, value: str) -> str:
    """As `both`, for a value out of a group."""
    return in_both_languages(f"{group}.{value}")


# What a cell of a workbook can hold. That no text becomes a formula or a link is seen to in `formula_injection`.


_MAX_CELL_CHARACTERS: Final = 32_767  # UTF-16 units
_CELL_PART_CHARACTERS: Final = _MAX_CELL_CHARACTERS // 2  # code points that fit whatever they are
_CUT_MARK: Final = "……［过长，已截断 cut］"


def cell_text(text: str) -> str:
    """One cell: as `for_xml`, and cut with a mark where it is too long."""
    text = replace_illegal_xml(text)
    return text if len(text) <= _CELL_PART_CHARACTERS else text[: _CELL_PART_CHARACTERS - len(_CUT_MARK)] + _CUT_MARK


def split_into_cells(text: str | None) -> list[str | None]:
    """Text cut into pieces that each fit a cell; one None for none."""
    if text is None:
        return [None]
    return [text[start : start + _CELL_PART_CHARACTERS] for start in range(0, len(text), _CELL_PART_CHARACTERS)] or [""]


_FORMULA_SIGNS: Final = tuple("=+-@＝＋－＠")
# Of a workbook: what is written into a cell as text stays text.
PLAIN_TEXT_OPTIONS: Final[Mapping[str, bool]] = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def escape_formula(text: str) -> str:
    """A cell of CSV: behind an apostrophe where it would be taken for a formula, whatever blanks it begins with."""
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
    Column("report.page_host", lambda case: case.page_host, 20),
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
    Column("report.reasons", lambda case: "\n".join(map(_reason_in_both, case.reasons)), 44),
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

# The cases at a glance, for a page across: twelve columns.
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
    """A passage, or a part of one that is longer than a cell holds; `at` counts from 1, up to `of`."""

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
    """Who took it, when, where, and what was taken."""
    if brought is None:
        return None
    seen_at = brought.seen_at.astimezone(CHINA).isoformat(sep=" ", timespec="seconds")
    return "\n".join(filter(None, (brought.by, seen_at, brought.app, brought.device, brought.note, *brought.files)))


def _reason_in_both(reason: str) -> str:
    return f"{reason_text_in('zh', reason)} {reason_text_in('en', reason)}"


def _problem_lines(case: CaseEntry) -> Iterator[str]:
    """Of the capture, and what the store has lost."""
    yield from map(_message_in_both, case.capture.problems)
    yield from (in_both_languages(f"case.{problem}") for problem in case.problems)


def _message_in_both(problem: Message) -> str:
    """Both languages; once what another program said."""
    return " ".join(dict.fromkeys((problem.text("zh"), problem.text("en"))))
