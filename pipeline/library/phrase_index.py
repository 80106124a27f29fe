"""The index over phrases, brought up to what MongoDB holds: texts that changed since it was last looked at.

It lies in a file beside the worker that keeps it, and is made anew from the texts where that is gone.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from fingerprinter.normalize.read_letters import read_letters
from matcher.phrases.grams import grams
from matcher.phrases.port import IndexedText
from pipeline.context import Context
from pipeline.run_step import records_of
from store.ports import ChangedText, Steps
from store.records import Owner, OwnerKind

TOGETHER: Final = 200  # texts of one write
LAG: Final = timedelta(seconds=30)  # a write that took so long may come behind the mark


def catch_up(context: Context, most: int) -> int:
    """Put in the next texts that changed, works before pages; how many were looked at."""
    looked = 0
    for kind in (OwnerKind.WORK, OwnerKind.PAGE):
        more = True
        while more and looked < most:
            some, more = _next(context, kind)
            looked += some
    return looked


def _next(context: Context, kind: OwnerKind) -> tuple[int, bool]:
    """Put in the texts behind the mark; how many were looked at, and whether there may be more.

    The mark stays `LAG` behind, so that a write that took long is still met; what is known by then costs a look.
    """
    name, now = f"after:{kind}", context.now()
    records: Steps[Any] = records_of(context, kind)
    changed = records.texts_changed(_read(context.phrases.mark(name)), until=now, limit=TOGETHER)
    if not changed:
        return 0, False
    settled = [one for one in changed if one.updated_at < now - LAG]
    marks = {name: f"{settled[-1].updated_at.isoformat()} {settled[-1].id}"} if settled else {}
    new = _new(context, kind, changed)
    if new or marks:
        context.phrases.put(new, marks)
    return len(changed), len(settled) == TOGETHER


def _new(context: Context, kind: OwnerKind, changed: Sequence[ChangedText]) -> list[IndexedText]:
    """Those whose text is not in the index yet."""
    digests = {str(Owner(kind, one.id)): one.digest for one in changed if one.digest}
    known = context.phrases.known(digests)
    new = {owner: digest for owner, digest in digests.items() if known.get(owner) != digest}
    texts = context.store.blobs.texts_there(new.values())  # one that is lost is looked for when its record changes
    return [
        IndexedText(owner, digest, grams(read_letters(texts[digest])))
        for owner, digest in new.items()
        if digest in texts
    ]


def _read(mark: str | None) -> tuple[datetime, str] | None:
    """When the last text changed that is in, and its id."""
    if mark is None:
        return None
    at, _, id = mark.partition(" ")
    return datetime.fromisoformat(at), id
