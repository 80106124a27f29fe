"""A page of any kind, markup or file, as the bounded child reads it."""

from collections.abc import Mapping, Sequence

from crawler.extract.charset import decode, header_charset
from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.files.document import joined
from crawler.extract.files.file_kinds import called, file_kind
from crawler.extract.page import extract
from crawler.extract.pictures.pictures_in_text import places_in
from crawler.extract.scrolling.answer_page import extract_answer
from crawler.extract.scrolling.json_answer import json_of, may_be_json
from store.records import PictureText


def extract_any(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """What a page says, be it a file, JSON or markup. Raises `Unreadable` for a file that cannot be read.

    pictures: what is written in its pictures; None, where nobody will read them. By their addresses; by the number of
    the page in a file. text_at and styles: as for `extract`; files have none.
    """
    kind = file_kind(body, headers, url)
    if kind is None:
        if may_be_json(body):
            decoded = decode(body, header_charset(headers))
            if (value := json_of(decoded.text)) is not None:
                return extract_answer(value, decoded)
        return extract(body, headers, url, pictures, text_at, styles)
    from crawler.extract.files.file_to_text import read_document  # with the libraries of all the files there are

    document = read_document(body, kind, header_charset(headers), pictures)
    text, parts = joined(document.parts)
    return ExtractedPage(
        text=text,
        charset=document.charset,
        title=document.title or called(headers, url)[0] or None,
        author=document.author,
        parts=parts,
        lost=document.lost,
        pictures=places_in(text, document.pictures),
        scans=document.scans,
    )
