"""Retrieve works that share short passages with a text, if the settings ask for such passages.

The feature index misses many passages of fewer than about twenty letters. Each process therefore holds a table in
memory with all grams of the works whose shortest passage is below that. In a large library the table holds only works
with a setting of their own.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, NamedTuple

from matcher.model import Candidate
from matcher.retrieval.character_grams import GramTable, character_grams
from wenhen.fingerprints.reading import TextReading
from wenhen.product.context import Context
from wenhen.works.model import Work

MAX_SHORT_LETTERS: Final = 24  # letters; the feature index may miss passages shorter than this
MAX_TABLE_CHARACTERS: Final = 20_000_000  # characters of all works in a table; each takes about twelve bytes
_REFRESH_AFTER: Final = timedelta(minutes=1)  # interval at which a process asks whether works have changed
_CLOCK_MARGIN: Final = timedelta(seconds=5)  # maximum difference between the clocks of two machines
_WORKS_PER_BATCH: Final = 500


class ShortTable(NamedTuple):
    """A gram table and its works, by their index in the table.

    made_at: the time of the works in the table. checked_at: the last time at which no work had changed since.
    """

    works: Sequence[tuple[str, int]]  # ids and versions
    grams: GramTable
    made_at: datetime
    checked_at: datetime


def add_short_candidates(context: Context, reading: TextReading, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, followed by works that share short passages with the text."""
    table = _current_table(context)
    if not table.works:
        return list(ranked)
    known = {candidate.owner_id for candidate in ranked}
    sharing = table.grams.sharing(character_grams(reading.text, reading.letters))
    more = ((*table.works[place], hits) for place, hits in sharing)
    new = [
        Candidate(owner_id=id, owner_version=version, hits=hits, expected=0.0, score=0.0)
        for id, version, hits in more
        if id not in known
    ]
    return [*ranked, *new[: context.settings.matcher.candidates]]


def _current_table(context: Context) -> ShortTable:
    shortest = context.settings.matcher.shortest_passage
    known: ShortTable | None = context.short_texts.get(shortest)
    now = context.now()
    if known is not None and now - known.checked_at < _REFRESH_AFTER:
        return known
    changed_at = context.store.works.last_change()
    if known is None or (changed_at is not None and changed_at >= known.made_at - _CLOCK_MARGIN):
        known = _make_table(context, now)
    else:
        known = known._replace(checked_at=now)
    context.short_texts[shortest] = known
    return known


def _make_table(context: Context, now: datetime) -> ShortTable:
    works: list[tuple[str, int]] = []
    grams = []
    for batch in _work_batches(context):
        texts = context.store.blobs.get_texts([work.text_digest for work in batch])
        for work in batch:
            reading = TextReading(texts[work.text_digest])
            works.append((work.id, work.version))
            grams.append(character_grams(reading.text, reading.letters))
    return ShortTable(works, GramTable(grams), now, now)


def _work_batches(context: Context) -> Iterator[list[Work]]:
    store = context.store.works
    everywhere = context.settings.matcher.shortest_passage < MAX_SHORT_LETTERS
    if everywhere and store.sum_lengths() <= MAX_TABLE_CHARACTERS:
        ids = store.ids()
        while batch := list(islice(ids, _WORKS_PER_BATCH)):
            yield [work for work in store.many(batch).values() if work.removed_at is None]
    elif own := store.with_shortest_below(MAX_SHORT_LETTERS):
        yield own
