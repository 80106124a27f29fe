"""Read any document by its kind. Read an archive as all of its files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import PurePosixPath

from crawler.extraction.documents.document import Document, DocumentPart, is_saved_page, read_saved_page, read_text_file
from crawler.extraction.documents.ebooks import read_epub, read_mobi
from crawler.extraction.documents.file_kinds import (
    FILE_ENDINGS,
    MISNAMED_KINDS,
    TRANSCRIPT_ENDINGS,
    FileKind,
    detect_file_kind,
    is_picture_file,
    is_plain_text,
)
from crawler.extraction.documents.pdf import insert_scans, read_pdf
from crawler.extraction.documents.readability import find_garbling
from crawler.extraction.documents.rtf import read_rtf
from crawler.extraction.documents.transcripts import read_transcript
from crawler.extraction.documents.word import read_doc, read_docx
from crawler.extraction.documents.xml_parts import DEFAULT_MAIN_PART
from crawler.extraction.documents.zip_archive import ZipArchive, decode_member_name, is_packer_file, open_zip
from crawler.extraction.model import PartKind, PictureText
from crawler.extraction.ocr import recognize_picture
from crawler.extraction.pictures import join_picture_lines
from wenhen.kit.errors import BadInput, Message, Unreadable, message


def read_picture_file(content: bytes) -> Document:
    """Recognize the text of a picture. Raises `Unreadable` if it is no picture or OCR is not installed."""
    return Document((DocumentPart(PartKind.PICTURE, 1, join_picture_lines(recognize_picture(content))),))


# Readers by kind. An archive is the content of all its files.


DOCUMENT_READERS: Mapping[FileKind, Callable[[bytes], Document]] = {
    FileKind.PDF: read_pdf,
    FileKind.DOCX: read_docx,
    FileKind.DOC: read_doc,
    FileKind.RTF: read_rtf,
    FileKind.EPUB: read_epub,
    FileKind.MOBI: read_mobi,
    FileKind.MHT: read_saved_page,
}
BOOK_CONTAINER = "META-INF/container.xml"
PACKAGE_TYPES, WORD_FOLDER = "[Content_Types].xml", "word/"  # of a package whose main part has an unusual name
# Kinds whose reader may misinterpret bytes, so that the text is checked. PDF pages can still be rendered, plain text
# depends on its charset alone, and an archive is checked file by file.
GATED_KINDS = frozenset(FileKind) - {FileKind.PDF, FileKind.TEXT, FileKind.ZIP, *TRANSCRIPT_ENDINGS.values()}
MAX_ARCHIVE_PICTURES = 60  # of one archive; each takes a second or two
MAX_ERROR_CHARACTERS = 200  # characters of a library's error message


def read_document(
    content: bytes, kind: FileKind, charset: str | None = None, scans: Mapping[str, PictureText] | None = None
) -> Document:
    """Read a file of this kind.

    charset: of plain text, as the server states it. scans: the text of pages that only show a picture, by number. None
    if nobody will read them. Raises `Unreadable` with the reason for a file that is locked or broken, unpacks to more
    than any text would, or holds no text.
    """
    try:
        document = _read_by_kind(content, kind, charset)
        if kind in GATED_KINDS:
            require_readable([line for part in document.parts for line in part.paragraphs])
        if scans is not None:
            document = insert_scans(document, scans)
    except Unreadable:
        raise
    except BadInput as error:  # a retry does not help
        raise Unreadable(error.message.code, **error.message.figures) from None
    if not any(part.paragraphs for part in document.parts) and (scans is None or not document.scans):
        reason = document.garbled or message("documents.no_text")
        raise Unreadable(reason.code, **reason.figures)
    return document


def require_readable(paragraphs: Sequence[str]) -> None:
    """Raise `Unreadable` for paragraphs that do not read like text, so that garbled text is never stored."""
    if (reason := find_garbling(paragraphs)) is not None:
        raise Unreadable("documents.garbled", reason=reason)


def read_named_document(content: bytes, name: str) -> Document:
    """Read a file that a person chose, by its content first and by its name second. Raises as `read_document`."""
    called = FILE_ENDINGS[PurePosixPath(name).suffix.lower()]
    kind = detect_file_kind(content, name)
    if kind is None and called in MISNAMED_KINDS:
        if is_saved_page(content):
            kind = FileKind.MHT
        elif is_plain_text(content):
            kind = FileKind.TEXT
    return read_document(content, kind or called)


def _read_by_kind(content: bytes, kind: FileKind, charset: str | None) -> Document:
    if kind is FileKind.TEXT:
        return read_text_file(content, charset)
    if kind in TRANSCRIPT_ENDINGS.values():
        return read_transcript(content, kind, charset)
    if kind is not FileKind.ZIP:
        return DOCUMENT_READERS[kind](content)
    with open_zip(content) as archive:
        inside = _archived_kind(archive)
    if inside is not None:
        return read_document(content, inside)
    with open_zip(content) as archive:
        return _read_archive(archive)


def _archived_kind(archive: ZipArchive) -> FileKind | None:
    """Return the kind of a document that is an archive itself, or None for an archive of files."""
    if archive.has_part(BOOK_CONTAINER):
        return FileKind.EPUB
    is_word = archive.has_part(PACKAGE_TYPES) and archive.has_folder(WORD_FOLDER)
    return FileKind.DOCX if is_word or archive.has_part(DEFAULT_MAIN_PART) else None


def _read_archive_picture(content: bytes, number: int) -> Document:
    """Read the picture of this number, from 1."""
    if number > MAX_ARCHIVE_PICTURES:
        raise Unreadable("documents.too_many_pictures", most=MAX_ARCHIVE_PICTURES)
    document = read_picture_file(content)
    return replace(document, parts=tuple(replace(part, number=number) for part in document.parts))


def _read_archive(archive: ZipArchive) -> Document:
    parts: list[DocumentPart] = []
    lost: list[Message] = []
    for name, read in _iter_archive_files(archive):
        if isinstance(read, Message):
            lost.append(message("documents.in_archive", name=name, reason=read))
        else:
            parts += (replace(part, file=name) for part in read.parts)
    if not parts:
        raise Unreadable("documents.nothing_in_archive")
    return Document(tuple(parts), lost=tuple(lost))


def _iter_archive_files(archive: ZipArchive) -> Iterator[tuple[str, Document | Message]]:
    """Yield each readable file with its content, or with the reason why it cannot be read."""
    pictures = count(1)
    for info in archive.files:
        name = decode_member_name(info)
        if is_packer_file(name):
            continue
        try:
            content = archive.read(info)
            kind = detect_file_kind(content, name)
            if kind is FileKind.ZIP and name.lower().endswith(".zip"):
                yield name, Message("importing.nested_archive")
            elif is_picture_file(content, name):
                yield name, _read_archive_picture(content, next(pictures))
            elif kind is not None:
                yield name, read_document(content, kind)
        except BadInput as error:
            yield name, error.message
        except Exception as error:  # noqa: BLE001  libraries fail in any way over what nobody meant them to read
            yield name, message("reading.failed", error=f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS])
