"""Read documents saved as HTML, alone or in a MIME archive (RFC 2557), whatever their names."""

import email
import email.policy
import re
from email.message import EmailMessage

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.document import Document, undivided_parts
from crawler.extraction.documents.file_kinds import TEXT_MARGIN, TEXT_PROBE_BYTES, is_mime_page
from crawler.extraction.documents.titles import stated_title
from crawler.extraction.page_lines import extract_blocks
from crawler.extraction.parsing import bound_markup
from wenhen.kit.errors import Unreadable

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
