"""A page read in a child process with bounds: by what the pipeline, the screens and the commands read any page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from crawler.extract.charset import header_charset
from crawler.extract.decipher import Deciphered
from crawler.extract.files.document import joined
from crawler.extract.files.kinds import called, file_kind
from crawler.extract.files.reading import read_document
from crawler.extract.page import ExtractedPage, extract
from crawler.extract.pictures.placing import places_in
from crawler.isolated.bounds import ReadingBounds
from crawler.isolated.child import read
from store.records import PictureText

# The largest and worst of real pages take a second and 300 MB; books of a thousand pages several.
BOUNDS = ReadingBounds(seconds=30, memory=1_500, output=128)
FILE_BOUNDS = ReadingBounds(seconds=180, memory=1_500, output=128)  # pictures take a second or two each


def read_page(
    body: bytes, headers: Sequence[tuple[str, str]], url: str, pictures: Mapping[str, PictureText] | None = None
) -> ExtractedPage:
    """As `extract_any`. Raises `Unreadable` for one that goes beyond the bounds, too."""
    bounds = BOUNDS if file_kind(body, headers, url) is None else FILE_BOUNDS
    page: ExtractedPage = read(
        "crawler.extract.read_page:extract_any", body, tuple(headers), url, pictures, bounds=bounds
    )
    return page


def read_deciphered(
    body: bytes, headers: Sequence[tuple[str, str]], url: str, known: Mapping[str, Mapping[str, str]], font: Path
) -> Deciphered:
    """As `crawler.extract.decipher.decipher`. Raises `Unreadable`."""
    found: Deciphered = read("crawler.extract.decipher:decipher", body, tuple(headers), url, known, font, bounds=BOUNDS)
    return found


def read_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """As `crawler.extract.whole_text.whole_text`. Raises `Unreadable`."""
    text: str = read("crawler.extract.whole_text:whole_text", body, tuple(headers), bounds=BOUNDS)
    return text


def extract_any(
    body: bytes, headers: Sequence[tuple[str, str]], url: str, pictures: Mapping[str, PictureText] | None = None
) -> ExtractedPage:
    """What a page says, be it a file or markup. Raises `Unreadable` for a file that cannot be read.

    pictures: what is written in its pictures; None, where nobody will read them. By their addresses; by the number of
    the page in a file.
    """
    kind = file_kind(body, headers, url)
    if kind is None:
        return extract(body, headers, url, pictures)
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
