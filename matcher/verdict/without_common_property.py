"""What remains of each work's passages in a page once common property is taken off, and is weighed by itself."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from matcher.alignment.align import Aligned
from matcher.verdict.quotation import QUOTATION
from matcher.verdict.shared_with_others import Shared, Sharing
from matcher.verdict.which_work_explains import settled

_WHOLLY = 0.999  # share of a passage that is the work's own, from which nothing was taken off
_PIECE = QUOTATION / 2  # own letters of a passage beside others of the same work
_FIRM = 100.0  # own weight of a work that was copied for certain; ...
_COMPILED = 2  # ... a page that copies so many of them was compiled, and shares no form with the others
# Of a likeness between two texts that are written in formulae, which says nothing unless most of the work is in it.
_LIKENESS = 60.0  # weight
_MOST = 0.5


def remaining(works: Sequence[Shared], formulaic: Callable[[int], bool] = lambda _: False) -> list[list[Aligned]]:
    """For each work the passages that accuse it, their weights less what other works share; empty where none does.

    formulaic: whether the page and the work of this number are written in formulae (`matcher.ranking.formulae`).
    """
    if not works:
        return []
    sharing = Sharing(works)
    shares = [_shares(sharing, number, work) for number, work in enumerate(works)]
    firm = sum(work.suspected and _weight(work.aligned, own) >= _FIRM for work, own in zip(works, shares, strict=True))
    if firm >= _COMPILED:
        shares = [_shares(sharing, number, work, compiled=True) for number, work in enumerate(works)]
    kept = [_kept(work, own) for work, own in zip(works, shares, strict=True)]
    editions = sharing.editions.tolist()
    standing = _standing(works, kept, editions)
    # Asked of those alone that would be accused: each answer is a look-up of a whole work.
    while not firm and (expected := [at for at in _light_ones(works, standing) if formulaic(at)]):
        kept = [[] if at in expected else passages for at, passages in enumerate(kept)]
        standing = _standing(works, kept, editions)
    return standing


def _light_ones(works: Sequence[Shared], standing: Sequence[Sequence[Aligned]]) -> list[int]:
    pairs = enumerate(zip(works, standing, strict=True))
    return [at for at, (work, passages) in pairs if passages and _light(work, passages)]


def _shares(sharing: Sharing, number: int, work: Shared, *, compiled: bool = False) -> list[float]:
    """What is asked only of works that may be accused."""
    return sharing.own_shares(number, compiled=compiled) if work.suspected else [1.0] * len(work.aligned)


def _weight(aligned: Sequence[Aligned], shares: Sequence[float]) -> float:
    return sum(one.weight * share for one, share in zip(aligned, shares, strict=True))


def _kept(work: Shared, shares: Sequence[float]) -> list[Aligned]:
    """The passages of which enough is the work's own."""
    least = min(QUOTATION, len(work.codes) / 2)
    own = [one.letters * share for one, share in zip(work.aligned, shares, strict=True)]
    enough = sum(own) >= least
    return [
        one if share == 1 else replace(one, weight=one.weight * share)
        for one, share, letters in zip(work.aligned, shares, own, strict=True)
        if share >= _WHOLLY or (enough and letters >= min(_PIECE, least))
    ]


def _light(work: Shared, kept: Sequence[Aligned]) -> bool:
    weight = sum(one.weight for one in work.aligned if any(one.passage == other.passage for other in kept))
    return weight < _LIKENESS and sum(one.agreeing for one in work.aligned) < _MOST * len(work.codes)


def _standing(works: Sequence[Shared], kept: list[list[Aligned]], editions: Sequence[int]) -> list[list[Aligned]]:
    """Those that no other work explains better; editions of one text stand and fall together."""
    firsts = sorted(set(editions))
    stands = settled([kept[first] for first in firsts], [len(works[first].codes) for first in firsts])
    answers = dict(zip(firsts, stands, strict=True))
    return [passages if answers[first] else [] for passages, first in zip(kept, editions, strict=True)]
