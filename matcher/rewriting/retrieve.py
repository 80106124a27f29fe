"""Where in which works the rare words of a page stand together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.features import Features
from matcher.index.port import Index
from matcher.rewriting.evidence import Portion
from matcher.rewriting.rare_words import GRAIN

MOST = 16  # documents that are looked at closely
PAGE = 180  # characters of a page that are held against
WORK = 220  # characters of a work
_STEP = 48  # characters between one stretch and the next
_CELL = _STEP // GRAIN
_WIDE, _HIGH = 4, 5  # cells of a rectangle
_SHORTLIST = 256  # documents whose words are weighed place by place

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


class Retrieved(NamedTuple):
    """A document of the index with the stretch of the page and that of the document that share most."""

    number: int
    page: Portion
    work: Portion
    weight: float


def retrieve(index: Index, words: Features, documents: int, most: int = MOST) -> list[Retrieved]:
    """The documents that share most rare words with one stretch of a page, best first.

    words: of the page, or of a piece of it (`rare_words`); documents: how many the index holds. Raises what the index
    raises.
    """
    hits = index.look_up(Features(words.values, np.arange(len(words), dtype=np.uint32)))
    if not len(hits):
        return []
    numbers, owner = np.unique(hits.numbers, return_inverse=True)
    word = np.unique(words.values, return_inverse=True)[1][hits.query_positions]
    rarity = _rarity(word, owner, documents)
    near = _promising(word, owner, rarity)
    owner, word = owner[near], word[near]
    page = words.positions[hits.query_positions[near]].astype(np.int64) // _CELL
    work = hits.positions[near].astype(np.int64) // _CELL
    corners = np.concatenate([_corner(owner, page - x, work - y) for x in range(_WIDE) for y in range(_HIGH)])
    places, which = np.unique(corners, return_inverse=True)
    # A word counts once in a rectangle, however often either side repeats it.
    once = np.unique(which << 32 | np.tile(word, _WIDE * _HIGH))
    held = np.bincount(once >> 32, rarity[once & 0xFFFFFFFF])
    found: dict[int, Retrieved] = {}
    for one in np.argsort(-held, kind="stable").tolist():
        number, left, low = _parts(int(places[one]))
        if number not in found and len(found) < most:
            found[number] = Retrieved(
                int(numbers[number]),
                Portion(left * _STEP, left * _STEP + PAGE),
                Portion(low * _STEP, low * _STEP + WORK),
                float(held[one]),
            )
    return list(found.values())


def _rarity(word: I64, owner: I64, documents: int) -> F64:
    """f8[word]: what each word tells, the fewer documents hold it the more."""
    pairs = np.unique(word << 32 | owner)
    return np.asarray(np.log((documents + 1) / np.maximum(1, np.bincount(pairs >> 32))))


def _promising(word: I64, owner: I64, rarity: F64) -> I64:
    """The hits in the documents that share most words."""
    pairs = np.unique(owner << 32 | word)
    total = np.bincount(pairs >> 32, rarity[pairs & 0xFFFFFFFF])
    return np.flatnonzero(total[owner] >= np.sort(total)[-_SHORTLIST:][0])


def _corner(owner: I64, page: I64, work: I64) -> I64:
    """Rectangles of cells by their document and corner, in one number each."""
    return owner << 32 | np.maximum(page, 0) << 16 | np.maximum(work, 0)


def _parts(corner: int) -> tuple[int, int, int]:
    return corner >> 32, corner >> 16 & 0xFFFF, corner & 0xFFFF
