"""Discount text that several works share."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.best_explanation import has_standing_passages
from matcher.attribution.letter_ownership import (
    count_other_works,
    find_shared_letters,
    first_editions,
    weigh_own_letters,
)
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.model import Passage

# What of a passage says that it was copied from this work: the letters that other works do not have just as well.
#
# Letters that many works share are common property. So are those that two works share where the page takes up nothing
# of what tells the two apart: a form that all three were filled into, or a third text that all three quote. Textual
# critics call this the rule of shared readings: a copy inherits what is peculiar to its source.


# What a letter still tells that so many other works share: beyond one, less and less ...
_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.0])
# ... and where the page is known to be compiled from works of the library.
_COMPILED_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0])
# ... and of a passage that is hardly more than a quotation: a phrase that several say is nobody's.
_PHRASE_WEIGHT_BY_OTHERS = np.array([1.0, 1.0, 0.3, 0.1, 0.0])
_MAX_PHRASE_LETTERS = 60  # letters
# ... and of what says something of one work only: what is slight, and a heading or a farewell that its author repeats.
_EXCLUSIVE_WEIGHT = np.array([1.0, 0.0])
_MAX_HEADING_LETTERS = 160  # letters
_HEADING_EDGE = 20  # letters from the beginning or the end
_NO_LETTERS = np.empty((0, 2), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class WorkPassages:
    """A work that shares passages with the page. codes: its letters; suspected: whether they alone open a case.

    slight: passages that say nothing where another work has them, too.
    """

    aligned: Sequence[AlignedPassage]
    codes: NDArray[np.uint8]
    suspected: bool = True
    slight: Collection[Passage] = ()


class LetterSharing:
    """Which letters of a page each of some works has. editions: for each work, the first one that is the same text.

    Only letters of the page that one of them has take room: a book of millions may share a sentence with each of
    hundreds.
    """

    def __init__(self, works: Sequence[WorkPassages]) -> None:
        self._works = works
        if len(works) == 1:  # most pages share text with one, whose letters nobody else has
            self.editions = np.zeros(1, np.int64)
            return
        agreed = [one.agreed for work in works for one in work.aligned] or [_NO_LETTERS]
        ends = np.cumsum([sum(len(one.agreed) for one in work.aligned) for work in works])
        self._pages, self._places = find_shared_letters(np.concatenate(agreed), ends)
        self._has = self._places >= 0
        self._counts = self._has.sum(axis=1)
        self.editions = first_editions([work.codes for work in works], self._has)
        self._others = count_other_works(self._has, self.editions)

    def own_shares(self, number: int, *, compiled: bool = False) -> list[float]:
        """For each passage of a work what its letters tell of this work, of all that they would tell if no other work
        had them: in [0, 1].

        compiled: the page is known to be made of passages of several works, and to share no form with them.
        """
        return [self.own_share(number, one, compiled=compiled) for one in self._works[number].aligned]

    def own_share(self, number: int, one: AlignedPassage, *, compiled: bool = False) -> float:
        """The same for one of the work's passages."""
        if len(self._works) == 1:
            return 1.0
        if not len(one.agreed):
            return 1.0
        tells = _COMPILED_WEIGHT_BY_OTHERS if compiled else self._tells(number, one)
        own = weigh_own_letters(
            np.sort(one.agreed[:, 0]),
            (self._pages, self._places, self._has, self._counts, self.editions, self._others),
            self._codes,
            number,
            not compiled,
            tells,
        )
        return float(own.sum() / len(own))

    def _tells(self, number: int, one: AlignedPassage) -> NDArray[np.float64]:
        """What a letter of a passage tells, by how many others have it."""
        if one.passage in self._works[number].slight:
            return _EXCLUSIVE_WEIGHT
        length, places = len(self._works[number].codes), one.agreed[:, 1]
        at_edge = places.min() <= _HEADING_EDGE or places.max() >= length - _HEADING_EDGE
        if at_edge and one.letters <= _MAX_HEADING_LETTERS and 2 * one.letters <= length:
            return _EXCLUSIVE_WEIGHT
        return _PHRASE_WEIGHT_BY_OTHERS if one.letters < _MAX_PHRASE_LETTERS else _WEIGHT_BY_OTHERS

    @cached_property
    def _codes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The letters of all works, one behind the other, and where each work's begin."""
        starts = np.cumsum([0, *(len(work.codes) for work in self._works)])
        return np.concatenate([work.codes for work in self._works]), starts


