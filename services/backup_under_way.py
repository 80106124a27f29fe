"""Whether a backup is being written, until it has what its moment names nothing of that may be dropped; and when the
last one was whole.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from services.context import Product

_MARK: Final = "backup"
_PATIENCE: Final = timedelta(hours=12)  # a backup whose process died holds back no longer than this


def is_under_way(product: Product) -> bool:
    """Whether one is being written now."""
    since = (product.store.marks.get(_MARK) or {}).get("since")
    return isinstance(since, datetime) and product.now() - since < _PATIENCE


@contextmanager
def under_way(product: Product) -> Iterator[None]:
    """Keep what could be dropped until the block ends."""
    _note(product, since=product.now())
    try:
        yield
    finally:
        _note(product, since=None)


def note_whole(product: Product) -> None:
    """Note that one has all that it needs, as of now."""
    _note(product, last=product.now())


def last_whole(product: Product) -> datetime | None:
    """When the last one was; None: none ever was."""
    last = (product.store.marks.get(_MARK) or {}).get("last")
    return last if isinstance(last, datetime) else None


def _note(product: Product, **what: datetime | None) -> None:
    product.store.marks.set(_MARK, {**(product.store.marks.get(_MARK) or {}), **what})
