"""Represent a document as parts with paragraphs, and choose its title. Read plain text and documents saved as HTML."""

import email
import email.policy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.file_kinds import TEXT_MARGIN, TEXT_PROBE_BYTES, is_mime_page
from crawler.extraction.model import PartKind, PartStart, PictureText
from crawler.extraction.page_lines import extract_blocks
from crawler.extraction.parsing import bound_markup
from wenhen.kit.errors import Message, Unreadable


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Represent a page, a chapter or a whole file as paragraphs.

    number: from 1. file: its name inside an archive.
    """

    kind: PartKind
    number: int
    paragraphs: tuple[str, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Represent the content of a file.

    lost: what cannot be read, and why. scans: numbers of the pages that show a picture and no text. pictures: the text
    of the pictures that were read. garbled: why the stated text is unreadable, so that its pages must be read as
    pictures.
    """

    parts: tuple[DocumentPart, ...]
    title: str | None = None
    author: str | None = None
    charset: str = "utf-8"
    lost: tuple[Message, ...] = ()
    scans: tuple[int, ...] = ()
    pictures: tuple[PictureText, ...] = ()
    garbled: Message | None = None


def join_parts(parts: Sequence[DocumentPart]) -> tuple[str, tuple[PartStart, ...]]:
    """Return the text of all parts, one paragraph a line, and the start of each part. Empty parts are left out."""
    lines: list[str] = []
    starts: list[PartStart] = []
    length = 0
    for part in parts:
        if not part.paragraphs:
            continue
        starts.append(PartStart(length, part.kind, part.number, part.file))
        lines += part.paragraphs
        length += sum(map(len, part.paragraphs)) + len(part.paragraphs)
    return "\n".join(lines), tuple(starts)


def undivided_parts(text: str) -> tuple[DocumentPart, ...]:
    """Return a file without divisions as one part, one paragraph a line."""
    return (DocumentPart(PartKind.WHOLE, 1, split_paragraphs(text)),)


def split_paragraphs(text: str) -> tuple[str, ...]:
    """Return the non-empty lines of a text, without surrounding space and characters that no text holds."""
    lines = (" ".join(line.replace("\0", "").split()) for line in text.splitlines())
    return tuple(line.encode("utf-8", "replace").decode() for line in lines if line)


MAX_REPLACED_SHARE = 0.02  # of the characters; beyond it a file is not text in any charset that we know


def read_text_file(content: bytes, charset: str | None = None) -> Document:
    """Read plain text. Raises `Unreadable` for bytes that are no text.

    charset: as stated by the server.
    """
    decoded = decode_bytes(content, charset)
    bad = decoded.text.count("\N{REPLACEMENT CHARACTER}") + decoded.text.count("\0")
    if bad > MAX_REPLACED_SHARE * len(decoded.text):
        raise Unreadable("importing.not_text")
    return Document(undivided_parts(decoded.text), charset=decoded.charset)


# Placeholders of programs: a template's or program's name, a word for "untitled", a prefix to a file name.
_PROGRAM_PREFIX = re.compile(r"(?:Microsoft (?:Office )?(?:Word|PowerPoint|Excel)|WPS Writer|WPS 文字) ?[-–—] ?", re.I)
_PLACEHOLDER = re.compile(
    r"(?:Word|WPS|PowerPoint|Excel|Microsoft Word|Microsoft Office Word|Rich Text|PDF) ?(?:Document|文档|文稿|文件)"
    r"|(?:Document|Doc|文档|文件|文稿|Untitled|Unknown|Unnamed|无标题|無標題|未命名|标题|標題"
    r"|Title|No Title|\[No Title\])"
    r"[ _-]{0,3}\d{0,4}"
    r"|(?:新建|新規|New) ?(?:Microsoft )?(?:Office )?(?:Word|WPS|文本|RTF)? ?(?:文档|文件|Document)[ (（\d)）]{0,8}"
    r"|PowerPoint (?:演示文稿|Presentation)|演示文稿 ?\d{0,4}|幻灯片 ?\d{0,4}",
    re.IGNORECASE,
)
_FILE_ENDING = re.compile(r"\.(?:docx?|rtf|wps|odt|pdf|pptx?|xlsx?|txt|html?|dot|dotx|indd|qxd|p65|pmd)$", re.I)
MAX_TITLE_CHARACTERS = 200  # characters of a heading that is a title


def stated_title(title: str | None) -> str | None:
    """Return the title that a document states, or None for a placeholder."""
    words = " ".join((title or "").replace("\0", "").split())
    prefix = _PROGRAM_PREFIX.match(words)
    if prefix:
        words = words[prefix.end() :]
    if prefix or _FILE_ENDING.search(words):  # the name of a file
        words = _FILE_ENDING.sub("", words.rpartition("\\")[2].rpartition("/")[2]).strip()
    return None if not words or _PLACEHOLDER.fullmatch(words) else words


def heading_title(titles: Sequence[str], headings: Sequence[str]) -> str | None:
    """Return the first line in title style, or the only first-level heading. Several such headings name chapters."""
    title = titles[0] if titles else headings[0] if len(headings) == 1 else None
    return title if title is not None and len(title) <= MAX_TITLE_CHARACTERS else None


_PAGE_MARGIN = TEXT_MARGIN + b"\xff\xfe"
_MARKUP = re.compile(rb"<(?:!doctype html|html|head|meta|body|p|div|table|h[1-6])[\s>]", re.IGNORECASE)


def is_saved_page(content: bytes) -> bool:
    """Tell whether bytes are HTML, or an archive of a page."""
    head = content[:TEXT_PROBE_BYTES].replace(b"\0", b"").lstrip(_PAGE_MARGIN)
    return is_mime_page(content) or (head.startswith(b"<") and _MARKUP.search(head) is not None)


def read_saved_page(content: bytes) -> Document:
    """Read all text of the page, because a document has no boilerplate. Raises `Unreadable` for an archive without a
    page.
    """
    body, charset = _find_page(content) if is_mime_page(content) else (content, None)
    decoded = decode_bytes(body, charset)
    tree = LexborHTMLParser(bound_markup(decoded.text).replace("\0", ""))
    title = tree.css_first("title")
    lines = [line.text for line in extract_blocks(tree).lines]
    return Document(
        undivided_parts("\n".join(lines)),
        title=stated_title(title.text() if title else None),
        charset=decoded.charset,
    )


def _find_page(content: bytes) -> tuple[bytes, str | None]:
    """Return the first page of an archive, and the charset of its part."""
    archive = email.message_from_bytes(content.lstrip(TEXT_MARGIN), _class=EmailMessage, policy=email.policy.compat32)
    for part in archive.walk():
        if part.get_content_type() == "text/html":
            body = part.get_payload(decode=True)
            if isinstance(body, bytes):
                return body, part.get_content_charset()
    raise Unreadable("documents.broken", kind="MHT", error="no page in it")
