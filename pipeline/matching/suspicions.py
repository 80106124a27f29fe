"""The second look at a page, for what letters do not show: is it told after a work in other words?

It gives suspicions, which a person has to look at; no rule confirms one, and nothing of it counts as copied.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from fingerprinter.features.feature_arrays import Features
from matcher.suspicion.background import Background, learn
from matcher.suspicion.characters import Characters, read_characters
from matcher.suspicion.evidence import Portion
from matcher.suspicion.rare_words import PIECE, rare_words
from matcher.suspicion.retrieve import Retrieved, retrieve
from matcher.suspicion.suspect import PlacedWork, Suspicion, suspicions
from pipeline.context import Context
from pipeline.matching.look_up import Source
from pipeline.matching.text_with_letters import Reading, readings
from store.errors import IndexNotReady
from store.records import OwnerKind, Passage, Work

SAMPLE = 1_000  # works that the background is learnt from ...
_SAMPLE_CHARACTERS = 1_000_000  # ... and no more of them than this
LIKELY = 1.5  # words that stand nowhere else that a work shares with a stretch, or their worth, to be looked at closely
LOOKED_AT = 8  # works that are; the others only where one of these is suspect, for they may be as close
_TEXTS_TOGETHER = 50  # of them that are fetched at a time
_COPIED = 0.75  # share of a stretch that was copied from which it is not looked at
_UNTOLD = 100  # characters in one piece that were not copied, below which nothing is left that may be told anew
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
    taken = [passage for source in copied for passage in source.comparison.passages]
    if taken and _longest_left(len(reading.text), taken) < _UNTOLD:
        return []
    page = reading.characters
    try:
        retrieved = _retrieved(context, page)
    except IndexNotReady:
        return []
    if taken:
        retrieved = [one for one in retrieved if not _stands_in(page, one.page, taken, _COPIED)]
    likely = sum(one.weight >= LIKELY for one in retrieved[:LOOKED_AT])
    if not likely:
        return []
    known = {one.work.id for one in copied}
    found = suspicions(
        page,
        _placed(context, retrieved[:likely], known),
        _background(context, max(one.number for one in retrieved)),
        lambda near: _placed(context, [one for one in retrieved[likely:] if near(one.page)], known),
    )
    works = context.store.works.many([one.id for one in found]) if found else {}
    told = [Suspected(works[one.id], page, one) for one in found if one.id in works]
    return [one for one in told if not _stands_in(page, one.suspicion.evidence.page, taken, 0.5)]


def _stands_in(page: Characters, place: Portion, copied: Iterable[Passage], share: float) -> bool:
    """Whether more than this share of a stretch was copied as it stands, in one passage, from whichever work."""
    begin, end = (int(page.starts[min(at, len(page))]) for at in place)
    return any(min(end, one.page_end) - max(begin, one.page_start) > share * (end - begin) for one in copied)


def _longest_left(length: int, copied: Iterable[Passage]) -> int:
    """The characters of the longest piece of a text of this length that was not copied."""
    longest = reach = 0
    for begin, end in sorted((one.page_start, one.page_end) for one in copied):
        longest, reach = max(longest, begin - reach), max(reach, end)
    return max(longest, length - reach)


def _retrieved(context: Context, page: Characters) -> list[Retrieved]:
    """Fingerprints of works that may tell the same as a stretch of the page, those that share most first; none of a
    piece of the page for which no work is likely.
    """
    found = [
        one._replace(page=_moved(one.page, piece))
        for piece, words in enumerate(rare_words(page))
        for one in retrieve(context.rare_words, words, least=LIKELY)
    ]
    return sorted(found, key=lambda one: -one.weight)


def _placed(context: Context, found: Sequence[Retrieved], copied: set[str]) -> list[PlacedWork]:
    """The same in the works' texts, without those that were removed and those that are known to be copied."""
    told = context.store.fingerprints.work_texts([one.number for one in found]) if found else {}
    standing = [(one, *told[one.number]) for one in found if one.number in told]
    texts = readings(context, {digest for _, id, _, digest in standing if id not in copied})
    return [
        PlacedWork(id, texts[digest].characters, one.page, _moved(one.work, segment))
        for one, id, segment, digest in standing
        if id not in copied
    ]


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


def _background(context: Context, number: int) -> Background:
    """The background as of a library that has given out this number."""
    kept = context.background
    if kept.background is None or number >= _OUTGROWN * kept.documents:
        kept.documents = context.store.fingerprints.reserved(OwnerKind.WORK)
        kept.background = learn(_sample(context))
    return kept.background


def _sample(context: Context) -> Iterator[Characters]:
    left = _SAMPLE_CHARACTERS
    digests = [work.text_digest for work in context.store.works.sample(SAMPLE)]
    for begin in range(0, len(digests), _TEXTS_TOGETHER):
        some = digests[begin : begin + _TEXTS_TOGETHER]
        texts = context.store.blobs.get_texts(some)
        for digest in some:
            text = texts[digest][:left]
            left -= len(text)
            yield read_characters(text)
        if left <= 0:
            return
