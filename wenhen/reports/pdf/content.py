"""Choose and arrange what the PDF report prints."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Any, Final

from crawler.addresses import readable_host
from wenhen.cases.passages import FramedPicture, PassageQuote
from wenhen.evidence.wacz import MANIFEST_MEMBER
from wenhen.kit.errors import TooLarge
from wenhen.reports.columns import (
    CASE_COLUMNS,
    EVIDENCE_COLUMNS,
    Column,
    Mark,
    MarkedRun,
    in_both_languages,
    named_in_both,
)
from wenhen.reports.evidence_list import EvidenceItem, list_evidence
from wenhen.reports.model import CaseEntry, Report
from wenhen.reports.passages import mark_sides, passage_heading, picture_caption
from wenhen.reports.pdf.printable import WORKBOOK_FILE
from wenhen.reports.phrases import filter_line, format_printed, format_printed_cell, format_printed_time, note_lines
from wenhen.reports.wording import NO_VALUE, group_digits, report_languages
from wenhen.settings.notices_and_reports import ReportSettings

# How much of each case is printed: of few cases everything, of many what a reader looks for; of passages what fits.


MAX_PRINTED_CASES: Final = 2_000  # cases of one report
MAX_FULL_CASES: Final = 200  # cases, up to which everything is told of each; of more, what a reader looks for
MAX_PASSAGE_CHARACTERS: Final = (
    600_000  # characters of passages that are printed, both sides of all cases together, of few cases
)
MAX_BRIEF_PASSAGE_CHARACTERS: Final = (
    300_000  # each case has the same part of it: of memory Typst takes most for what stands in cells
)
_UNPRINTED_COLUMNS: Final = frozenset({"report.number", "report.passages", "evidence.headers"})
_BRIEF_COLUMNS: Final = frozenset(
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


def is_report_brief(cases: int) -> bool:
    """Whether a report with so many cases tells less of each."""
    return cases > MAX_FULL_CASES


def characters_per_case(cases: int) -> int:
    """The characters of passages, of both sides together, that are printed of each of so many cases."""
    return (MAX_BRIEF_PASSAGE_CHARACTERS if is_report_brief(cases) else MAX_PASSAGE_CHARACTERS) // max(1, cases)


def printed_columns(columns: Sequence[Column[CaseEntry]], *, brief: bool) -> Iterator[Column[CaseEntry]]:
    """Those that are printed."""
    for column in columns:
        if column.heading in _BRIEF_COLUMNS if brief else column.heading not in _UNPRINTED_COLUMNS:
            yield column


def fit_passages(passages: Sequence[PassageQuote], room: int) -> tuple[list[tuple[PassageQuote, int]], int]:
    """As many passages as there is room for, each with the characters of it that are shown on either side; how many
    characters of both sides are left out.
    """
    shown, left_out = [], 0
    for passage in passages:
        length = max(len(passage.page_text or ""), len(passage.work_text or ""))
        fits = min(length, room // 2)
        if fits or not length:
            shown.append((passage, fits))
        room -= 2 * fits
        left_out += sum(max(0, len(text or "") - fits) for text in (passage.page_text, passage.work_text))
    return shown, left_out


# What stands in the printed report, as plain strings in the order of the pages; `report.typ` says how it looks.


MAX_PICTURE_WIDTH, MAX_PICTURE_HEIGHT = 174.0, 220.0  # millimetres of a picture
_MAX_TITLE_CHARACTERS: Final = 120  # characters of a title in a list


def make_printed_content(report: Report, settings: ReportSettings) -> dict[str, Any]:
    """Everything that is printed. TooLarge for more than `MOST` cases."""
    if len(report.cases) > MAX_PRINTED_CASES:
        raise TooLarge(
            "reports.too_many_cases", count=group_digits(len(report.cases)), most=group_digits(MAX_PRINTED_CASES)
        )
    listed = list_evidence(report.cases)
    numbers = _evidence_numbers(listed)
    brief, room = is_report_brief(len(report.cases)), characters_per_case(len(report.cases))
    return {
        "words": {name: in_both_languages(f"print.{name}") for name in _PRINTED_WORDS},
        "title": in_both_languages("report.title"),
        "language": report_languages()[0],
        "letterhead": settings.letterhead,
        "colophon": settings.colophon,
        "facts": list(_cover_lines(report, settings)),
        "figures": list(_figure_lines(report)),
        "items": list(_listed_items(listed, brief=brief)),
        "legend": [[mark, in_both_languages(f"mark.{mark}")] for mark in Mark if mark is not Mark.SAME],
        "cases": [_case_content(case, numbers[case.number], room, brief=brief) for case in report.cases],
        "notes": note_lines(report, ("claim", "shares", "levels", "offsets", "digests", "times", "paper")),
        "workbook": WORKBOOK_FILE,
        "manifests": list(manifest_files(report)),
        "brief": brief,
    }


_PRINTED_WORDS: Final = (
    "contents",
    "summary",
    "evidence_list",
    "evidence_list_about",
    "item",
    "item_name",
    "source",
    "proves",
    "at",
    "signature",
    "signed_at",
    "legend",
    "passages",
    "evidence",
    "of_work",
    "of_page",
    "notes",
    "attached",
    "manifest",
)


def _cover_lines(report: Report, settings: ReportSettings) -> Iterator[tuple[str, str]]:
    yield in_both_languages("report.holder"), "、".join(report.holders) or settings.holder or NO_VALUE
    yield in_both_languages("report.contact"), settings.contact or NO_VALUE
    yield in_both_languages("report.generated_at"), format_printed_time(report.generated_at)
    yield in_both_languages("report.chosen_by"), filter_line(report)
    yield in_both_languages("report.total_cases"), group_digits(report.totals.cases)


def _figure_lines(report: Report) -> Iterator[tuple[str, str]]:
    totals = report.totals
    yield in_both_languages("report.total_cases"), group_digits(totals.cases)
    for group, counts in (("status", totals.by_status), ("level", totals.by_level)):
        yield from ((f"　{named_in_both(group, value)}", group_digits(count)) for value, count in counts.items())
    yield in_both_languages("report.total_works"), group_digits(totals.works)
    yield in_both_languages("report.total_hosts"), group_digits(totals.hosts)
    yield in_both_languages("report.total_passages"), group_digits(totals.passages)
    yield in_both_languages("report.total_characters"), group_digits(totals.copied_characters)


def _evidence_numbers(listed: Sequence[EvidenceItem]) -> dict[int, list[int]]:
    """The numbers of the evidence of each case."""
    numbers = defaultdict(list)
    for item in listed:
        for case in item.cases:
            numbers[case].append(item.number)
    return numbers


def _listed_items(items: Sequence[EvidenceItem], *, brief: bool) -> Iterator[dict[str, object]]:
    """Each item; in a long list what proves the same as the one above says so."""
    before = None
    for item in items:
        yield {
            "number": item.number,
            "name": item.name,
            "source": item.source or NO_VALUE,
            "proves": in_both_languages("print.as_above") if brief and item.proves == before else item.proves,
            "at": format_printed(item.at, "time"),
            "digest": item.digest,
            "cases": item.cases,
        }
        before = item.proves


def _case_content(case: CaseEntry, numbers: Sequence[int], room: int, *, brief: bool) -> dict[str, object]:
    passages, left_out = fit_passages(case.passages, room)
    return {
        "number": case.number,
        "title": f"{case.work_title[:_MAX_TITLE_CHARACTERS]} ← {readable_host(case.page_host)}",
        "items": list(numbers),
        "facts": list(_column_values(CASE_COLUMNS, case, brief=brief)),
        "evidence": list(_column_values(EVIDENCE_COLUMNS, case, brief=brief)),
        "passages": [_passage_content(case, quote, shown) for quote, shown in passages],
        "left_out": _left_out_note(left_out, brief=brief) if left_out else None,
    }


def _left_out_note(count: int, *, brief: bool) -> str:
    return in_both_languages("print.left_out_of_many" if brief else "print.left_out").format(count=group_digits(count))


def _column_values(columns: Sequence[Column[CaseEntry]], case: CaseEntry, *, brief: bool) -> Iterator[tuple[str, str]]:
    for column in printed_columns(columns, brief=brief):
        if (cell := format_printed_cell(column, case)) != NO_VALUE:
            yield in_both_languages(column.heading), cell


def manifest_files(report: Report) -> dict[str, bytes]:
    """The manifests of the cases' exhibits, by the names of the files that the content refers to."""
    shown = ((case.number, case.exhibit) for case in report.cases if case.exhibit)
    return {f"exhibit-{number}-{exhibit.id}-{MANIFEST_MEMBER}": exhibit.manifest for number, exhibit in shown}


