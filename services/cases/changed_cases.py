"""The cases that were changed since a time, a batch after the other."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from store.records import Case

OVERLAP: Final = timedelta(minutes=10)  # a step may write a case long after it looked at the clock
_BATCH: Final = 5_000  # more than one move may change at the same moment


def changed_since(since: datetime | None, ask: Callable[[datetime, int], list[Case]]) -> Iterator[list[Case]]:
    """Those that were changed shortly before come once more. since: None for all there are; ask: answers with so many
    that were changed at a time or after it, in the order of their changes.
    """
    from_then = datetime(1970, 1, 1, tzinfo=UTC) if since is None else since - OVERLAP
    while cases := ask(from_then, _BATCH):
        yield cases
        if len(cases) < _BATCH:
            return
        from_then = max(cases[-1].updated_at, from_then + timedelta(milliseconds=1))
