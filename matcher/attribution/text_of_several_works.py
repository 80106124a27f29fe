"""Decide which of several works best explains a passage, and discount text that several works share.

Evidence for a copy is the initials that other works do not have just as well. Initials of many works are common text.
So are those of two works, where the page takes nothing that tells the two apart: a form that all three filled in, or a
third text that all three quote. Textual critics call this the rule of shared readings: a copy inherits the
peculiarities of its source. A passage may span initials that its work does not have: an advert, or a piece of another
work. It does not explain these initials, and blocks no other work there.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.letter_ownership import (
    count_other_works,
    find_shared_letters,
    first_editions,
    weigh_own_letters,
)
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS, protected_passages
from matcher.model import Passage

_MIN_SHARED_INITIALS = 0.7  # share of a passage's initials that a passage must have to explain it
_MIN_SAME_TEXT_SHARE = 0.9  # share of a work's explained initials that another work with the same text has

# One passage beside others of the same page:
_MAX_SMALL_WEIGHT = 100.0  # larger passages stand alone, and so do Han ones, as terms and code recur more
_MIN_OVERLAP_SHARE = 0.7  # share of the page's span that another work must cover
_MIN_BETTER_RATIO = 1.5  # ratio of weights from which another work explains a small passage better
_MIN_DWARFING_RATIO = 20.0  # the same for any passage, as works of one owner share sentences and paragraphs
_MIN_COMMON_WORKS = 8  # works of about the same weight from which a passage is common text


def has_standing_passages(
    sources: Sequence[Sequence[AlignedPassage]], work_letters: Sequence[int], shortest: Sequence[int] | None = None
) -> list[bool]:
    """Whether each work keeps a passage that opens a case, beside the other works.

    work_letters: initials of each whole work. shortest: initials of the shortest passage of each.
    """
    spans = _PageSpans(sources)
    shortest = shortest or [MAX_QUOTATION_INITIALS] * len(sources)

    def stands(number: int, initials: int, least: int) -> bool:
        passages = sources[number]
        if not protected_passages(passages, initials, least):  # then fewer of them open no case either
            return False
        standing = [passage for passage in passages if _is_standing(passage, spans.rivals_of(passage, number))]
        return bool(protected_passages(standing, initials, least))

    return [
        stands(number, initials, least)
        for number, (initials, least) in enumerate(zip(work_letters, shortest, strict=True))
    ]


class _PageSpans:
    """Spans of the passages of several works on one page."""

    def __init__(self, sources: Sequence[Sequence[AlignedPassage]]) -> None:
        self._all = [passage for passages in sources for passage in passages]
        self._starts = np.array([passage.passage.page_start for passage in self._all], np.int64)
        self._ends = np.array([passage.passage.page_end for passage in self._all], np.int64)
        self._owners = np.repeat(np.arange(len(sources)), list(map(len, sources)))

    def rivals_of(self, passage: AlignedPassage, number: int) -> list[AlignedPassage]:
        """Return the passages of other works that cover enough of this one to explain it."""
        if len(self._all) == 1:
            return []
        start, end = passage.passage.page_start, passage.passage.page_end
        covered = np.minimum(self._ends, end) - np.maximum(self._starts, start)
        covers = (covered >= _MIN_OVERLAP_SHARE * (end - start)) & (self._owners != number)
        return [self._all[index] for index in np.flatnonzero(covers)]


def _is_standing(passage: AlignedPassage, rivals: Sequence[AlignedPassage]) -> bool:
    """Whether no passage that covers this one explains it better, and it is no common text."""
    better = _MIN_BETTER_RATIO if not passage.han and passage.weight < _MAX_SMALL_WEIGHT else _MIN_DWARFING_RATIO
    explained = any(other.backing >= better * passage.weight and explains_passage(other, passage) for other in rivals)
    alike = sum(1 for other in rivals if other.weight >= passage.weight / _MIN_BETTER_RATIO)
    return not explained and alike < _MIN_COMMON_WORKS


def explains_passage(other: AlignedPassage, passage: AlignedPassage) -> bool:
    """Whether a passage of another work has most of this passage's initials of the page."""
    return _share_explained([passage], _mark_explained([other], [passage])) >= _MIN_SHARED_INITIALS


def works_with_same_text(works: Sequence[Sequence[AlignedPassage]]) -> list[list[int]]:
    """For the passages of each work in one page, return the numbers of the works with the same text."""
    explained = [_mark_explained(work, *works) for work in works]
    return [
        [
            number
            for number, other_explained in enumerate(explained)
            if works[number] is not work and _share_explained(work, other_explained) >= _MIN_SAME_TEXT_SHARE
        ]
        for work in works
    ]


