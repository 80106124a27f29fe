"""Whether the mailbox of notices is read: when it last was, and since when and why it cannot be."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from services.context import Product
from store.messages import Message

_MARK: Final = "mailbox"


class MailboxStanding(NamedTuple):
    """read_at: None where it never was. failing_since, reason: None where the last try did not fail."""

    read_at: datetime | None
    failing_since: datetime | None
    reason: Message | None


def note_read(product: Product) -> None:
    """Note that it was read now."""
    product.store.marks.set(_MARK, {"read_at": product.now()})


def note_failed(product: Product, reason: Message) -> None:
    """Note that it could not be."""
    mark = _mark(product)
    since = mark.get("since") or product.now()
    product.store.marks.set(_MARK, {"read_at": mark.get("read_at"), "since": since, "reason": reason})


def standing(product: Product) -> MailboxStanding:
    """How it stands."""
    mark = _mark(product)
    reason = mark.get("reason")
    return MailboxStanding(mark.get("read_at"), mark.get("since"), Message.read(reason) if reason else None)


def _mark(product: Product) -> dict[str, Any]:
    return dict(product.store.marks.get(_MARK) or {})