def picture_files(report: Report) -> dict[str, bytes]:
    """The pictures that passages were read from, by the names of the files that the content refers to."""
    return {
        picture_file_name(case, passage, picture): picture.png
        for case in report.cases
        for passage in case.passages
        for picture in passage.pictures
    }


def picture_file_name(case: CaseEntry, passage: PassageQuote, picture: FramedPicture) -> str:
    """The name of its file."""
    return f"{case.number}-{passage.number}-{picture.number}.png"


def _picture_content(case: CaseEntry, passage: PassageQuote, picture: FramedPicture) -> dict[str, object]:
    width, height = unpack(">II", picture.png[16:24])  # PNG, 5.6 and 11.2.2: behind signature, length and name
    return {
        "file": picture_file_name(case, passage, picture),
        "told": picture_caption(passage, picture.number),
        "width": min(MAX_PICTURE_WIDTH, MAX_PICTURE_HEIGHT * width / height),
    }


def _passage_content(case: CaseEntry, quote: PassageQuote, shown: int) -> dict[str, object]:
    sides = mark_sides(quote)
    return {
        "heading": passage_heading(quote),
        "pictures": [_picture_content(case, quote, picture) for picture in quote.pictures],
        "page": _cut_runs(sides.page, shown),
        "work": _cut_runs(sides.work, shown),
    }


def _cut_runs(runs: Sequence[MarkedRun] | None, length: int) -> list[tuple[Mark, str]]:
    """The first runs, so many characters of them; a lost text is told as such."""
    if runs is None:
        return [(Mark.SAME, in_both_languages("print.lost"))]
    kept: list[tuple[Mark, str]] = []
    for mark, text in runs:
        if length <= 0:
            return [*kept, (Mark.SAME, "……")]
        kept.append((mark, text[:length]))
        length -= len(text)
    return kept