def _mark_explained(passages: Sequence[AlignedPassage], *others: Sequence[AlignedPassage]) -> NDArray[np.bool_]:
    """Mark the initials of the page in these passages, up to the last one of these and the others."""
    marks = np.zeros(
        max(
            (int(passage.agreed[:, 0].max(initial=-1)) + 1 for group in (passages, *others) for passage in group),
            default=0,
        ),
        np.bool_,
    )
    for passage in passages:
        marks[passage.agreed[:, 0]] = True
    return marks


def _share_explained(passages: Sequence[AlignedPassage], explained: NDArray[np.bool_]) -> float:
    marks = [explained[passage.agreed[:, 0]] for passage in passages]
    initials = sum(map(len, marks))
    return sum(int(np.count_nonzero(mark)) for mark in marks) / initials if initials else 0.0


# Weight of an initial by the number of other works that share it ...
_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.0])
# ... on a page that is compiled from works of the library ...
_COMPILED_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0])
# ... in a passage that is hardly more than a quotation, as common phrases belong to nobody ...
_PHRASE_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 0.3, 0.1, 0.0])
_MAX_PHRASE_INITIALS = 60
# ... and in slight passages, and in headings and farewells, which authors repeat.
_EXCLUSIVE_WEIGHT = np.array([1.0, 0.0])
_MAX_HEADING_INITIALS = 160
_HEADING_EDGE = 20  # initials from the beginning or the end
_NO_INITIALS = np.empty((0, 2), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class WorkPassages:
    """A work that shares passages with the page. codes: its initials.

    suspected: whether these passages alone open a case. slight: passages that prove nothing where another work has
    them. shortest: initials of the shortest passage that is no quotation.
    """

    aligned: Sequence[AlignedPassage]
    codes: NDArray[np.uint8]
    suspected: bool = True
    slight: Collection[Passage] = ()
    shortest: int = MAX_QUOTATION_INITIALS


class LetterSharing:
    """The initials of a page that each of several works has.

    editions: for each work, the first work with the same text. Only initials of the page that a work has take memory,
    as a book of millions may share one sentence with each of hundreds of works.
    """

    def __init__(self, works: Sequence[WorkPassages]) -> None:
        self._works = works
        if len(works) == 1:  # the case of most pages
            self.editions = np.zeros(1, np.int64)
            return
        agreed = [passage.agreed for work in works for passage in work.aligned] or [_NO_INITIALS]
        ends = np.cumsum([sum(len(passage.agreed) for passage in work.aligned) for work in works])
        self._page_initials, self._work_initials = find_shared_letters(np.concatenate(agreed), ends)
        self._has = self._work_initials >= 0
        self._counts = self._has.sum(axis=1)
        self.editions = first_editions([work.codes for work in works], self._has)
        self._others = count_other_works(self._has, self.editions)

    def own_shares(self, number: int, *, compiled: bool = False) -> list[float]:
        """Return for each passage of a work its weight over its weight without other works, in [0, 1].

        compiled: the page is made of passages of several works, and shares no form with them.
        """
        return [self.own_share(number, passage, compiled=compiled) for passage in self._works[number].aligned]

    def own_share(self, number: int, passage: AlignedPassage, *, compiled: bool = False) -> float:
        """Return the same for one of the work's passages."""
        if len(self._works) == 1:
            return 1.0
        if not len(passage.agreed):
            return 1.0
        weights = _COMPILED_WEIGHT_BY_OTHERS if compiled else self._weights_by_others(number, passage)
        own = weigh_own_letters(
            np.sort(passage.agreed[:, 0]),
            (self._page_initials, self._work_initials, self._has, self._counts, self.editions, self._others),
            self._codes,
            number,
            not compiled,
            weights,
        )
        return float(own.sum() / len(own))

    def _weights_by_others(self, number: int, passage: AlignedPassage) -> NDArray[np.float64]:
        """Return the weights of a passage's initials by the number of other works that have them."""
        if passage.passage in self._works[number].slight:
            return _EXCLUSIVE_WEIGHT
        if max(passage.letters, self._works[number].shortest) < MAX_QUOTATION_INITIALS:
            return _PHRASE_WEIGHT_BY_OTHERS  # where users look for phrases, one at the edge is no heading
        length, offsets = len(self._works[number].codes), passage.agreed[:, 1]
        at_edge = offsets.min() <= _HEADING_EDGE or offsets.max() >= length - _HEADING_EDGE
        if at_edge and passage.letters <= _MAX_HEADING_INITIALS and 2 * passage.letters <= length:
            return _EXCLUSIVE_WEIGHT
        return _PHRASE_WEIGHT_BY_OTHERS if passage.letters < _MAX_PHRASE_INITIALS else _WEIGHT_BY_OTHERS

    @cached_property
    def _codes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The concatenated initials of all works, and the offset of each work."""
        starts = np.cumsum([0, *(len(work.codes) for work in self._works)])
        return np.concatenate([work.codes for work in self._works]), starts


_MIN_OWN_SHARE = 0.999  # share of a passage that is the work's own, from which nothing was discounted
_MIN_PIECE_INITIALS = MAX_QUOTATION_INITIALS / 2  # own initials of a passage beside others of the same work
_MIN_FIRM_WEIGHT = 100.0  # own weight of a work that was certainly copied
_MIN_COMPILED_WORKS = 2  # such works from which a page is a compilation, which shares no form with other works
# Two formulaic texts are alike without a copy, unless the weight or the share of the work is at least this.
_MIN_FORMULAIC_WEIGHT = 60.0
_MIN_FORMULAIC_SHARE = 0.5


def remove_common_text(
    works: Sequence[WorkPassages], formulaic: Callable[[int], bool] = lambda _: False
) -> list[list[AlignedPassage]]:
    """Return each work's passages that accuse it, their weights discounted for text of other works.

    formulaic: whether the page and the work of this number are formulaic (`matcher.retrieval.ranking`).
    """
    if not works:
        return []
    sharing = LetterSharing(works)
    shares = [_own_shares(sharing, number, work) for number, work in enumerate(works)]
    firm = sum(
        work.suspected and _weigh_shares(work.aligned, own) >= _MIN_FIRM_WEIGHT
        for work, own in zip(works, shares, strict=True)
    )
    if firm >= _MIN_COMPILED_WORKS:
        shares = [_own_shares(sharing, number, work, compiled=True) for number, work in enumerate(works)]
    kept = [_keep_own_passages(work, own) for work, own in zip(works, shares, strict=True)]
    editions = sharing.editions.tolist()
    standing = _standing_passages(works, kept, editions)
    # Only for works that would be accused, as each answer looks up a whole work.
    while not firm and (expected := [number for number in _find_light_works(works, standing) if formulaic(number)]):
        kept = [[] if number in expected else passages for number, passages in enumerate(kept)]
        standing = _standing_passages(works, kept, editions)
    return standing


def _find_light_works(works: Sequence[WorkPassages], standing: Sequence[Sequence[AlignedPassage]]) -> list[int]:
    pairs = enumerate(zip(works, standing, strict=True))
    return [number for number, (work, passages) in pairs if passages and _is_light(work, passages)]


def _own_shares(sharing: LetterSharing, number: int, work: WorkPassages, *, compiled: bool = False) -> list[float]:
    """Compute own shares of suspected works only."""
    return sharing.own_shares(number, compiled=compiled) if work.suspected else [1.0] * len(work.aligned)


def _weigh_shares(aligned: Sequence[AlignedPassage], shares: Sequence[float]) -> float:
    return sum(passage.weight * share for passage, share in zip(aligned, shares, strict=True))


def _keep_own_passages(work: WorkPassages, shares: Sequence[float]) -> list[AlignedPassage]:
    """Return the passages of which enough is the work's own."""
    min_initials = min(work.shortest, len(work.codes) / 2)
    own = [passage.letters * share for passage, share in zip(work.aligned, shares, strict=True)]
    enough = sum(own) >= min_initials
    return [
        passage if share == 1 else replace(passage, weight=passage.weight * share)
        for passage, share, own_initials in zip(work.aligned, shares, own, strict=True)
        if share >= _MIN_OWN_SHARE or (enough and own_initials >= min(_MIN_PIECE_INITIALS, min_initials))
    ]


def _is_light(work: WorkPassages, kept: Sequence[AlignedPassage]) -> bool:
    weight = sum(passage.weight for passage in work.aligned if any(passage.passage == other.passage for other in kept))
    return weight < _MIN_FORMULAIC_WEIGHT and sum(
        passage.agreeing for passage in work.aligned
    ) < _MIN_FORMULAIC_SHARE * len(work.codes)


def _standing_passages(
    works: Sequence[WorkPassages], kept: list[list[AlignedPassage]], editions: Sequence[int]
) -> list[list[AlignedPassage]]:
    """Return the passages that no other work explains better. Editions of one text share the result."""
    firsts = sorted(set(editions))
    stands = has_standing_passages(
        [kept[first] for first in firsts],
        [len(works[first].codes) for first in firsts],
        [works[first].shortest for first in firsts],
    )
    stands_by_edition = dict(zip(firsts, stands, strict=True))
    return [passages if stands_by_edition[first] else [] for passages, first in zip(kept, editions, strict=True)]
