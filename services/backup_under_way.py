"""Whether a backup is being written: until it has what its moment names, nothing of that may be dropped."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from services.context import Product

_MARK: Final = "backup"
_PATIENCE: Final = timedelta(hours=12)  # a backup whose process died holds back no longer than this


def is_under_way(product: Product) -> bool:
    """Whether one is being written now."""
    mark = product.store.marks.get(_MARK)
    since = mark["since"] if mark else None
    return isinstance(since, datetime) and product.now() - since < _PATIENCE


@contextmanager
def under_way(product: Product) -> Iterator[None]:
    """Keep what could be dropped until the block ends."""
    product.store.marks.set(_MARK, {"since": product.now()})
    try:
        yield
    finally:
        product.store.marks.set(_MARK, {"since": None})
