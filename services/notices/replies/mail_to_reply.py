"""Bytes of a mail → what it says, in the child that reads foreign bytes: RFC 5322, RFC 3464, RFC 3834."""

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

from crawler.isolated.child_bounds import ReadingBounds
from store.records import DeliveryState

BOUNDS: Final = ReadingBounds(seconds=10, memory=800, output=2)
LONGEST: Final = 20_000  # characters of a text
_LINE: Final = 300  # characters of a header
_PARTS: Final = 200  # that are looked at
_NAMES: Final = 50  # attachments that are named
_ID: Final = re.compile(r"<[^<>\s]{1,900}>")
_UNSEEN: Final = "head, style, script, template"
_BREAKS: Final = "br, p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre"
_LARGER: Final = {"gb2312": "gb18030", "gbk": "gb18030", "unknown-8bit": "gb18030"}
_STATES: Final = {
    "delivered": DeliveryState.DELIVERED,
    "relayed": DeliveryState.RELAYED,
    "expanded": DeliveryState.RELAYED,
    "delayed": DeliveryState.DELAYED,
    "failed": DeliveryState.FAILED,
}


@dataclass(frozen=True, slots=True)
class Told:
    """What a delivery report says of one address."""

    state: DeliveryState
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMail:
    """A mail as it is read. refers: Message-IDs of what it answers or returns; automatic: nobody wrote it."""

    sender: str
    subject: str
    sent_at: datetime | None
    text: str
    refers: tuple[str, ...]
    attachments: tuple[str, ...]
    automatic: bool
    told: tuple[Told, ...]


def read_mail(content: bytes) -> ReadMail:
    """Read it; what is missing or malformed is empty."""
    mail = message_from_bytes(content)
    parts = _parts(mail)
    told = tuple(one for part in parts if part.get_content_type() == "message/delivery-status" for one in _told(part))
    return ReadMail(
        sender=_words(mail["From"]),
        subject=_words(mail["Subject"]),
        sent_at=_date(mail["Date"]),
        text=_text(parts),
        refers=tuple(dict.fromkeys(_refers(mail, parts, told))),
        attachments=tuple(name for part in parts if (name := _words(part.get_filename())))[:_NAMES],
        automatic=bool(told) or _words(mail["Auto-Submitted"]).partition(";")[0].strip().lower() not in ("", "no"),
        told=told,
    )


def _parts(mail: Message) -> list[Message]:
    """Those that hold something, without the inside of mails that are enclosed."""
    found: list[Message] = []
    waiting = [mail]
    while waiting and len(found) < _PARTS:
        part = waiting.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            waiting += [one for one in reversed(inner[:_PARTS]) if isinstance(one, Message)]
        else:
            found.append(part)
    return found


def _text(parts: list[Message]) -> str:
    """The plain text, or else that of the HTML."""
    shown = [part for part in parts if part.get_content_disposition() != "attachment"]
    for kind, read in (("text/plain", str), ("text/html", _of_html)):
        texts = [read(_decoded(part)).strip() for part in shown if part.get_content_type() == kind]
        if said := "\n\n".join(filter(None, texts)):
            return said.replace("\r\n", "\n").replace("\0", "")[:LONGEST]
    return ""


def _of_html(html: str) -> str:
    tree = LexborHTMLParser(html)
    for node in tree.css(_UNSEEN):
        node.decompose()
    for node in tree.css(_BREAKS):
        node.insert_before("\n")
        node.insert_after("\n")
    lines = (" ".join(line.split()) for line in (tree.body.text() if tree.body else "").splitlines())
    return "\n".join(filter(None, lines))


def _decoded(part: Message) -> str:
    content = part.get_payload(decode=True)
    return _from(content, part.get_content_charset()) if isinstance(content, bytes) else ""


def _from(content: bytes, charset: str | None) -> str:
    """What says gb2312 is mostly of a larger set; what says nothing is UTF-8, or else that set."""
    name = (charset or "unknown-8bit").lower()
    with suppress(LookupError, ValueError):
        return content.decode("utf-8" if name == "unknown-8bit" else _LARGER.get(name, name))
    return content.decode(_LARGER.get(name, "utf-8"), "replace")


def _words(value: str | Header | None) -> str:
    """A header in characters, on one line."""
    if value is None:
        return ""
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        pieces = [(str(value), None)]
    said = "".join(one if isinstance(one, str) else _from(one, charset) for one, charset in pieces)
    return " ".join(said.encode("utf-8", "replace").decode().replace("\0", "").split())[:_LINE]


def _date(value: str | Header | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(str(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return found if found.tzinfo and found.year > 1 else None


def _refers(mail: Message, parts: list[Message], told: tuple[Told, ...]) -> Iterator[str]:
    for name in ("In-Reply-To", "References"):
        yield from _ID.findall(str(mail[name] or ""))
    if told or parseaddr(_words(mail["From"]))[1].lower().startswith(("mailer-daemon@", "postmaster@")):
        for part in parts:
            if returned := _returned(part):
                yield from _ID.findall(str(returned["Message-ID"] or ""))


def _returned(part: Message) -> Message | None:
    """The mail, or its head, that a report returns."""
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        return inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], Message) else None
    if part.get_content_type() == "text/rfc822-headers":
        return message_from_bytes(_decoded(part).encode())
    return None


def _told(part: Message) -> Iterator[Told]:
    """What it says of each address: blocks of fields, of which the first is about the report itself."""
    blocks = part.get_payload()
    fields = [one for one in blocks[1:_PARTS] if isinstance(one, Message)] if isinstance(blocks, list) else []
    for block in fields:
        state = _STATES.get(_words(block["Action"]).lower())
        if state is not None:
            reason = _words(block["Diagnostic-Code"]).partition(";")[2].strip()
            address = _words(block["Final-Recipient"] or block["Original-Recipient"]).partition(";")[2].strip()
            yield Told(state, " ".join(filter(None, (address, _words(block["Status"]), reason)))[:_LINE])
