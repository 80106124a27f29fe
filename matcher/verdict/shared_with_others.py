"""What of a passage says that it was copied from this work: the letters that other works do not have just as well.

Letters that many works share are common property. So are those that two works share where the page takes up nothing of
what tells the two apart: a form that all three were filled into, or a third text that all three quote. Textual critics
call this the rule of shared readings: a copy inherits what is peculiar to its source.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.align import Aligned
from matcher.verdict.editions import first_editions
from store.records import Passage

# What a letter still tells that so many other works share: beyond one, less and less ...
_TELLS = np.array([1.0, 1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.0])
# ... and where the page is known to be compiled from works of the library.
_TELLS_OF_COMPILED = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0])
# ... and of a passage that is hardly more than a quotation: a phrase that several say is nobody's.
_TELLS_OF_PHRASE = np.array([1.0, 1.0, 0.3, 0.1, 0.0])
_PHRASE = 60  # letters
# ... and of what says something of one work only: what is slight, and a heading or a farewell that its author repeats.
_TELLS_ALONE = np.array([1.0, 0.0])
_HEADING = 160  # letters
_EDGE = 20  # letters from the beginning or the end
_PECULIAR = 8  # letters in which two works differ, from which it can be told whether the page inherits them
_FOLLOWED = 3  # ... and where the page has all of one work's and nothing of the other's
_INHERITED = 0.5  # share of the former, below which the page owes what both share to neither
_ALL = 0.9  # ... and from which it has them from this work, whatever the other one shares
_WHOLE = 0.9  # share of a work, from which all of it was copied, and all its letters are compared
_SLOT = 48  # letters between two that all three share, up to which they stand in the same place
_NONE = np.empty(0, np.int32)

Letters = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """A work that shares passages with the page. codes: its letters; suspected: whether they alone open a case.

    slight: passages that say nothing where another work has them, too.
    """

    aligned: Sequence[Aligned]
    codes: NDArray[np.uint8]
    suspected: bool = True
    slight: Collection[Passage] = ()


class Sharing:
    """Which letters of a page each of some works has. editions: for each work, the first one that is the same text.

    Only letters of the page that one of them has take room: a book of millions may share a sentence with each of
    hundreds.
    """

    def __init__(self, works: Sequence[Shared]) -> None:
        self._works = works
        if len(works) == 1:  # most pages share text with one, whose letters nobody else has
            self.editions = np.zeros(1, np.int64)
            return
        self._pages = np.unique(np.concatenate([one.agreed[:, 0] for work in works for one in work.aligned] or [_NONE]))
        self._places = np.stack([self._places_in(work) for work in works])
        self._has = self._places >= 0
        self._counts = self._has.sum(axis=1).tolist()
        self.editions = first_editions([work.codes for work in works], self._has)
        firsts = np.unique(self.editions)
        having = np.zeros(len(self._pages), np.int64)
        for first in firsts:
            having += self._has[self.editions == first].any(axis=0)
        self._others = np.maximum(having - 1, 0)

    def own_shares(self, number: int, *, compiled: bool = False) -> list[float]:
        """For each passage of a work what its letters tell of this work, of all that they would tell if no other work
        had them: in [0, 1].

        compiled: the page is known to be made of passages of several works, and to share no form with them.
        """
        return [self.own_share(number, one, compiled=compiled) for one in self._works[number].aligned]

    def own_share(self, number: int, one: Aligned, *, compiled: bool = False) -> float:
        """The same for one of the work's passages."""
        if len(self._works) == 1:
            return 1.0
        on_page = np.searchsorted(self._pages, np.sort(one.agreed[:, 0])).astype(np.int32)
        if not len(on_page):
            return 1.0
        others = self._others[on_page].copy()
        common = np.zeros(len(on_page), np.bool_)
        rivals = self._rivals(number, on_page)[: 0 if compiled else None]
        for other, (differing, inherited) in zip(rivals.tolist(), self._peculiar(on_page, number, rivals), strict=True):
            if differing < _PECULIAR:
                owed = differing >= _FOLLOWED and not inherited and self._has[other, on_page].all()
                if owed and self._follows(on_page, other, number):
                    return 0.0
                continue
            if inherited < _INHERITED * differing:
                common |= self._has[other, on_page]
            elif inherited >= _ALL * differing and self.editions[other] == other:
                others -= self._has[other, on_page]
        tells = _TELLS_OF_COMPILED if compiled else self._tells(number, one)
        own = np.where(common, 0.0, tells[np.clip(others, 0, len(tells) - 1)])
        return float(own.sum() / len(on_page))

    def _tells(self, number: int, one: Aligned) -> NDArray[np.float64]:
        """What a letter of a passage tells, by how many others have it."""
        if one.passage in self._works[number].slight:
            return _TELLS_ALONE
        length, places = len(self._works[number].codes), one.agreed[:, 1]
        at_edge = places.min() <= _EDGE or places.max() >= length - _EDGE
        if at_edge and one.letters <= _HEADING and 2 * one.letters <= length:
            return _TELLS_ALONE
        return _TELLS_OF_PHRASE if one.letters < _PHRASE else _TELLS

    def _follows(self, on_page: Letters, number: int, other: int) -> bool:
        """Whether the page has what is peculiar to a work beside another one."""
        ((differing, inherited),) = self._peculiar(on_page, number, np.array([other]))
        return differing >= _FOLLOWED and inherited >= _ALL * differing

    def _rivals(self, number: int, on_page: Letters) -> NDArray[np.int64]:
        """Other works that have some of these letters of the page, but no editions of the same text."""
        having = self._has[:, on_page].any(axis=1) & (self.editions != self.editions[number])
        return np.flatnonzero(having)

    def _peculiar(self, on_page: Letters, number: int, others: NDArray[np.int64]) -> list[list[int]]:
        """For each of some others, letters that a work has and the other one has not, and how many the page has."""
        length = len(self._works[number].codes)
        if self._counts[number] >= _WHOLE * length:
            both = (self._has[others] & self._has[number]).sum(axis=1).tolist()
            return [[length - shared, self._counts[number] - shared] for shared in both]
        found: list[list[int]] = _all_readings(
            on_page, self._pages, self._places, number, others, *self._codes
        ).tolist()
        return found

    @cached_property
    def _codes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The letters of all works, one behind the other, and where each work's begin."""
        starts = np.cumsum([0, *(len(work.codes) for work in self._works)])
        return np.concatenate([work.codes for work in self._works]), starts

    def _places_in(self, work: Shared) -> Letters:
        """i32[n]: the letter of the work that each of the letters agrees with; -1 where there is none."""
        places = np.full(len(self._pages), -1, np.int32)
        for one in work.aligned:
            places[np.searchsorted(self._pages, one.agreed[:, 0])] = one.agreed[:, 1]
        return places


