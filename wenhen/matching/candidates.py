"""Retrieve the candidates of a text from the index: works or pages, the most likely first.

The feature index misses many passages of fewer than about twenty letters. If the settings ask for shorter ones, each
process holds a table in memory with all grams of the works whose shortest passage is below that. In a large library the
table holds only works with a setting of their own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice
from typing import Final, NamedTuple

from matcher.index.protocol import Index
from matcher.model import Candidate
from matcher.retrieval.candidates import (
    CERTAIN_SCORE,
    CandidateFilter,
    find_all_candidates,
    find_all_disguised_candidates,
    group_by_size,
    max_candidates,
)
from matcher.retrieval.character_grams import GramTable, character_grams
from matcher.retrieval.ranking import RankedDocument
from wenhen.context.use_cases import Context
from wenhen.fingerprints.letter_file import WorkVersion
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import OwnerKind
from wenhen.pages.model import Page
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


_MAX_SHARING_TEXTS = 100_000  # texts, for all pieces of a long text
_MAX_CERTAIN_READINGS = 2  # other readings of a text that are looked up beside a certain candidate
MAX_LETTERS_PER_QUERY = 200_000  # letters of the texts that are looked up in one query


def find_candidate_works(context: Context, reading: TextReading) -> list[Candidate]:
    """Return the works that a text may be copied from, the most likely first."""
    return find_candidate_works_of_all(context, [reading])[0]


def find_candidate_works_of_all(context: Context, texts: Sequence[TextReading]) -> list[list[Candidate]]:
    """Return the candidate works of each of several texts."""
    return _find_candidates(context, OwnerKind.WORK, texts, most=context.settings.matcher.candidates)


def find_candidate_works_of_pages(context: Context, pages: Sequence[tuple[Page, TextReading]]) -> list[list[Candidate]]:
    """Return the candidate works of each page, filtered by size and kind as the settings say."""
    settings = context.settings.matcher
    narrowing = CandidateFilter(settings.size_within, settings.same_kind)
    texts = [reading for _, reading in pages]
    candidates = (
        _find_candidates(context, OwnerKind.WORK, texts) if narrowing else find_candidate_works_of_all(context, texts)
    )
    return [
        add_short_candidates(
            context, reading, _filter_candidates(context, narrowing, page, ranked) if narrowing else ranked
        )
        for (page, reading), ranked in zip(pages, candidates, strict=True)
    ]


def find_candidate_pages_of_all(context: Context, texts: Sequence[TextReading], least: float = 0.0) -> list[list[str]]:
    """Return the ids of the pages that each of several texts may have been copied to.

    least: fraction of a text's features that a page must have, 0 to 1.
    """
    return [
        [candidate.owner_id for candidate in candidates]
        for candidates in _find_candidates(context, OwnerKind.PAGE, texts, least)
    ]


def find_texts_sharing_with(context: Context, reading: TextReading, kind: OwnerKind) -> set[str]:
    """Return the ids of the works or pages that share features with a text, as many as each piece of it finds."""
    return {candidate.owner_id for candidate in _find_candidates(context, kind, [reading], most=_MAX_SHARING_TEXTS)[0]}


def _filter_candidates(
    context: Context, narrowing: CandidateFilter, page: Page, ranked: Sequence[Candidate]
) -> list[Candidate]:
    kind = _site_kind(context, page.site_id)
    works = context.store.works.many([candidate.owner_id for candidate in ranked]).values()
    allowed = {work.id for work in works if work.common or narrowing.allows(page.length, kind, work.length, work.kind)}
    return [candidate for candidate in ranked if candidate.owner_id in allowed][: context.settings.matcher.candidates]


def _site_kind(context: Context, site_id: str | None) -> str | None:
    """Return the kind of texts on the site; None for a single address, or if the site is no longer watched."""
    with suppress(NotFound):
        return context.store.sites.get(site_id).kind if site_id else None
    return None


def _find_candidates(
    context: Context, kind: OwnerKind, texts: Sequence[TextReading], least: float = 0.0, most: int | None = None
) -> list[list[Candidate]]:
    most = max_candidates(context.settings.matcher.candidates) if most is None else most
    pieces = rank_pieces(context, kind, texts, least)
    numbers = {document.number for pieces_of_text in pieces for document in chain.from_iterable(pieces_of_text)}
    owners = name_owners(context, kind, numbers)
    return [merge_pieces(pieces_of_text, owners, most) for pieces_of_text in pieces]


def name_owners(context: Context, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
    """Return id and version of the documents of an index, by number. A work may have changed or gone since."""
    if kind is OwnerKind.WORK:
        return context.names.of(numbers, partial(_load_names, context))
    return context.store.fingerprints.names(kind, numbers)


def _load_names(context: Context, numbers: Collection[int]) -> dict[int, WorkVersion]:
    """Load the works of these numbers from the file on this machine, the others from the store."""
    if context.work_letters is None:
        return context.store.fingerprints.names(OwnerKind.WORK, numbers)
    names = context.work_letters.find_names(numbers)
    if missing := [number for number in numbers if number not in names]:
        fetched = context.store.fingerprints.names(OwnerKind.WORK, missing)
        if fetched:
            context.work_letters.put({}, fetched)
        names |= fetched
    return names


def rank_pieces(
    context: Context, kind: OwnerKind, texts: Sequence[TextReading], least: float = 0.0
) -> list[list[list[RankedDocument]]]:
    """Rank the indexed documents for each piece of each text. Documents to compare come first."""
    documents = context.sizes.of(context.store.fingerprints, kind)
    if not documents:  # a library is often imported before the first page is fetched
        return [[] for _ in texts]
    rules, index = context.settings.matcher, context.index(kind)
    most = max_candidates(rules.candidates)
    compared = rules.candidates if kind is OwnerKind.WORK else most
    queries = [reading.queries for reading in texts]
    ranked = iter(
        [
            candidates
            for batch in group_by_size(chain.from_iterable(queries), lambda query: query.letters, MAX_LETTERS_PER_QUERY)
            for candidates in find_all_candidates(
                batch, index, documents=documents, most=most, compared=compared, least=least
            )
        ]
    )
    found_pieces = [[next(ranked) for _ in each] for each in queries]
    if kind is OwnerKind.WORK:
        disguised = _rank_disguised(texts, found_pieces, index, documents, most)
        return [of_text + more for of_text, more in zip(found_pieces, disguised, strict=True)]
    return found_pieces


def _rank_disguised(
    texts: Sequence[TextReading],
    as_written: Sequence[list[list[RankedDocument]]],
    index: Index,
    documents: int,
    most: int,
) -> list[list[list[RankedDocument]]]:
    """Rank documents for the other readings of each text (disguised letters).

    If the text itself has a certain candidate, or one of the few readings that are beyond chance has one, these are
    enough: the page may copy one work openly and another disguised. A long text is only read as it is.
    """
    rank = partial(find_all_disguised_candidates, index=index, documents=documents, most=most)
    readings = [each.readings if len(pieces) == 1 else [] for each, pieces in zip(texts, as_written, strict=True)]
    certain = [[each for each in of_text if each.certain][:_MAX_CERTAIN_READINGS] for of_text in readings]
    by_certain = rank(certain)
    others = [
        []
        if any(document.score >= CERTAIN_SCORE for document in chain(*pieces, known))
        else [each for each in of_text if each not in chosen]
        for of_text, chosen, pieces, known in zip(readings, certain, as_written, by_certain, strict=True)
    ]
    return [[ranked for ranked in both if ranked] for both in zip(by_certain, rank(others), strict=True)]


def merge_pieces(
    pieces: Sequence[Sequence[RankedDocument]], owners: Mapping[int, tuple[str, int]], most: int
) -> list[Candidate]:
    """Merge the candidates of the pieces of one text, the most likely first; at most `most`.

    If there are more, the first candidates of each piece are taken, so that no part of the text crowds out another.
    """
    candidates: dict[str, Candidate] = {}
    places: dict[str, int] = {}
    for place, document in chain.from_iterable(map(enumerate, pieces)):
        if document.number not in owners:  # retired: an earlier version, or a removed work
            continue
        id, version = owners[document.number]
        before = candidates.get(id)
        places[id] = min(place, places.get(id, place))
        candidates[id] = Candidate(
            owner_id=id,
            owner_version=version,
            hits=document.hits + (before.hits if before else 0),
            expected=document.expected + (before.expected if before else 0.0),
            score=max(document.score, before.score if before else 0.0),
            formulaic=max(document.formulaic, before.formulaic if before else 0.0),
            common_at=document.common_at if len(pieces) == 1 and before is None else None,
        )
    first = sorted(
        candidates.values(), key=lambda candidate: (places[candidate.owner_id], candidate_sort_key(candidate))
    )[:most]
    return sorted(first, key=candidate_sort_key)


def candidate_sort_key(candidate: Candidate | RankedDocument) -> tuple[float, float]:
    """Return the sort key of candidates."""
    return -candidate.score, candidate.expected - candidate.hits
