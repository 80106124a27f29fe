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

from matcher.alignment.align import Aligned
from matcher.verdict.editions import first_editions
from matcher.verdict.letters_of_works import letters_of_works, others_having, own_letters
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
_NONE = np.empty((0, 2), np.int32)


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
        agreed = [one.agreed for work in works for one in work.aligned] or [_NONE]
        ends = np.cumsum([sum(len(one.agreed) for one in work.aligned) for work in works])
        self._pages, self._places = letters_of_works(np.concatenate(agreed), ends)
        self._has = self._places >= 0
        self._counts = self._has.sum(axis=1)
        self.editions = first_editions([work.codes for work in works], self._has)
        self._others = others_having(self._has, self.editions)

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
        if not len(one.agreed):
            return 1.0
        tells = _TELLS_OF_COMPILED if compiled else self._tells(number, one)
        own = own_letters(
            np.sort(one.agreed[:, 0]),
            (self._pages, self._places, self._has, self._counts, self.editions, self._others),
            self._codes,
            number,
            not compiled,
            tells,
        )
        return float(own.sum() / len(own))

    def _tells(self, number: int, one: Aligned) -> NDArray[np.float64]:
        """What a letter of a passage tells, by how many others have it."""
        if one.passage in self._works[number].slight:
            return _TELLS_ALONE
        length, places = len(self._works[number].codes), one.agreed[:, 1]
        at_edge = places.min() <= _EDGE or places.max() >= length - _EDGE
        if at_edge and one.letters <= _HEADING and 2 * one.letters <= length:
            return _TELLS_ALONE
        return _TELLS_OF_PHRASE if one.letters < _PHRASE else _TELLS

    @cached_property
    def _codes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The letters of all works, one behind the other, and where each work's begin."""
        starts = np.cumsum([0, *(len(work.codes) for work in self._works)])
        return np.concatenate([work.codes for work in self._works]), starts
