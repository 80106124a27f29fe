"""One case as a page that stands alone, for people without an account: no script, nothing fetched, no link.

What is read of a hostile page is text and nothing else: the template escapes it, and characters that would turn the
direction of writing or hide are told by their code point.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from dashboard.export.evidence_list import evidence_list
from dashboard.export.marked_changes import marked_sides
from dashboard.export.marked_runs import Mark, MarkedSides
from dashboard.export.passage_heading import passage_heading, picture_told
from dashboard.export.report_columns import CASES, EVIDENCE
from dashboard.export.report_notes import note_lines
from dashboard.export.values_on_paper import printed, printed_cell, printed_time
from dashboard.export.workbook_column import Column, both
from dashboard.frame.display import NOTHING
from services.cases.passage_quotes import PassageQuote
from services.reporting.report_contents import CaseEntry, Report
from store.errors import BadInput
from store.rules.visible_signs import in_signs

# What shows a run of text, for eyes by its line and weight, for readers aloud by its meaning.
_ELEMENTS: Final = {Mark.SOUND: "u", Mark.REPLACED: "strong", Mark.ADDED: "ins", Mark.LEFT_OUT: "del"}


class _Pair(NamedTuple):
    """A passage under its heading. pictures: that it was read from, as PNG in base64, each with what it shows."""

    heading: str
    sides: MarkedSides
    pictures: list[tuple[str, str]]


def to_html(report: Report) -> bytes:
    """The page in UTF-8; the same report gives the same bytes. BadInput unless the report holds one case."""
    if len(report.cases) != 1:
        raise BadInput("reports.one_case")
    (case,) = report.cases
    page = _template().render(
        both=both,
        case=case,
        elements=_ELEMENTS,
        generated_at=printed_time(report.generated_at),
        facts=list(_told(CASES, case)),
        evidence=list(_told(EVIDENCE[1:], case)),  # it begins with the number, as the facts do
        items=[(one, printed(one.at, "time")) for one in evidence_list(report.cases)],
        pairs=[_pair(one) for one in case.passages],
        notes=note_lines(report, ("claim", "shares", "levels", "offsets", "digests", "times", "signs")),
    )
    return page.encode()


@cache
def _template() -> Template:
    source = resources.files("dashboard.export").joinpath("case.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_in_signs
    )
    return environment.from_string(source)


def _pair(one: PassageQuote) -> _Pair:
    pictures = [(b64encode(picture.png).decode(), picture_told(one, picture.number)) for picture in one.pictures]
    return _Pair(passage_heading(one), marked_sides(one), pictures)


def _in_signs(value: object) -> str:
    return value if isinstance(value, Markup) else in_signs(str(value))  # what a macro made is done already


def _told(columns: Sequence[Column[CaseEntry]], case: CaseEntry) -> Iterator[tuple[str, str]]:
    for column in columns:
        if (cell := printed_cell(column, case)) != NOTHING:
            yield both(column.heading), cell
