"""How much of each case is printed: of few cases everything, of many what a reader looks for; of passages what fits."""

from collections.abc import Iterator, Sequence
from typing import Final

from dashboard.export.workbook_column import Column
from services.cases.passage_quotes import PassageQuote
from services.reporting.report_contents import CaseEntry

MOST: Final = 2_000  # cases of one report
FEW: Final = 200  # cases, up to which everything is told of each; of more, what a reader looks for
ROOM: Final = 600_000  # characters of passages that are printed, both sides of all cases together, of few cases
ROOM_OF_MANY: Final = 300_000  # each case has the same part of it: of memory Typst takes most for what stands in cells
_NEVER: Final = frozenset({"report.number", "report.passages", "evidence.headers"})
_BRIEFLY: Final = frozenset(
    {
        "report.status",
        "report.page_title",
        "report.page_url",
        "report.level",
        "report.share_of_page",
        "report.share_of_work",
        "report.similarity",
        "report.present",
        "report.decided_at",
        "report.decision",
        "report.deadline",
        "evidence.fetched_at",
        "evidence.problems",
    }
)


def is_brief(cases: int) -> bool:
    """Whether a report with so many cases tells less of each."""
    return cases > FEW


def room_of_each(cases: int) -> int:
    """The characters of passages, of both sides together, that are printed of each of so many cases."""
    return (ROOM_OF_MANY if is_brief(cases) else ROOM) // max(1, cases)


def printed_columns(columns: Sequence[Column[CaseEntry]], *, brief: bool) -> Iterator[Column[CaseEntry]]:
    """Those that are printed."""
    for column in columns:
        if column.heading in _BRIEFLY if brief else column.heading not in _NEVER:
            yield column


def fitting(passages: Sequence[PassageQuote], room: int) -> tuple[list[tuple[PassageQuote, int]], int]:
    """As many passages as there is room for, each with the characters of it that are shown on either side; how many
    characters of both sides are left out.
    """
    shown, left_out = [], 0
    for one in passages:
        length = max(len(one.page_text or ""), len(one.work_text or ""))
        fits = min(length, room // 2)
        if fits or not length:
            shown.append((one, fits))
        room -= 2 * fits
        left_out += sum(max(0, len(text or "") - fits) for text in (one.page_text, one.work_text))
    return shown, left_out
