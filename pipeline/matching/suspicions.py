"""The second look at a page, for what letters do not show: is it told after a work in other words?

It gives suspicions, which a person has to look at; no rule confirms one, and nothing of it counts as copied.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from fingerprinter.features.features import Features
from matcher.suspicion.background import Background, learn
from matcher.suspicion.characters import Characters, read_characters
from matcher.suspicion.evidence import Portion
from matcher.suspicion.rare_words import PIECE, rare_words
from matcher.suspicion.retrieve import retrieve
from matcher.suspicion.suspect import PlacedWork, Suspicion, suspicions
from pipeline.context import Context
from pipeline.matching.look_up import Source
from pipeline.matching.reading import Reading, readings
from store.errors import IndexNotReady
from store.records import OwnerKind, Passage, Work

SAMPLE = 1_000  # works that the background is learnt from, the last changed ones ...
_SAMPLE_CHARACTERS = 1_000_000  # ... and no more of them than this
_OUTGROWN = 2  # times that the library has grown since, when it is learnt anew


class Suspected(NamedTuple):
    """A work that a text may be told after. page: the text's characters, in which the places of the evidence are."""

    work: Work
    page: Characters
    suspicion: Suspicion


def index_rare_words(context: Context, owner_ids: Collection[str], *, again: bool = False) -> None:
    """The rare words of works into their index, under the numbers of the works' fingerprints. What an earlier version
    left there goes with its fingerprints. again: see `pipeline.matching.fingerprints.index`.
    """
    if not context.settings.matcher.suspicions:
        return
    documents = list(_documents(context, owner_ids))
    with suppress(IndexNotReady):  # the rebuild that makes it reads all works
        if again:
            context.rare_words.remove(documents)
        context.rare_words.add(documents)


def rebuild_rare_words(context: Context, postings: int) -> None:
    """Their index made anew from the texts of all works. postings: that it is made for."""
    if not context.settings.matcher.suspicions:
        return
    context.rare_words.create(postings=postings)
    context.rare_words.load(rare_word_documents(context))
    context.rare_words.publish()


def lacks_rare_words(context: Context) -> bool:
    """Whether their index is wanted, and is not there."""
    return context.settings.matcher.suspicions and not context.rare_words.exists()


def suspected(context: Context, reading: Reading, copied: Sequence[Source]) -> list[Suspected]:
    """The works that a text may be told after, the likeliest first. copied: what it has from works letter by letter,
    which needs no second look. While their index is missing, none.
    """
    if not context.settings.matcher.suspicions:
        return []
    documents = context.store.fingerprints.reserved(OwnerKind.WORK)
    if not documents:
        return []
    page = reading.characters
    try:
        places = list(_places(context, page, documents))
    except IndexNotReady:
        return []
    standing = context.store.works.text_digests({id for id, _, _ in places} - {one.work.id for one in copied})
    texts = readings(context, set(standing.values()))
    read = {id: texts[digest].characters for id, digest in standing.items()}
    pairs = [PlacedWork(id, read[id], mine, theirs) for id, mine, theirs in places if id in read]
    found = suspicions(page, pairs, _background(context, documents)) if pairs else []
    works = context.store.works.many([one.id for one in found]) if found else {}
    told = [Suspected(works[one.id], page, one) for one in found if one.id in works]
    taken = [passage for source in copied for passage in source.comparison.passages]
    return [one for one in told if not any(_stands_in(one, passage) for passage in taken)]


def _stands_in(one: Suspected, passage: Passage) -> bool:
    """Whether what may be told anew was copied as it stands, from whichever work."""
    told = one.suspicion.evidence.page
    begin, end = int(one.page.starts[told.begin]), int(one.page.starts[told.end])
    return 2 * (min(end, passage.page_end) - max(begin, passage.page_start)) > end - begin


def _places(context: Context, page: Characters, documents: int) -> Iterator[tuple[str, Portion, Portion]]:
    """Works, by their id, and where they and the page may tell the same."""
    for piece, words in enumerate(rare_words(page)):
        found = retrieve(context.rare_words, words, documents)
        places = context.store.fingerprints.places(OwnerKind.WORK, [one.number for one in found])
        for one in found:
            if one.number in places:
                id, segment = places[one.number]
                yield id, _moved(one.page, piece), _moved(one.work, segment)


def _moved(place: Portion, pieces: int) -> Portion:
    return Portion(place.begin + pieces * PIECE, place.end + pieces * PIECE)


def _documents(context: Context, owner_ids: Collection[str]) -> Iterator[tuple[int, Features]]:
    """The rare words of works, each piece of a text under the number of the fingerprint of the same place."""
    numbers = context.store.fingerprints.of_all(OwnerKind.WORK, owner_ids)
    works = context.store.works.many(numbers)
    texts = context.store.blobs.get_texts([work.text_digest for work in works.values()])
    for id, work in works.items():
        pieces = rare_words(read_characters(texts[work.text_digest]))
        yield from ((one.number, words) for one, words in zip(numbers[id], pieces, strict=False))


def rare_word_documents(context: Context) -> Iterator[tuple[int, Features]]:
    """The rare words of all works, as their index takes them."""
    waiting: list[str] = []
    for id in context.store.works.ids():
        waiting.append(id)
        if len(waiting) == SAMPLE:
            yield from _documents(context, waiting)
            waiting.clear()
    yield from _documents(context, waiting)


def _background(context: Context, documents: int) -> Background:
    kept = context.background
    if kept.background is None or documents >= _OUTGROWN * kept.documents:
        kept.background, kept.documents = learn(_sample(context)), documents
    return kept.background


def _sample(context: Context) -> Iterator[Characters]:
    left = _SAMPLE_CHARACTERS
    for work in context.store.works.find(limit=SAMPLE):
        if left <= 0:
            return
        text = context.store.blobs.get_text(work.text_digest)[:left]
        left -= len(text)
        yield read_characters(text)
