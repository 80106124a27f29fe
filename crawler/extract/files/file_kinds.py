"""What kind of file bytes are: by how they begin, and of plain text and archives by what they are called."""

import re
from collections.abc import Sequence
from enum import StrEnum
from posixpath import basename, splitext
from urllib.parse import unquote, urlsplit


class FileKind(StrEnum):
    """What can be read."""

    PDF = "pdf"
    DOCX = "docx"
    DOC = "doc"
    RTF = "rtf"
    EPUB = "epub"
    MOBI = "mobi"
    TEXT = "txt"
    ZIP = "zip"


ENDINGS = {
    **{f".{kind}": kind for kind in FileKind},
    ".azw": FileKind.MOBI,
    ".azw3": FileKind.MOBI,
    ".prc": FileKind.MOBI,
}
MEDIA_TYPES = frozenset((
    "application/pdf", "application/msword", "application/rtf", "text/rtf", "text/plain",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/epub+zip",
    "application/x-mobipocket-ebook", "application/vnd.amazon.ebook", "application/vnd.amazon.mobi8-ebook",
    "application/zip", "application/x-zip-compressed", "application/octet-stream",
))  # fmt: skip
ARCHIVES = frozenset((FileKind.ZIP, FileKind.DOCX, FileKind.EPUB))
UNNAMED = frozenset(
    ("", *(f".{ending}" for ending in ("php", "asp", "aspx", "jsp", "do", "cgi")))
)  # what hands files out
SIGNS = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind.DOC),
    (b"{\\rtf", FileKind.RTF),
)
PDF_SIGN, PDF_WITHIN = b"%PDF-", 1024  # bytes (ISO 32000-1, appendix H)
ZIP_SIGN = b"PK\x03\x04"
BOOKS, BOOK_SIGN = slice(60, 68), (b"BOOKMOBI", b"TEXtREAd")
HEAD = 4096  # bytes in which a text holds no zeros, or is UTF-16
MARKUP = re.compile(rb"<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


def file_kind(body: bytes, headers: Sequence[tuple[str, str]], url: str) -> FileKind | None:
    """The kind of a response; None for a page of markup, and for what cannot be read."""
    return kind_of(body, *called(headers, url))


def kind_of(content: bytes, name: str, media_type: str = "") -> FileKind | None:
    """None for what is no file that can be read. An archive is a ZIP until it is opened."""
    if content[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(PDF_SIGN) or PDF_SIGN in _before_markup(content):
        return FileKind.PDF
    if content[BOOKS] in BOOK_SIGN:
        return FileKind.MOBI
    ending = splitext(name)[1].lower()
    if content.startswith(ZIP_SIGN):
        named = ending in UNNAMED or ENDINGS.get(ending) in ARCHIVES
        return FileKind.ZIP if named else None
    for sign, kind in SIGNS:
        if content.startswith(sign):
            return kind
    called = ending == ".txt" or (media_type == "text/plain" and ending in UNNAMED)
    return FileKind.TEXT if called and _is_text(content) else None


def _before_markup(content: bytes) -> bytes:
    head = content[:PDF_WITHIN]
    found = MARKUP.search(head)
    return head[: found.start()] if found else head


def _is_text(content: bytes) -> bool:
    head = content[:HEAD]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return bool(head.strip()) and (wide or b"\0" not in head) and not MARKUP.search(head.replace(b"\0", b""))


def called(headers: Sequence[tuple[str, str]], url: str) -> tuple[str, str]:
    """The name and the media type of a response: that of its Content-Disposition before that of its address."""
    from email.message import Message as Headers  # few say what they are called

    parsed = Headers()
    for name, value in headers:
        if name.lower() in ("content-type", "content-disposition") and name not in parsed:
            parsed[name] = value
    stated = parsed.get_filename() if "content-disposition" in parsed else None
    media_type = parsed.get_content_type() if "content-type" in parsed else ""
    return stated or basename(unquote(urlsplit(url).path)), media_type
