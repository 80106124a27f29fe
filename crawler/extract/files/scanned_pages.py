"""Pages of a PDF that show a picture alone: rendered to be read, and what is written there put in their place."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pypdfium2

from crawler.extract.files.document import Document
from crawler.extract.files.pdf import read_pdf
from crawler.extract.pictures.character_recognition import lines_of
from crawler.extract.pictures.framing import drawn
from crawler.extract.pictures.pictures_in_text import paragraphs_in
from store.errors import Unreadable
from store.messages import message
from store.records import Box, PictureText

MOST_SCANS = 300  # pages of one document; each takes two seconds or three
WIDE = 1_240  # pixels: a page of A4 at 150 dots an inch
LONGEST_SIDE = 4_000  # pixels, of whatever shape a page is


def with_scans(document: Document, scans: Mapping[str, PictureText]) -> Document:
    """The document with what is written on its scanned pages; `Document.scans` are those that are still to be read."""
    wanted, beyond = document.scans[:MOST_SCANS], document.scans[MOST_SCANS:]
    known = {number: scans[str(number)] for number in wanted if str(number) in scans}
    parts = tuple(
        replace(part, paragraphs=paragraphs_in(known[part.number].lines)) if part.number in known else part
        for part in document.parts
    )
    lost = [
        message("documents.scan", number=number, reason=one.problem) for number, one in known.items() if one.problem
    ]
    if beyond:
        lost.append(message("documents.too_many_pictures", most=MOST_SCANS))
    return replace(
        document,
        parts=parts,
        lost=(*document.lost, *lost),
        scans=tuple(number for number in wanted if number not in known),
        pictures=tuple(known.values()),
    )


def read_scans(content: bytes, id: str, known: Collection[int]) -> Iterator[PictureText]:
    """What is written on the scanned pages of a PDF, but of those that are known; id: the document's SHA-256."""
    wanted = [number for number in read_pdf(content).scans[:MOST_SCANS] if number not in known]
    for number in wanted:
        try:
            lines, problem = lines_of(rendered(content, number)), None
        except Unreadable as error:
            lines, problem = (), error.message
        yield PictureText(id=scan_id(id, number), lines=lines, problem=problem)


def framed_scan(content: bytes, number: int, boxes: Sequence[Box]) -> bytes:
    """A page of a PDF as PNG, with frames around the boxes. Raises `Unreadable`."""
    return drawn(rendered(content, number), boxes)


def scan_id(id: str, number: int) -> str:
    """By which the reading of a page of a document is kept."""
    return f"{id}:{number}"


def rendered(content: bytes, number: int) -> Any:
    """The pixels of a page of a PDF, each blue, green, red. Raises `Unreadable`."""
    try:
        document = pypdfium2.PdfDocument(content)
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(WIDE / max(1.0, width), LONGEST_SIDE / max(1.0, height))
        pixels = page.render(scale=scale).to_numpy().copy()
        document.close()
    except pypdfium2.PdfiumError as error:
        raise Unreadable("documents.broken", kind="PDF", error=str(error)) from None
    return pixels
