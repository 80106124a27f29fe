"""What stands in the printed report, as plain strings in the order of the pages; `report.typ` says how it looks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Any, Final

from dashboard.export.evidence_list import EvidenceItem, evidence_list
from dashboard.export.filter_in_words import chosen_in_a_line
from dashboard.export.marked_changes import marked_sides
from dashboard.export.marked_runs import Mark, MarkedRun
from dashboard.export.passage_heading import passage_heading, picture_told
from dashboard.export.pdf import WORKBOOK
from dashboard.export.pdf.abridging import MOST, fitting, is_brief, printed_columns, room_of_each
from dashboard.export.report_columns import CASES, EVIDENCE
from dashboard.export.report_notes import note_lines
from dashboard.export.values_on_paper import printed, printed_cell, printed_time
from dashboard.export.workbook_column import Column, both, named
from dashboard.frame.display import NOTHING, grouped
from pipeline.setting_sections import ReportSettings
from services.cases.passage_places import FramedPicture
from services.cases.passage_quotes import PassageQuote
from services.evidence.package.manifest import MANIFEST
from services.reporting.report_contents import CaseEntry, Report
from store.errors import TooLarge

WIDEST, TALLEST = 174.0, 220.0  # millimetres of a picture
_TITLE: Final = 120  # characters of a title in a list


def content(report: Report, settings: ReportSettings) -> dict[str, Any]:
    """Everything that is printed. TooLarge for more than `MOST` cases."""
    if len(report.cases) > MOST:
        raise TooLarge("reports.too_many_cases", count=grouped(len(report.cases)), most=grouped(MOST))
    listed = evidence_list(report.cases)
    numbers = _numbers(listed)
    brief, room = is_brief(len(report.cases)), room_of_each(len(report.cases))
    return {
        "words": {name: both(f"print.{name}") for name in _WORDS},
        "title": both("report.title"),
        "facts": list(_cover(report, settings)),
        "figures": list(_figures(report)),
        "items": list(_listed(listed, brief=brief)),
        "legend": [[mark, both(f"mark.{mark}")] for mark in Mark if mark is not Mark.SAME],
        "cases": [_case(case, numbers[case.number], room, brief=brief) for case in report.cases],
        "notes": note_lines(report, ("claim", "shares", "levels", "offsets", "digests", "times", "paper")),
        "workbook": WORKBOOK,
        "manifests": list(manifests(report)),
        "brief": brief,
    }


_WORDS: Final = (
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


def _cover(report: Report, settings: ReportSettings) -> Iterator[tuple[str, str]]:
    yield both("report.holder"), "、".join(report.holders) or settings.holder or NOTHING
    yield both("report.contact"), settings.contact or NOTHING
    yield both("report.generated_at"), printed_time(report.generated_at)
    yield both("report.chosen_by"), chosen_in_a_line(report)
    yield both("report.total_cases"), grouped(report.totals.cases)


def _figures(report: Report) -> Iterator[tuple[str, str]]:
    totals = report.totals
    yield both("report.total_cases"), grouped(totals.cases)
    for group, counts in (("status", totals.by_status), ("level", totals.by_level)):
        yield from ((f"　{named(group, value)}", grouped(count)) for value, count in counts.items())
    yield both("report.total_works"), grouped(totals.works)
    yield both("report.total_hosts"), grouped(totals.hosts)
    yield both("report.total_passages"), grouped(totals.passages)
    yield both("report.total_characters"), grouped(totals.copied_characters)


def _numbers(listed: Sequence[EvidenceItem]) -> dict[int, list[int]]:
    """The numbers of the evidence of each case."""
    numbers = defaultdict(list)
    for one in listed:
        for case in one.cases:
            numbers[case].append(one.number)
    return numbers


def _listed(items: Sequence[EvidenceItem], *, brief: bool) -> Iterator[dict[str, object]]:
    """Each item; in a long list what proves the same as the one above says so."""
    before = None
    for one in items:
        yield {
            "number": one.number,
            "name": one.name,
            "source": one.source or NOTHING,
            "proves": both("print.as_above") if brief and one.proves == before else one.proves,
            "at": printed(one.at, "time"),
            "digest": one.digest,
            "cases": one.cases,
        }
        before = one.proves


def _case(case: CaseEntry, numbers: Sequence[int], room: int, *, brief: bool) -> dict[str, object]:
    passages, left_out = fitting(case.passages, room)
    return {
        "number": case.number,
        "title": f"{case.work_title[:_TITLE]} ← {case.page_host}",
        "items": list(numbers),
        "facts": list(_told(CASES, case, brief=brief)),
        "evidence": list(_told(EVIDENCE, case, brief=brief)),
        "passages": [_passage(case, one, shown) for one, shown in passages],
        "left_out": _left_out(left_out, brief=brief) if left_out else None,
    }


def _left_out(count: int, *, brief: bool) -> str:
    return both("print.left_out_of_many" if brief else "print.left_out").format(count=grouped(count))


def _told(columns: Sequence[Column[CaseEntry]], case: CaseEntry, *, brief: bool) -> Iterator[tuple[str, str]]:
    for column in printed_columns(columns, brief=brief):
        if (cell := printed_cell(column, case)) != NOTHING:
            yield both(column.heading), cell


def manifests(report: Report) -> dict[str, bytes]:
    """The manifests of the cases' exhibits, by the names of the files that the content refers to."""
    shown = ((case.number, case.exhibit) for case in report.cases if case.exhibit)
    return {f"exhibit-{number}-{one.id}-{MANIFEST}": one.manifest for number, one in shown}


def pictures(report: Report) -> dict[str, bytes]:
    """The pictures that passages were read from, by the names of the files that the content refers to."""
    return {
        picture_file(case, one, picture): picture.png
        for case in report.cases
        for one in case.passages
        for picture in one.pictures
    }


def picture_file(case: CaseEntry, passage: PassageQuote, picture: FramedPicture) -> str:
    """The name of its file."""
    return f"{case.number}-{passage.number}-{picture.number}.png"


def _picture(case: CaseEntry, passage: PassageQuote, picture: FramedPicture) -> dict[str, object]:
    width, height = unpack(">II", picture.png[16:24])  # PNG, 5.6 and 11.2.2: behind signature, length and name
    return {
        "file": picture_file(case, passage, picture),
        "told": picture_told(passage, picture.number),
        "width": min(WIDEST, TALLEST * width / height),
    }


def _passage(case: CaseEntry, one: PassageQuote, shown: int) -> dict[str, object]:
    sides = marked_sides(one)
    return {
        "heading": passage_heading(one),
        "pictures": [_picture(case, one, picture) for picture in one.pictures],
        "page": _cut(sides.page, shown),
        "work": _cut(sides.work, shown),
    }


def _cut(runs: Sequence[MarkedRun] | None, length: int) -> list[tuple[Mark, str]]:
    """The first runs, so many characters of them; a lost text is told as such."""
    if runs is None:
        return [(Mark.SAME, both("print.lost"))]
    kept: list[tuple[Mark, str]] = []
    for mark, text in runs:
        if length <= 0:
            return [*kept, (Mark.SAME, "……")]
        kept.append((mark, text[:length]))
        length -= len(text)
    return kept
