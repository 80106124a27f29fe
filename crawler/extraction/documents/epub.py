"""Read EPUB by its spine (EPUB 3.3). Handle malformed books as reading programs do."""

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import unquote

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.book_markup import parse_chapter
from crawler.extraction.documents.document import Document, DocumentPart
from crawler.extraction.documents.titles import stated_title
from crawler.extraction.documents.xml_parts import XmlElement, local_name, parse_xml
from crawler.extraction.documents.zip_archive import ZipArchive, decode_member_name, open_zip
from crawler.extraction.model import PartKind
from wenhen.kit.errors import BadInput, Message, TooLarge, Unreadable, message

CONTAINER_PART, ENCRYPTION_PART = "META-INF/container.xml", "META-INF/encryption.xml"
_CHAPTER_TYPES: Final = frozenset(
    ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
)
_CHAPTER_ENDINGS: Final = (".xhtml", ".html", ".htm", ".xml")
# Algorithms that obfuscate only fonts, so that nobody extracts them from a book. The text is not encrypted.
_FONT_ALGORITHMS: Final = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))


@dataclass(frozen=True, slots=True)
class BookChapter:
    """Represent a spine document with text. path: its place in the archive. number: from 1."""

    number: int
    path: str
    heading: str | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EpubBook:
    """Represent an open book. Its chapters are read on demand, and `lost` collects the unreadable ones."""

    title: str | None
    author: str | None
    chapters: Iterator[BookChapter]
    lost: list[Message]


@contextmanager
def open_epub(content: bytes) -> Iterator[EpubBook]:
    """Open a book.

    Raises `BadInput` for a broken or protected book, also while its chapters are read. A single broken chapter is only
    lost.
    """
    with open_zip(content) as archive:
        path = _find_package_path(archive)
        package = parse_xml(archive.read_part(path))
        if package is None:
            raise BadInput("importing.bad_epub", path=path, error="no XML")
        lost: list[Message] = []
        yield EpubBook(
            stated_title(_metadata(package, "title")),
            _metadata(package, "creator"),
            _read_chapters(archive, list(dict.fromkeys(_spine_paths(archive, package, path))), lost),
            lost,
        )


def read_epub(content: bytes) -> Document:
    """Read all chapters."""
    with open_epub(content) as book:
        parts = tuple(DocumentPart(PartKind.CHAPTER, chapter.number, chapter.paragraphs) for chapter in book.chapters)
        return Document(parts, title=book.title, author=book.author, lost=tuple(book.lost))


def _read_chapters(archive: ZipArchive, paths: Iterable[str], lost: list[Message]) -> Iterator[BookChapter]:
    number = 0
    failure: BadInput | None = None
    encrypted = _encrypted_paths(archive)
    for path in paths:
        try:
            if path.casefold() in encrypted:
                raise Unreadable("documents.drm")
            content = archive.read_part(path)
        except TooLarge:  # a decompression bomb is not a book
            raise
        except BadInput as error:
            failure = failure or error
            lost.append(message("documents.in_archive", name=path, reason=error))
            continue
        blank = not content.strip()
        heading, paragraphs = (None, ()) if blank else parse_chapter(decode_bytes(content).text, xhtml=True)
        if paragraphs:  # a cover or a title page has none
            number += 1
            yield BookChapter(number, path, heading, paragraphs)
    if not number:
        raise failure or BadInput("importing.empty_book")


def _encrypted_paths(archive: ZipArchive) -> frozenset[str]:
    """Return the paths that digital rights management has encrypted, in lower case."""
    root = _parse_part(archive, ENCRYPTION_PART)
    encrypted = () if root is None else (element for element in root.iter() if local_name(element) == "EncryptedData")
    return frozenset(path.casefold() for data in encrypted for path in _encrypted_path(data))


def _encrypted_path(data: XmlElement) -> Iterator[str]:
    algorithm = next(
        (element.get("Algorithm") for element in data.iter() if local_name(element) == "EncryptionMethod"), ""
    )
    if algorithm not in _FONT_ALGORITHMS:
        for reference in data.iter():
            if local_name(reference) == "CipherReference" and reference.get("URI"):
                yield _resolve("", reference.get("URI"))


def _find_package_path(archive: ZipArchive) -> str:
    """Return the package path in the container, or else the first package in the archive."""
    root = _parse_part(archive, CONTAINER_PART)
    named = (
        ()
        if root is None
        else (element.get("full-path") for element in root.iter() if local_name(element) == "rootfile")
    )
    paths = [_resolve("", path) for path in named if path]
    names = [decode_member_name(info) for info in archive.files]
    paths += [name for name in names if name.lower().endswith(".opf")]
    path = next((path for path in paths if archive.has_part(path)), None)
    if path is None:
        raise BadInput("importing.no_package")
    return path


def _parse_part(archive: ZipArchive, path: str) -> XmlElement | None:
    try:
        return parse_xml(archive.read_part(path))
    except TooLarge:
        raise
    except BadInput:
        return None


def _metadata(package: XmlElement, name: str) -> str | None:
    for element in package.iter():
        if local_name(element).lower() == name and (words := " ".join(unescape("".join(element.itertext())).split())):
            return words
    return None


def _spine_paths(archive: ZipArchive, package: XmlElement, package_path: str) -> Iterator[str]:
    """Yield the paths in the order of the spine, or else of the manifest, or else of the archive."""
    folder = posixpath.dirname(package_path)
    items = {element.get("id"): element for element in package.iter() if local_name(element) == "item"}
    spine = [element.get("idref") for element in package.iter() if local_name(element) == "itemref"]
    chapters = [id for id, item in items.items() if item.get("media-type") in _CHAPTER_TYPES]
    paths = [
        _resolve(folder, items[id].get("href") or "") if id in items else id  # a missing one is reported as lost
        for id in (spine or chapters)
        if id and (id not in items or not _is_picture(items[id]))
    ]
    if paths:
        yield from paths
        return
    names = [decode_member_name(info) for info in archive.files]
    yield from (name for name in names if name.lower().endswith(_CHAPTER_ENDINGS) and not name.startswith("META-INF/"))


def _is_picture(item: XmlElement) -> bool:
    kind = item.get("media-type") or ""
    return kind.startswith("image/") and kind != "image/svg+xml"


def _resolve(folder: str, href: str) -> str:
    """Return the archive path of a reference."""
    path = unquote(href.partition("#")[0]).replace("\\", "/")
    return path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(folder, path))
