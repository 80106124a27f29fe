"""The writing in a page's pictures, put where they stand on the page, and found again in its text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.pictures.picture_addresses import address_of
from store.records import Box, PictureLine, PictureText

APART = 2_000  # characters between two lines of a page's pictures, at most; a line farther on is another's


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """Code points of a text that were read from a picture. number: of the picture on the page, from 1; line: from 1."""

    start: int
    end: int
    picture: str  # the id of its `PictureText`
    number: int
    line: int
    box: Box


def put_in(tree: LexborHTMLParser, base: str, readings: Mapping[str, PictureText]) -> list[PictureText]:
    """Put what is written in pictures before them, a paragraph each; what was put, in the order of the page.

    readings: by the addresses of the pictures.
    """
    put: list[PictureText] = []
    for node in tree.css("img") if readings else ():
        reading = readings.get(address_of(node.attributes, base) or "")
        if reading is None or not reading.lines or reading in put:
            continue
        put.append(reading)
        before = _outside_of_links(node)
        for said in paragraphs_in(reading.lines):
            paragraph = tree.create_node("p")
            paragraph.insert_child(said)
            before.insert_before(paragraph)
    return put


def paragraphs_in(lines: Sequence[PictureLine]) -> tuple[str, ...]:
    """The lines of a picture joined to paragraphs."""
    paragraphs: list[str] = []
    for line in lines:
        if line.begins or not paragraphs:
            paragraphs.append(line.text)
        else:
            apart = " " if (paragraphs[-1][-1] + line.text[0]).isascii() else ""
            paragraphs[-1] += apart + line.text
    return tuple(paragraphs)


def places_in(text: str, pictures: Sequence[PictureText]) -> tuple[PicturePlace, ...]:
    """Where in a page's text the lines of its pictures stand, those that are no part of it left out."""
    return tuple(_places(text, pictures))


def _places(text: str, pictures: Sequence[PictureText]) -> Iterator[PicturePlace]:
    at = 0
    for number, picture in enumerate(pictures, 1):
        for place, line in enumerate(picture.lines, 1):
            start = text.find(line.text, at, at + APART + len(line.text) if at else len(text))
            if start >= 0:
                at = start + len(line.text)
                yield PicturePlace(start, at, picture.id, number, place, line.box)


def _outside_of_links(node: LexborNode) -> LexborNode:
    """What stands in a link is no text of a page."""
    above = node
    while above.parent is not None and above.parent.tag not in ("body", "html", "-undef"):
        if above.parent.tag == "a":
            node = above.parent
        above = above.parent
    return node
