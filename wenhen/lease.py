"""Claims kept alive while its holder works."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from store.errors import Unavailable
from store.ports import Claim, Steps

T = TypeVar("T")


@contextmanager
def kept(records: Steps[T], claims: Sequence[Claim[T]], lease: timedelta) -> Iterator[None]:
    """Extend the claims' lease in the background until the block ends.

    A lease is short, so that the record of a dead worker is soon taken up again; a long step outlives it this way.
    """
    over = threading.Event()

    def extend() -> None:
        while not over.wait(lease.total_seconds() / 3):
            try:
                if not records.extend_all(claims, lease):
                    return
            except Unavailable:
                continue  # the server may be back before the lease runs out

    thread = threading.Thread(target=extend, name=f"lease {claims[0].id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
