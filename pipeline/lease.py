"""For how long a claim keeps others away, and how it is kept alive while its holder works."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from pipeline.repeat_in_background import every
from pipeline.setting_sections import CoreSettings
from store.errors import Unavailable
from store.ports import Claim, Steps

T = TypeVar("T")


def lease_of(settings: CoreSettings) -> timedelta:
    """After which another worker may take a record up whose holder was not heard of."""
    return timedelta(seconds=settings.worker.lease_seconds)


@contextmanager
def kept(records: Steps[T], claims: Sequence[Claim[T]], lease: timedelta) -> Iterator[None]:
    """Extend the claims' lease in the background until the block ends.

    A lease is short, so that the record of a dead worker is soon taken up again; a long step outlives it this way.
    """

    def extend() -> bool:
        try:
            return records.extend_all(claims, lease)
        except Unavailable:
            return True  # the server may be back before the lease runs out

    with every(lease.total_seconds() / 3, extend, f"lease {claims[0].id}"):
        yield
