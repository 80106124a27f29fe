"""An e-book by its spine (EPUB 3.3, https://www.w3.org/TR/epub-33/)."""

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from crawler.extract.charset import decode
from crawler.extract.files.document import Document, DocumentPart, PartKind
from crawler.extract.files.markup import chapter_of
from crawler.extract.files.zip_archive import ZipArchive, opened
from store.errors import BadInput, TooLarge
from store.messages import Message, message

_NAMES = {
    "c": "urn:oasis:names:tc:opendocument:xmlns:container",
    "o": "http://www.idpf.org/2007/opf",
    "d": "http://purl.org/dc/elements/1.1/",
}


@dataclass(frozen=True, slots=True)
class BookChapter:
    """A document of the spine that holds text; path: its place in the archive, number: from 1."""

    number: int
    path: str
    heading: str | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EpubBook:
    """A book that is open; its chapters are read as they are asked for, and `lost` fills with them."""

    title: str | None
    author: str | None
    chapters: Iterator[BookChapter]
    lost: list[Message]


@contextmanager
def opened_book(content: bytes) -> Iterator[EpubBook]:
    """Raises `BadInput` for a broken or protected book, also while its chapters are read; one of them that is broken by
    itself is lost alone.
    """
    with opened(content) as archive:
        package_path = _package_path(archive)
        package = _xml(archive, package_path)
        lost: list[Message] = []
        yield EpubBook(
            package.findtext(".//d:title", namespaces=_NAMES),
            package.findtext(".//d:creator", namespaces=_NAMES),
            _chapters(archive, dict.fromkeys(_spine(package, package_path)), lost),
            lost,
        )


def read_epub(content: bytes) -> Document:
    """All chapters."""
    with opened_book(content) as book:
        parts = tuple(DocumentPart(PartKind.CHAPTER, one.number, one.paragraphs) for one in book.chapters)
        return Document(parts, title=book.title, author=book.author, lost=tuple(book.lost))


def _chapters(archive: ZipArchive, paths: Iterable[str], lost: list[Message]) -> Iterator[BookChapter]:
    number = 0
    broken: BadInput | None = None
    for path in paths:
        try:
            content = archive.read(path)
        except TooLarge:  # a bomb is no book
            raise
        except BadInput as error:
            broken = broken or error
            lost.append(message("documents.in_archive", name=path, reason=error))
            continue
        heading, paragraphs = chapter_of(decode(content).text) if content.strip() else (None, ())
        if paragraphs:  # a cover or a title page has none
            number += 1
            yield BookChapter(number, path, heading, paragraphs)
    if not number:
        raise broken or BadInput("importing.empty_book")


def _package_path(archive: ZipArchive) -> str:
    path = _xml(archive, "META-INF/container.xml").xpath("string(//c:rootfile/@full-path)", namespaces=_NAMES)
    if not path:
        raise BadInput("importing.no_package")
    return str(path)


def _spine(package: etree._Element, package_path: str) -> Iterator[str]:
    manifest = {item.get("id"): item.get("href") for item in package.iterfind(".//o:manifest/o:item", _NAMES)}
    for reference in package.iterfind(".//o:spine/o:itemref", _NAMES):
        href = manifest.get(reference.get("idref"))
        if href:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(href)))


def _xml(archive: ZipArchive, path: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(archive.read(path), parser)
    except etree.XMLSyntaxError as error:
        raise BadInput("importing.bad_epub", path=path, error=str(error)) from None
