"""Parse reply mails and delivery reports. This module runs in the sandboxed child process."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import Header, decode_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from wenhen.notices.model import DeliveryState

MAX_REPLY_CHARACTERS: Final = 20_000  # characters of the text
_MAX_HEADER_CHARACTERS: Final = 300  # characters of a header
_MAX_PARTS: Final = 200  # MIME parts to process
_MAX_NAMES: Final = 50  # names of attachments
_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,900}>")
_HIDDEN_ELEMENTS: Final = "head, style, script, template"
_BLOCK_ELEMENTS: Final = "br, p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre"
_LARGER_CHARSETS: Final = {"gb2312": "gb18030", "gbk": "gb18030", "unknown-8bit": "gb18030"}
_DELIVERY_STATES: Final = {
    "delivered": DeliveryState.DELIVERED,
    "relayed": DeliveryState.RELAYED,
    "expanded": DeliveryState.RELAYED,
    "delayed": DeliveryState.DELAYED,
    "failed": DeliveryState.FAILED,
}


@dataclass(frozen=True, slots=True)
class AddressReport:
    """The status of one recipient in a delivery report."""

    state: DeliveryState
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMail:
    """A parsed mail.

    refers: Message-IDs that it answers or returns.
    automatic: whether it was generated automatically.
    told: recipients in a delivery report.
    """

    sender: str
    subject: str
    sent_at: datetime | None
    text: str
    refers: tuple[str, ...]
    attachments: tuple[str, ...]
    automatic: bool
    told: tuple[AddressReport, ...]


def parse_mail(content: bytes) -> ParsedMail:
    """Parse a mail. Missing or malformed fields are empty."""
    mail = message_from_bytes(content)
    parts = _content_parts(mail)
    reports = tuple(
        report
        for part in parts
        if part.get_content_type() == "message/delivery-status"
        for report in _address_reports(part)
    )
    return ParsedMail(
        sender=_header_text(mail["From"]),
        subject=_header_text(mail["Subject"]),
        sent_at=_parse_date(mail["Date"]),
        text=_mail_text(parts),
        refers=tuple(dict.fromkeys(_referred_ids(mail, parts, reports))),
        attachments=tuple(name for part in parts if (name := _header_text(part.get_filename())))[:_MAX_NAMES],
        automatic=bool(reports)
        or _header_text(mail["Auto-Submitted"]).partition(";")[0].strip().lower() not in ("", "no"),
        told=reports,
    )


def _content_parts(mail: Message) -> list[Message]:
    """Return the leaf MIME parts, without the parts of enclosed mails."""
    messages: list[Message] = []
    waiting = [mail]
    while waiting and len(messages) < _MAX_PARTS:
        part = waiting.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            waiting += [part for part in reversed(inner[:_MAX_PARTS]) if isinstance(part, Message)]
        else:
            messages.append(part)
    return messages


def _mail_text(parts: list[Message]) -> str:
    """Return the plain text, or else the text of the HTML part."""
    shown = [part for part in parts if part.get_content_disposition() != "attachment"]
    for kind, read in (("text/plain", str), ("text/html", _html_text)):
        texts = [read(_decode_part(part)).strip() for part in shown if part.get_content_type() == kind]
        if text := "\n\n".join(filter(None, texts)):
            return text.replace("\r\n", "\n").replace("\0", "")[:MAX_REPLY_CHARACTERS]
    return ""


def _html_text(html: str) -> str:
    tree = LexborHTMLParser(html)
    for node in tree.css(_HIDDEN_ELEMENTS):
        node.decompose()
    for node in tree.css(_BLOCK_ELEMENTS):
        node.insert_before("\n")
        node.insert_after("\n")
    lines = (" ".join(line.split()) for line in (tree.body.text() if tree.body else "").splitlines())
    return "\n".join(filter(None, lines))


def _decode_part(part: Message) -> str:
    content = part.get_payload(decode=True)
    return _decode_bytes(content, part.get_content_charset()) if isinstance(content, bytes) else ""


def _decode_bytes(content: bytes, charset: str | None) -> str:
    """Decode bytes. GB18030 replaces gb2312 and gbk, because mails often declare a subset of their charset.

    Without a charset, try UTF-8 before GB18030.
    """
    name = (charset or "unknown-8bit").lower()
    with suppress(LookupError, ValueError):
        return content.decode("utf-8" if name == "unknown-8bit" else _LARGER_CHARSETS.get(name, name))
    return content.decode(_LARGER_CHARSETS.get(name, "utf-8"), "replace")


def _header_text(value: str | Header | None) -> str:
    """Decode a header to one line."""
    if value is None:
        return ""
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        pieces = [(str(value), None)]
    text = "".join(piece if isinstance(piece, str) else _decode_bytes(piece, charset) for piece, charset in pieces)
    return " ".join(text.encode("utf-8", "replace").decode().replace("\0", "").split())[:_MAX_HEADER_CHARACTERS]


def _parse_date(value: str | Header | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(str(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return moment if moment.tzinfo and moment.year > 1 else None


def _referred_ids(mail: Message, parts: list[Message], reports: tuple[AddressReport, ...]) -> Iterator[str]:
    for name in ("In-Reply-To", "References"):
        yield from _MESSAGE_ID.findall(str(mail[name] or ""))
    if reports or parseaddr(_header_text(mail["From"]))[1].lower().startswith(("mailer-daemon@", "postmaster@")):
        for part in parts:
            if returned := _returned_mail(part):
                yield from _MESSAGE_ID.findall(str(returned["Message-ID"] or ""))


def _returned_mail(part: Message) -> Message | None:
    """Return the mail, or only its head, that a delivery report returns."""
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        return inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], Message) else None
    if part.get_content_type() == "text/rfc822-headers":
        return message_from_bytes(_decode_part(part).encode())
    return None


def _address_reports(part: Message) -> Iterator[AddressReport]:
    """Yield the status of each recipient. The first block of fields describes the report itself."""
    blocks = part.get_payload()
    fields = [block for block in blocks[1:_MAX_PARTS] if isinstance(block, Message)] if isinstance(blocks, list) else []
    for block in fields:
        state = _DELIVERY_STATES.get(_header_text(block["Action"]).lower())
        if state is not None:
            reason = _header_text(block["Diagnostic-Code"]).partition(";")[2].strip()
            address = _header_text(block["Final-Recipient"] or block["Original-Recipient"]).partition(";")[2].strip()
            yield AddressReport(
                state, " ".join(filter(None, (address, _header_text(block["Status"]), reason)))[:_MAX_HEADER_CHARACTERS]
            )
