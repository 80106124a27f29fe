"""Detect the kind of a file by signature, name and media type. Imports no parser."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from posixpath import basename, splitext
from urllib.parse import unquote, urlsplit

PICTURE_SIGNATURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"BM",
    b"RIFF",
)  # PNG, JPEG, BMP; WebP has its signature further on
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")


def is_picture_file(content: bytes, name: str) -> bool:
    """Tell whether a file is a picture, by its name and its signature."""
    return name.lower().endswith(PICTURE_ENDINGS) and content.startswith(PICTURE_SIGNATURES)


PAGE_ENDINGS = (".html", ".htm", ".xhtml")


def is_page_file(content: bytes, name: str) -> bool:
    """Tell whether a file is a page that a browser saved, by its name and its markup."""
    head = content[:TEXT_PROBE_BYTES].replace(b"\0", b"")
    return name.lower().endswith(PAGE_ENDINGS) and MARKUP_BEGINNING.search(head) is not None


# The kind of a file: by its signature, or for plain text and archives by its name.


class FileKind(StrEnum):
    """List the kinds of files that can be read."""

    PDF = "pdf"
    DOCX = "docx"
    DOC = "doc"
    RTF = "rtf"
    EPUB = "epub"
    MOBI = "mobi"
    MHT = "mht"
    TEXT = "txt"
    SRT = "srt"
    VTT = "vtt"
    WHISPER = "json"
    ZIP = "zip"


FILE_ENDINGS = {
    **{f".{kind}": kind for kind in FileKind if kind is not FileKind.WHISPER},  # most other JSON is no transcript
    ".mhtml": FileKind.MHT,
    ".azw": FileKind.MOBI,
    ".azw3": FileKind.MOBI,
    ".prc": FileKind.MOBI,
}
FILE_MEDIA_TYPES = frozenset((
    "application/pdf", "application/msword", "application/rtf", "text/rtf", "text/plain",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/epub+zip",
    "application/x-mobipocket-ebook", "application/vnd.amazon.ebook", "application/vnd.amazon.mobi8-ebook",
    "application/zip", "application/x-zip-compressed", "application/octet-stream",
))  # fmt: skip
TRANSCRIPT_ENDINGS = {".srt": FileKind.SRT, ".vtt": FileKind.VTT, ".json": FileKind.WHISPER}
WHISPER_LISTS = (b'"segments"', b'"transcription"')
ARCHIVE_KINDS = frozenset((FileKind.ZIP, FileKind.DOCX, FileKind.EPUB))
MISNAMED_KINDS = frozenset((FileKind.DOC, FileKind.RTF))  # programs use these names for anything that Word opens
UNSPECIFIC_TYPES = frozenset(
    ("", *(f".{ending}" for ending in ("php", "asp", "aspx", "jsp", "do", "cgi")))
)  # media types of downloads
FILE_SIGNATURES = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind.DOC),
    (b"{\\rtf", FileKind.RTF),
)
WORD_2003_XML = b"http://schemas.microsoft.com/office/word/2003/wordml"  # namespace of a document saved as XML
WORD_2003_ROOT = b":wordDocument"
PDF_SIGNATURE, PDF_PROBE_BYTES = b"%PDF-", 1024  # bytes (ISO 32000-1, appendix H)
ZIP_SIGNATURE = b"PK\x03\x04"
MOBI_SIGNATURE_SLICE, MOBI_SIGNATURES = slice(60, 68), (b"BOOKMOBI", b"TEXtREAd")
MIME_HEADERS = re.compile(rb"(?:mime-version|from|content-type)\s{0,9}:", re.IGNORECASE)
MIME_BODY = re.compile(rb"content-type:\s{0,99}(?:multipart/related|text/html)", re.IGNORECASE)
TEXT_MARGIN = b"\xef\xbb\xbf \t\r\n"  # may precede a signature in text
TEXT_PROBE_BYTES = 4096  # bytes in which a text holds no zeros, or is UTF-16
MARKUP_BEGINNING = re.compile(rb"<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


def detect_response_kind(body: bytes, headers: Sequence[tuple[str, str]], url: str) -> FileKind | None:
    """Return the kind of a response. Return None for a markup page and for an unreadable kind."""
    kind = detect_file_kind(body, *response_file_name(headers, url))
    return None if kind is FileKind.WHISPER else kind  # JSON at an address is read as a page


def detect_file_kind(content: bytes, name: str, media_type: str = "") -> FileKind | None:
    """Return the kind of a file, or None if it cannot be read. An archive counts as ZIP until it is opened."""
    if content[:TEXT_PROBE_BYTES].lstrip(TEXT_MARGIN).startswith(PDF_SIGNATURE) or PDF_SIGNATURE in _skip_prologue(
        content
    ):
        return FileKind.PDF
    if content[MOBI_SIGNATURE_SLICE] in MOBI_SIGNATURES:
        return FileKind.MOBI
    ending = splitext(name)[1].lower()
    if content.startswith(ZIP_SIGNATURE):
        named = ending in UNSPECIFIC_TYPES or FILE_ENDINGS.get(ending) in ARCHIVE_KINDS | MISNAMED_KINDS
        return FileKind.ZIP if named else None
    head = content[:TEXT_PROBE_BYTES].lstrip(TEXT_MARGIN)
    signed = next((kind for sign, kind in FILE_SIGNATURES if head.startswith(sign)), None)
    if signed is None and is_word_2003_xml(content):
        signed = FileKind.DOC
    if signed is not None:
        return signed
    if FILE_ENDINGS.get(ending) in MISNAMED_KINDS | {FileKind.MHT} and is_mime_page(content):
        return FileKind.MHT
    return _detect_text_kind(ending, media_type, content) if is_plain_text(content) else None


def is_word_2003_xml(content: bytes) -> bool:
    """Tell whether bytes are a document that Word 2003 saved as XML."""
    head = content[:TEXT_PROBE_BYTES]
    return WORD_2003_XML in head and WORD_2003_ROOT in head


def _detect_text_kind(ending: str, media_type: str, content: bytes) -> FileKind | None:
    if ending == ".txt" or (media_type == "text/plain" and ending in UNSPECIFIC_TYPES):
        return FileKind.TEXT
    kind = TRANSCRIPT_ENDINGS.get(ending)
    return None if kind is FileKind.WHISPER and not any(name in content for name in WHISPER_LISTS) else kind


def is_mime_page(content: bytes) -> bool:
    """Tell whether bytes are a page with its resources, as a MIME archive (RFC 2557)."""
    head = content[:TEXT_PROBE_BYTES].lstrip(TEXT_MARGIN)
    return MIME_HEADERS.match(head) is not None and MIME_BODY.search(head) is not None


def _skip_prologue(content: bytes) -> bytes:
    head = content[:PDF_PROBE_BYTES]
    match = MARKUP_BEGINNING.search(head)
    return head[: match.start()] if match else head


def is_plain_text(content: bytes) -> bool:
    """Tell whether bytes may be text without markup."""
    head = content[:TEXT_PROBE_BYTES]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return bool(head.strip()) and (wide or b"\0" not in head) and not MARKUP_BEGINNING.search(head.replace(b"\0", b""))


def response_file_name(headers: Sequence[tuple[str, str]], url: str) -> tuple[str, str]:
    """Return the name and the media type of a response. Content-Disposition takes precedence over the address."""
    first: dict[str, str] = {}
    for name, value in headers:
        if (small := name.lower()) in ("content-type", "content-disposition"):
            first.setdefault(small, value)
    stated, media_type = _parse_headers(first.get("content-type"), first.get("content-disposition"))
    return stated or basename(unquote(urlsplit(url).path)), media_type


@lru_cache(256)  # the pages of a host have the same headers
def _parse_headers(content_type: str | None, disposition: str | None) -> tuple[str | None, str]:
    """Return the file name and the media type in two headers."""
    from email.message import Message as Headers  # few responses have a file name

    parsed = Headers()
    for name, value in (("content-type", content_type), ("content-disposition", disposition)):
        if value is not None:
            parsed[name] = value
    stated = parsed.get_filename() if disposition is not None else None
    return stated, parsed.get_content_type() if content_type is not None else ""