_I4 = "Array(i4, 1, 'C', readonly=True)"
_CODES = "Array(u1, 1, 'C', readonly=True)"


@compiled(f"UniTuple(i8, 2)({_I4}, {_I4}, {_I4}, {_CODES}, {_I4}, {_CODES})")
def _readings(on_page, pages, mine, codes, theirs, their_codes):  # type: ignore[no-untyped-def]  # compiled
    """Letters in which a work differs from another one between those that both share with the page, and how many of
    them the page has.
    """
    differing = 0
    inherited = 0
    last = -1
    for here in on_page:
        if theirs[here] < 0 or mine[here] < 0:
            continue
        begin, end = mine[last] + 1, mine[here]
        their_begin, their_end = theirs[last] + 1, theirs[here]
        between = pages[here] - pages[last] - 1
        near = max(end - begin, their_end - their_begin, between) <= _SLOT
        if last >= 0 and begin <= end and their_begin <= their_end and near:
            while begin < end and their_begin < their_end and codes[begin] == their_codes[their_begin]:
                begin += 1
                their_begin += 1
            while begin < end and their_begin < their_end and codes[end - 1] == their_codes[their_end - 1]:
                end -= 1
                their_end -= 1
            if begin < end:
                differing += end - begin
                for place in range(last + 1, here):
                    inherited += begin <= mine[place] < end
            else:  # it leaves out what the other has
                differing += their_end - their_begin
                inherited += 0 if between else their_end - their_begin
        last = here
    return differing, inherited


@compiled(f"i8[:,::1]({_I4}, {_I4}, i4[:,::1], i8, i8[::1], u1[::1], i8[::1])")
def _all_readings(on_page, pages, places, number, others, codes, starts):  # type: ignore[no-untyped-def]  # compiled
    """What `_readings` finds of a work beside each of some others: i8[others, 2]."""
    found = np.empty((len(others), 2), np.int64)
    mine = codes[starts[number] : starts[number + 1]]
    for at in range(len(others)):
        other = others[at]
        theirs = codes[starts[other] : starts[other + 1]]
        found[at, 0], found[at, 1] = _readings(on_page, pages, places[number], mine, places[other], theirs)
    return found
