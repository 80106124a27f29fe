"""Notices that were not sent, or came back: the ones that may be changed, agreed to and sent."""

from services.context import Product
from store.errors import Conflict
from store.records import Notice


def sendable(product: Product, id: str) -> Notice:
    """A notice that was not sent, or whose mail came back. Raises `NotFound`, `Conflict`."""
    found = product.store.notices.get(id)
    return found if found.undelivered else unsent(product, id)


def unsent(product: Product, id: str) -> Notice:
    """A notice that was not sent. Raises `NotFound`, `Conflict`."""
    found = product.store.notices.get(id)
    if found.sent_at is not None:
        raise Conflict("notices.was_sent", id=id)
    return found
