"""The second look at a page, for what letters do not show: is it told after a work in other words?

It gives suspicions, which a person has to look at; no rule confirms one, and nothing of it counts as copied.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from matcher.suspicion.background import Background
from matcher.suspicion.characters import Characters
from matcher.suspicion.evidence import Portion
from matcher.suspicion.rare_words import PIECE, rare_words
from matcher.suspicion.retrieve import Retrieved, retrieve
from matcher.suspicion.suspect import PlacedWork, Suspicion, Weighed, near_suspects, suspicions, weighed
from pipeline.context import Context
from pipeline.matching.compare_with_candidates import Source
from pipeline.matching.learn_background import background_of
from pipeline.matching.text_with_letters import Reading, readings
from store.errors import IndexNotReady
from store.records import Passage, Work, WorkSegment

LIKELY = 1.5  # words that stand nowhere else that a work shares with a stretch, or their worth, to be looked at closely
LOOKED_AT = 8  # works that are; the others only where one of these is suspect, for they may be as close
_CHARACTERS_TOGETHER = 1_000_000  # of works that texts are held against at a time
_COPIED = 0.75  # share of a stretch that was copied from which it is not looked at
_UNTOLD = 100  # characters in one piece that were not copied, below which nothing is left that may be told anew


class Suspected(NamedTuple):
    """A work that a text may be told after. page: the text's characters, in which the places of the evidence are."""

    work: Work
    page: Characters
    suspicion: Suspicion


@dataclass(slots=True)
class _Look:
    """A text at which a second look is worth its price. likely: the works to be weighed, others: those only where one
    of these is suspect; known: works that it copies.
    """

    page: Characters
    taken: Sequence[Passage]
    known: Set[str]
    likely: Sequence[Retrieved]
    others: Sequence[Retrieved]
    background: Background
    weighed: list[Weighed] = field(default_factory=list)


_Placed = tuple[_Look, list[tuple[Retrieved, WorkSegment]]]


def suspected(context: Context, reading: Reading, copied: Sequence[Source]) -> list[Suspected]:
    """The works that a text may be told after, the likeliest first. copied: what it has from works letter by letter,
    which needs no second look. While their index is missing, none.
    """
    return suspected_all(context, [(reading, copied)])[0]


def suspected_all(context: Context, texts: Sequence[tuple[Reading, Sequence[Source]]]) -> list[list[Suspected]]:
    """The same for several texts, in few questions."""
    found: list[list[Suspected]] = [[] for _ in texts]
    try:
        looks = _looks(context, texts)
    except IndexNotReady:
        return found
    _weigh(context, [(look, look.likely) for look in looks.values()])
    _weigh(context, [(look, list(_near(look))) for look in looks.values()])
    for at, some in _with_works(context, looks).items():
        found[at] = some
    return found


def _looks(context: Context, texts: Sequence[tuple[Reading, Sequence[Source]]]) -> dict[int, _Look]:
    """By their places, the texts for which works are likely. Raises IndexNotReady."""
    if not context.settings.matcher.suspicions:
        return {}
    left: dict[int, tuple[Characters, list[Passage]]] = {}
    for at, (reading, copied) in enumerate(texts):
        taken = [passage for source in copied for passage in source.comparison.passages]
        if not taken or _longest_left(len(reading.text), taken) >= _UNTOLD:
            left[at] = reading.characters, taken
    looks = {}
    retrieved = _retrieved(context, [page for page, _ in left.values()])
    for (at, (page, taken)), some in zip(left.items(), retrieved, strict=True):
        kept = [one for one in some if not taken or not _stands_in(page, one.page, taken, _COPIED)]
        if likely := sum(one.weight >= LIKELY for one in kept[:LOOKED_AT]):
            known = {one.work.id for one in texts[at][1]}
            background = background_of(context, max(one.number for one in kept))
            looks[at] = _Look(page, taken, known, kept[:likely], kept[likely:], background)
    return looks


def _near(look: _Look) -> Iterator[Retrieved]:
    """What is to be weighed besides, near what is suspect."""
    if near := near_suspects(look.page, look.weighed):
        yield from (one for one in look.others if near(one.page))


def _with_works(context: Context, looks: Mapping[int, _Look]) -> dict[int, list[Suspected]]:
    """What each text is suspected of, where the works are there still."""
    found = {at: suspicions(look.page, look.weighed, look.background) for at, look in looks.items()}
    ids = {one.id for some in found.values() for one in some}
    works = context.store.works.many(ids) if ids else {}
    return {
        at: [
            Suspected(works[one.id], look.page, one)
            for one in found[at]
            if one.id in works and not _stands_in(look.page, one.evidence.page, look.taken, 0.5)
        ]
        for at, look in looks.items()
    }


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


def _retrieved(context: Context, pages: Sequence[Characters]) -> list[list[Retrieved]]:
    """For each page, fingerprints of works that may tell the same as a stretch of it, those that share most first; none
    of a piece of the page for which no work is likely.
    """
    pieces = [rare_words(page) for page in pages]
    words = list(chain.from_iterable(pieces))
    found = iter(retrieve(context.rare_words, words, least=LIKELY) if words else ())
    return [sorted(_of_pieces(islice(found, len(some))), key=lambda one: -one.weight) for some in pieces]


def _of_pieces(found: Iterable[Sequence[Retrieved]]) -> Iterator[Retrieved]:
    """What was found for the pieces of a page, at its places in the whole."""
    for piece, some in enumerate(found):
        yield from (one._replace(page=_moved(one.page, piece)) for one in some) if piece else some


def _weigh(context: Context, asked: Sequence[tuple[_Look, Sequence[Retrieved]]]) -> None:
    """Hold texts against works, without those that were removed and those that are known to be copied; as many texts
    of works at a time as the memory bears.
    """
    numbers = {one.number for _, found in asked for one in found}
    if not numbers:
        return
    told = context.store.fingerprints.work_texts(numbers)
    placed = [(look, _placed(look, found, told)) for look, found in asked]
    for some in _portions(placed):
        texts = readings(context, {work.text_digest for _, found in some for _, work in found})
        for look, found in some:
            pairs = (
                PlacedWork(work.work_id, texts[work.text_digest].characters, one.page, _moved(one.work, work.segment))
                for one, work in found
            )
            look.weighed += weighed(look.page, pairs, look.background)


def _placed(
    look: _Look, found: Iterable[Retrieved], told: Mapping[int, WorkSegment]
) -> list[tuple[Retrieved, WorkSegment]]:
    """The works to be weighed that are there, and that the text is not known to copy."""
    there = ((one, told[one.number]) for one in found if one.number in told)
    return [(one, work) for one, work in there if work.work_id not in look.known]


def _portions(placed: Iterable[_Placed]) -> Iterator[list[_Placed]]:
    """Looks that are weighed together."""
    some: list[_Placed] = []
    length = 0
    for look, found in placed:
        theirs = sum(work.length for _, work in found)
        if some and length + theirs > _CHARACTERS_TOGETHER:
            yield some
            some, length = [], 0
        some.append((look, found))
        length += theirs
    if some:
        yield some


def _moved(place: Portion, pieces: int) -> Portion:
    return Portion(place.begin + pieces * PIECE, place.end + pieces * PIECE) if pieces else place
