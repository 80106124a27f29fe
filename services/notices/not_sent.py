"""Notices that were not sent, or came back: the ones that may be changed, agreed to and sent."""

from datetime import timedelta
from typing import Final

from services.context import Product
from store.errors import Conflict
from store.messages import Message
from store.records import Notice

UNDER_WAY: Final = Message("notices.under_way")  # of a try whose end nobody knows
_LONGEST: Final = timedelta(minutes=10)  # that a try may take


def sendable(product: Product, id: str) -> Notice:
    """A notice that was not sent, or whose mail came back, and that nobody is sending: `NotFound`, `Conflict`."""
    found = product.store.notices.get(id)
    return _idle(product, found) if found.undelivered else unsent(product, id)


def unsent(product: Product, id: str) -> Notice:
    """A notice that was not sent, and that nobody is sending. Raises `NotFound`, `Conflict`."""
    found = _idle(product, product.store.notices.get(id))
    if found.sent_at is not None:
        raise Conflict("notices.was_sent", id=id)
    return found


def _idle(product: Product, notice: Notice) -> Notice:
    last = notice.sendings[-1] if notice.sendings else None
    if last is not None and last.problem == UNDER_WAY and product.now() - last.at < _LONGEST:
        raise Conflict("notices.being_sent", id=notice.id)
    return notice
