"""One file -> what it says, by its kind; an archive is what its files say together."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import PurePosixPath

from crawler.extract.files.document import Document, DocumentPart
from crawler.extract.files.epub import read_epub
from crawler.extract.files.file_kinds import FileKind, kind_of
from crawler.extract.files.mobi import read_mobi
from crawler.extract.files.pdf import read_pdf
from crawler.extract.files.picture_file import is_picture, read_picture
from crawler.extract.files.rtf import read_rtf
from crawler.extract.files.scanned_pages import with_scans
from crawler.extract.files.text import read_text
from crawler.extract.files.word import read_doc, read_docx
from crawler.extract.files.zip_archive import ZipArchive, opened, shown_name
from store.errors import BadInput, Unreadable
from store.messages import Message, message
from store.records import PictureText

READERS: Mapping[FileKind, Callable[[bytes], Document]] = {
    FileKind.PDF: read_pdf,
    FileKind.DOCX: read_docx,
    FileKind.DOC: read_doc,
    FileKind.RTF: read_rtf,
    FileKind.EPUB: read_epub,
    FileKind.MOBI: read_mobi,
}
INSIDE = (("word/document.xml", FileKind.DOCX), ("META-INF/container.xml", FileKind.EPUB))
FURNITURE = (".", "__MACOSX/")  # how the names of files begin that nobody packed
MOST_PICTURES = 60  # of one archive; each takes a second or two
SAID = 200  # characters of what a library says


def read_document(
    content: bytes, kind: FileKind, charset: str | None = None, scans: Mapping[str, PictureText] | None = None
) -> Document:
    """What a file of this kind says; charset: of plain text, by its server. scans: what is written on pages that show a
    picture alone, by their numbers; None, where nobody will read them. Raises `Unreadable`, saying why, for a file that
    is locked or broken, unpacks to more than any text would, or holds no text.
    """
    try:
        document = _read(content, kind, charset)
        if scans is not None:
            document = with_scans(document, scans)
    except Unreadable:
        raise
    except BadInput as error:  # another try helps nothing
        raise Unreadable(error.message.code, **error.message.figures) from None
    if not any(part.paragraphs for part in document.parts) and (scans is None or not document.scans):
        raise Unreadable("documents.no_text")
    return document


def _read(content: bytes, kind: FileKind, charset: str | None) -> Document:
    if kind is FileKind.TEXT:
        return read_text(content, charset)
    if kind is not FileKind.ZIP:
        return READERS[kind](content)
    with opened(content) as archive:
        names = {info.filename for info in archive.files}
        inside = next((inner for name, inner in INSIDE if name in names), None)
        return _of_archive(archive) if inside is None else READERS[inside](content)


def _picture(content: bytes, number: int) -> Document:
    """The picture of this number, from 1."""
    if number > MOST_PICTURES:
        raise Unreadable("documents.too_many_pictures", most=MOST_PICTURES)
    document = read_picture(content)
    return replace(document, parts=tuple(replace(part, number=number) for part in document.parts))


def _of_archive(archive: ZipArchive) -> Document:
    parts: list[DocumentPart] = []
    lost: list[Message] = []
    for name, read in _each(archive):
        if isinstance(read, Message):
            lost.append(message("documents.in_archive", name=name, reason=read))
        else:
            parts += (replace(part, file=name) for part in read.parts)
    if not parts:
        raise Unreadable("documents.nothing_in_archive")
    return Document(tuple(parts), lost=tuple(lost))


def _each(archive: ZipArchive) -> Iterator[tuple[str, Document | Message]]:
    """Each file that can be one of ours, with what it says or why that cannot be read."""
    pictures = count(1)
    for info in archive.files:
        name = shown_name(info)
        if name.startswith(FURNITURE) or PurePosixPath(name).name.startswith("."):
            continue
        try:
            content = archive.read(info)
            kind = kind_of(content, name)
            if kind is FileKind.ZIP and name.lower().endswith(".zip"):
                yield name, Message("importing.nested_archive")
            elif is_picture(content, name):
                yield name, _picture(content, next(pictures))
            elif kind is not None:
                yield name, read_document(content, kind)
        except BadInput as error:
            yield name, error.message
        except Exception as error:  # noqa: BLE001  libraries fail in any way over what nobody meant them to read
            yield name, message("reading.failed", error=f"{type(error).__name__}: {error}"[:SAID])
