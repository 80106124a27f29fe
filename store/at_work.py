"""Which record is being worked at: what is logged meanwhile names it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_AT_WORK: Final[ContextVar[str | None]] = ContextVar("at_work", default=None)


@contextmanager
def at_work(record: str) -> Iterator[None]:
    """For the block, this record (``page:…``, ``run:…``)."""
    token = _AT_WORK.set(record)
    try:
        yield
    finally:
        _AT_WORK.reset(token)


def record_at_work() -> str | None:
    """The record, where there is one."""
    return _AT_WORK.get()