_MIN_OWN_SHARE = 0.999  # share of a passage that is the work's own, from which nothing was taken off
_MIN_PIECE_LETTERS = MAX_QUOTATION_INITIALS / 2  # own letters of a passage beside others of the same work
_MIN_FIRM_WEIGHT = 100.0  # own weight of a work that was copied for certain; ...
_MIN_COMPILED_WORKS = 2  # ... a page that copies so many of them was compiled, and shares no form with the others
# Of a likeness between two texts that are written in formulae, which says nothing unless most of the work is in it.
_MIN_FORMULAIC_WEIGHT = 60.0  # weight
_MIN_FORMULAIC_SHARE = 0.5


def remove_common_text(
    works: Sequence[WorkPassages], formulaic: Callable[[int], bool] = lambda _: False
) -> list[list[AlignedPassage]]:
    """For each work the passages that accuse it, their weights less what other works share; empty where none does.

    formulaic: whether the page and the work of this number are written in formulae (`matcher.retrieval.stop_features`).
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
    # Asked of those alone that would be accused: each answer is a look-up of a whole work.
    while not firm and (expected := [at for at in _find_light_works(works, standing) if formulaic(at)]):
        kept = [[] if at in expected else passages for at, passages in enumerate(kept)]
        standing = _standing_passages(works, kept, editions)
    return standing


def _find_light_works(works: Sequence[WorkPassages], standing: Sequence[Sequence[AlignedPassage]]) -> list[int]:
    pairs = enumerate(zip(works, standing, strict=True))
    return [at for at, (work, passages) in pairs if passages and _is_light(work, passages)]


def _own_shares(sharing: LetterSharing, number: int, work: WorkPassages, *, compiled: bool = False) -> list[float]:
    """What is asked only of works that may be accused."""
    return sharing.own_shares(number, compiled=compiled) if work.suspected else [1.0] * len(work.aligned)


def _weigh_shares(aligned: Sequence[AlignedPassage], shares: Sequence[float]) -> float:
    return sum(one.weight * share for one, share in zip(aligned, shares, strict=True))


def _keep_own_passages(work: WorkPassages, shares: Sequence[float]) -> list[AlignedPassage]:
    """The passages of which enough is the work's own."""
    least = min(MAX_QUOTATION_INITIALS, len(work.codes) / 2)
    own = [one.letters * share for one, share in zip(work.aligned, shares, strict=True)]
    enough = sum(own) >= least
    return [
        one if share == 1 else replace(one, weight=one.weight * share)
        for one, share, letters in zip(work.aligned, shares, own, strict=True)
        if share >= _MIN_OWN_SHARE or (enough and letters >= min(_MIN_PIECE_LETTERS, least))
    ]


def _is_light(work: WorkPassages, kept: Sequence[AlignedPassage]) -> bool:
    weight = sum(one.weight for one in work.aligned if any(one.passage == other.passage for other in kept))
    return weight < _MIN_FORMULAIC_WEIGHT and sum(one.agreeing for one in work.aligned) < _MIN_FORMULAIC_SHARE * len(
        work.codes
    )


def _standing_passages(
    works: Sequence[WorkPassages], kept: list[list[AlignedPassage]], editions: Sequence[int]
) -> list[list[AlignedPassage]]:
    """Those that no other work explains better; editions of one text stand and fall together."""
    firsts = sorted(set(editions))
    stands = has_standing_passages([kept[first] for first in firsts], [len(works[first].codes) for first in firsts])
    answers = dict(zip(firsts, stands, strict=True))
    return [passages if answers[first] else [] for passages, first in zip(kept, editions, strict=True)]
