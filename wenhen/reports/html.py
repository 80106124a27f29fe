"""Write the report of one case as a self-contained HTML page.

Text from pages is untrusted. The template escapes it, and shows bidirectional and invisible characters by code point.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from wenhen.cases.passages import PassageQuote
from wenhen.kit.errors import BadInput
from wenhen.kit.text import escape_invisible
from wenhen.reports.columns import CASE_COLUMNS, EVIDENCE_COLUMNS, Column, Mark, MarkedSides, in_both_languages
from wenhen.reports.evidence_list import list_evidence
from wenhen.reports.model import CaseEntry, Report
from wenhen.reports.passages import mark_sides, passage_heading, picture_caption
from wenhen.reports.phrases import format_printed, format_printed_cell, format_printed_time, note_lines
from wenhen.reports.wording import NO_VALUE

# HTML elements for styles, with a meaning for screen readers.
_MARK_ELEMENTS: Final = {Mark.SOUND: "u", Mark.REPLACED: "strong", Mark.ADDED: "ins", Mark.LEFT_OUT: "del"}


class _Pair(NamedTuple):
    """A passage with its heading.

    pictures: pairs of PNG in base64 and caption.
    """

    heading: str
    sides: MarkedSides
    pictures: list[tuple[str, str]]


def to_html(report: Report) -> bytes:
    """Return the page in UTF-8. Equal reports give equal bytes.

    Raises `BadInput` unless the report has exactly one case.
    """
    if len(report.cases) != 1:
        raise BadInput("reports.one_case")
    (case,) = report.cases
    page = _html_template().render(
        both=in_both_languages,
        case=case,
        elements=_MARK_ELEMENTS,
        generated_at=format_printed_time(report.generated_at),
        facts=list(_column_values(CASE_COLUMNS, case)),
        evidence=list(_column_values(EVIDENCE_COLUMNS[1:], case)),  # without the number, which is in the facts
        items=[(item, format_printed(item.at, "time")) for item in list_evidence(report.cases)],
        pairs=[_make_pair(passage) for passage in case.passages],
        notes=note_lines(report, ("claim", "shares", "levels", "offsets", "digests", "times", "signs")),
    )
    return page.encode()


@cache
def _html_template() -> Template:
    source = resources.files(__package__).joinpath("case.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_visible_text
    )
    return environment.from_string(source)


def _make_pair(quote: PassageQuote) -> _Pair:
    pictures = [(b64encode(picture.png).decode(), picture_caption(quote, picture.number)) for picture in quote.pictures]
    return _Pair(passage_heading(quote), mark_sides(quote), pictures)


def _visible_text(value: object) -> str:
    return value if isinstance(value, Markup) else escape_invisible(str(value))  # macro output is already escaped


def _column_values(columns: Sequence[Column[CaseEntry]], case: CaseEntry) -> Iterator[tuple[str, str]]:
    for column in columns:
        if (cell := format_printed_cell(column, case)) != NO_VALUE:
            yield in_both_languages(column.heading), cell
