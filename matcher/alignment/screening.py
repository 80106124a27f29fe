"""Screen candidate works by their initials alone, before they are aligned.

Most candidates of a small library share a few chance features with a page, and no passage. A screen refuses only what
alignment would return nothing for: every passage begins with a block of `seed_and_extend` or `word_reordering`, and
blocks that are lighter than a passage make none.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS, Initials, code_points
from fingerprinter.compiled import compiled
from matcher.alignment.local_alignment import MIN_BLOCK_SCORE
from matcher.alignment.passage_segmentation import MIN_PASSAGE_WEIGHT
from matcher.alignment.seed_and_extend import SEED_LENGTH, Blocks, block_weights, cumulative_information, find_blocks
from matcher.alignment.word_reordering import find_scattered_blocks
from matcher.retrieval.inserted_adverts import places_without_furniture

# All bounds below are as wide as those of the two modules, or wider: for one text or the other may be the longer one.
_MIN_RUN = 8  # initials of a seed that is extended at once
_MAX_SEEDS_APART = 64  # initials of the work between two seeds of one block: 40, a short run, and two bands
_SEED_BAND_BITS = 3  # bands of 2**3 diagonals; neighbouring ones count as near
_MIN_BIGRAMS = 9  # bigrams of a chain
_MAX_BIGRAMS_APART = 28  # initials of the work between two bigrams of a chain: 12, and a band of 16 diagonals
_BIGRAM_BAND_BITS = 4  # each bigram counts in two bands of 2**4 diagonals that follow each other
_MAX_OCCURRENCES = 64  # of a gram on the page; a work with a gram that has more of them passes
_MIN_BANDS: Final = 1024  # bands, by their numbers modulo this power of two
_SLOTS_PER_GRAM = 16  # so that few grams of a work meet a slot that is taken by chance
_MIN_TABLE_BITS, _MAX_TABLE_BITS = 12, 22
_MAX_JOINED_INITIALS = 4_000_000  # initials of the works that are screened in one call
_MAX_KEPT_WORKS, _MAX_KEPT_INITIALS = 64, 65_536  # works whose blocks are kept until they are aligned
_ROUNDING = 1e-6  # weight by which two sums of the same weights may differ
_SEED_MASK = (1 << (CODE_BITS * SEED_LENGTH)) - 1
_POINT_BITS = 21
_FIRST_HAN = 0x3400
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)  # stands for no gram: its slot is asked, and nothing equals it
_CODES = "Array(u1, 1, 'C', readonly=True)"
_POINTS = "Array(u4, 1, 'C', readonly=True)"

Codes = NDArray[np.uint8]
Points = NDArray[np.uint32]
Number = TypeVar("Number", np.uint8, np.uint32)


class PageScreen:
    """One page, against which works are screened. kept: offsets of the initials outside furniture, or None."""

    def __init__(self, text: str, page: Initials) -> None:
        self.kept = places_without_furniture(page.codes)
        self._seeds = [_SeedTable(page.codes)]
        if self.kept is not None:
            self._seeds.append(_SeedTable(page.codes[self.kept]))
        self._text = text
        self._page = page
        self._bigrams: _BigramTable | None = None  # made when it is first asked

    def mask_sharing(self, works: Sequence[Codes]) -> NDArray[np.bool_]:
        """Mark the works of which `align_pair` may find a passage, if it is not thorough: bool[n]. False is certain.

        works: the initials of each. The shortest passage is the usual one, and the page is read in no other way.
        """
        return self._seeds[0].mask_sharing(works)

    def take_blocks(self, work: Codes) -> Blocks | None:
        """Return the blocks that `mask_sharing` found with a work, if they are kept, and forget them."""
        return self._seeds[0].blocks.pop(work.tobytes(), None)

    def drop_blocks(self) -> None:
        """Forget all blocks that nobody took."""
        self._seeds[0].blocks.clear()

    def mask_sharing_scattered(
        self, works: Sequence[Codes], points: Sequence[Points | NDArray[np.uint16]]
    ) -> NDArray[np.bool_]:
        """Mark the works of which a thorough comparison may find more than `mask_sharing` tells. False is certain.

        points: the code point of each initial of each work.
        """
        if self._bigrams is None:
            self._bigrams = _BigramTable(code_points(self._text)[self._page.starts])
        sharing = self._bigrams.mask_sharing([each.astype(np.uint32, copy=False) for each in points])
        for table in self._seeds[1:]:
            sharing |= table.mask_sharing(works)
        return sharing


class _GramTable(NamedTuple):
    """Grams chained by their hashes.

    heads: by slot, the last offset plus 1. previous: by offset, the previous one of its slot plus 1. grams: u64[n].
    """

    heads: NDArray[np.int32]
    previous: NDArray[np.int32]
    grams: NDArray[np.uint64]


class _SeedTable:
    """The seeds of a page. blocks: those of works that share seeds, by the work's initials, as alignment needs them."""

    def __init__(self, codes: Codes) -> None:
        self.blocks: dict[bytes, Blocks] = {}
        self._codes = codes
        self._info = cumulative_information(codes)
        self._table = _GramTable(*_chain_grams(_pack_seeds(codes)))
        self._bands = _make_bands(len(codes))

    def mask_sharing(self, works: Sequence[Codes]) -> NDArray[np.bool_]:
        """Mark the works whose blocks may be heavy enough for a passage."""
        sharing = np.zeros(len(works), np.bool_)
        for group in _group_texts(works):
            sharing[group] = _mask_sharing_seeds(self._codes, *self._table, self._bands, *_join_texts(works[group]))
        for number in np.flatnonzero(sharing).tolist():
            sharing[number] = self._has_weight(works[number])
        return sharing

    def _has_weight(self, work: Codes) -> bool:
        """Return whether all blocks together weigh as much as a passage. A passage is made of some of them."""
        blocks = find_blocks(self._codes, work, MIN_BLOCK_SCORE)
        if not len(blocks.score):
            return False
        has_weight = bool(block_weights(blocks, self._info).sum() >= MIN_PASSAGE_WEIGHT - _ROUNDING)
        if has_weight and len(work) <= _MAX_KEPT_INITIALS and len(self.blocks) < _MAX_KEPT_WORKS:
            self.blocks[work.tobytes()] = blocks
        return has_weight


class _BigramTable:
    """The bigrams of a page."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._table = _GramTable(*_chain_grams(_pack_bigrams(points)))
        self._bands = _make_bands(len(points))

    def mask_sharing(self, works: Sequence[Points]) -> NDArray[np.bool_]:
        """Mark the works that share a block of scattered words."""
        sharing = np.zeros(len(works), np.bool_)
        for group in _group_texts(works):
            sharing[group] = _mask_sharing_bigrams(*self._table, self._bands, *_join_texts(works[group]))
        for number in np.flatnonzero(sharing).tolist():
            sharing[number] = len(find_scattered_blocks(self._points, works[number]).score) > 0
        return sharing


def _group_texts(texts: Sequence[NDArray[Any]]) -> Iterator[slice]:
    """Yield slices of the texts that have at most `_MAX_JOINED_INITIALS` together, or one text that has more."""
    first = joined = 0
    for number, text in enumerate(texts):
        if number > first and joined + len(text) > _MAX_JOINED_INITIALS:
            yield slice(first, number)
            first, joined = number, 0
        joined += len(text)
    if len(texts) > first:
        yield slice(first, len(texts))


def _join_texts(texts: Sequence[NDArray[Number]]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """Return the texts in one array, and where each begins, with the end of the last: i64[n + 1].

    A compiled function takes longer to be called than to screen a short text.
    """
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    return np.concatenate(texts), starts


def _make_bands(initials: int) -> NDArray[np.int32]:
    return np.empty((2, max(_MIN_BANDS, 1 << (initials >> _SEED_BAND_BITS).bit_length())), np.int32)


@compiled(f"u8[::1]({_CODES})")
def _pack_seeds(codes):  # type: ignore[no-untyped-def]  # compiled
    grams = np.empty(max(0, len(codes) - SEED_LENGTH + 1), np.uint64)
    gram = 0
    for offset in range(len(codes)):
        gram = ((gram << CODE_BITS) | codes[offset]) & _SEED_MASK
        if offset >= SEED_LENGTH - 1:
            grams[offset - SEED_LENGTH + 1] = gram
    return grams


@compiled(f"u8({_POINTS}, i8)")
def _bigram_at(points, offset):  # type: ignore[no-untyped-def]  # compiled
    if points[offset] < _FIRST_HAN or points[offset + 1] < _FIRST_HAN:
        return _NONE
    return (np.uint64(points[offset]) << np.uint64(_POINT_BITS)) | np.uint64(points[offset + 1])


@compiled(f"u8[::1]({_POINTS})")
def _pack_bigrams(points):  # type: ignore[no-untyped-def]  # compiled
    grams = np.empty(max(0, len(points) - 1), np.uint64)
    for offset in range(len(grams)):
        grams[offset] = _bigram_at(points, offset)
    return grams


@compiled("Tuple((i4[::1], i4[::1], u8[::1]))(u8[::1])")
def _chain_grams(grams):  # type: ignore[no-untyped-def]  # compiled
    """Return the columns of a `_GramTable`; the number of slots is a power of two."""
    bits = _MIN_TABLE_BITS
    while (1 << bits) < _SLOTS_PER_GRAM * len(grams) and bits < _MAX_TABLE_BITS:
        bits += 1
    shift = np.uint64(64 - bits)
    heads = np.zeros(1 << bits, np.int32)
    previous = np.zeros(len(grams), np.int32)
    for offset in range(len(grams)):
        if grams[offset] != _NONE:
            slot = (grams[offset] * _HASH_FACTOR) >> shift
            previous[offset] = heads[slot]
            heads[slot] = offset + 1
    return heads, previous, grams


@compiled("u8(i4[::1])")
def _slot_shift(heads):  # type: ignore[no-untyped-def]  # compiled
    bits = 0
    while (1 << bits) < len(heads):
        bits += 1
    return np.uint64(64 - bits)


@compiled(f"b1({_CODES}, i4[::1], i4[::1], u8[::1], i4[:,::1], {_CODES})")
def _may_share_seeds(page, heads, previous, grams, bands, work):  # type: ignore[no-untyped-def]  # compiled
    """Whether a run of shared initials is long, or two short ones stand near each other on near diagonals.

    bands: room for the last seed of each band.
    """
    shift = _slot_shift(heads)
    last_seeds = bands[0]
    mask = len(last_seeds) - 1
    last_seeds[:] = -_MAX_SEEDS_APART - 1
    gram = 0
    for offset in range(len(work)):
        gram = ((gram << CODE_BITS) | work[offset]) & _SEED_MASK
        j = offset - SEED_LENGTH + 1
        if j < 0:
            continue
        link = heads[(np.uint64(gram) * _HASH_FACTOR) >> shift]
        occurrences = 0
        while link > 0:
            i = link - 1
            link = previous[i]
            if grams[i] != gram:
                continue
            occurrences += 1
            if occurrences > _MAX_OCCURRENCES:
                return True
            band = (j - i + len(page)) >> _SEED_BAND_BITS
            run = 0  # initials of the run before this seed
            while run < min(i, j) and run < _MIN_RUN - SEED_LENGTH and page[i - run - 1] == work[j - run - 1]:
                run += 1
            if run >= _MIN_RUN - SEED_LENGTH:
                return True
            if run == 0:
                near = max(last_seeds[(band - 1) & mask], last_seeds[band & mask], last_seeds[(band + 1) & mask])
                if near >= j - _MAX_SEEDS_APART:
                    return True
            last_seeds[band & mask] = j
    return False


@compiled(f"b1[::1]({_CODES}, i4[::1], i4[::1], u8[::1], i4[:,::1], u1[::1], i8[::1])")
def _mask_sharing_seeds(page, heads, previous, grams, bands, works, starts):  # type: ignore[no-untyped-def]  # compiled
    """Return `_may_share_seeds` for each of several works that stand behind each other."""
    sharing = np.empty(len(starts) - 1, np.bool_)
    for number in range(len(sharing)):
        sharing[number] = _may_share_seeds(
            page, heads, previous, grams, bands, works[starts[number] : starts[number + 1]]
        )
    return sharing


@compiled(f"b1(i4[::1], i4[::1], u8[::1], i4[:,::1], {_POINTS})")
def _may_share_bigrams(heads, previous, grams, bands, work):  # type: ignore[no-untyped-def]  # compiled
    """Whether so many shared bigrams follow each other closely in two bands of diagonals. bands: room for a band's last
    bigram and the length of its chain.
    """
    shift = _slot_shift(heads)
    last_bigrams, lengths = bands[0], bands[1]
    mask = len(last_bigrams) - 1
    last_bigrams[:] = -_MAX_BIGRAMS_APART - 1
    for j in range(len(work) - 1):
        gram = _bigram_at(work, j)
        if gram == _NONE:
            continue
        link = heads[(gram * _HASH_FACTOR) >> shift]
        occurrences = 0
        while link > 0:
            i = link - 1
            link = previous[i]
            if grams[i] != gram:
                continue
            occurrences += 1
            if occurrences > _MAX_OCCURRENCES:
                return True
            upper = (j - i + len(grams)) >> _BIGRAM_BAND_BITS
            for band in (upper - 1, upper):
                place = band & mask
                lengths[place] = lengths[place] + 1 if j - last_bigrams[place] <= _MAX_BIGRAMS_APART else 1
                last_bigrams[place] = j
                if lengths[place] >= _MIN_BIGRAMS:
                    return True
    return False


@compiled("b1[::1](i4[::1], i4[::1], u8[::1], i4[:,::1], u4[::1], i8[::1])")
def _mask_sharing_bigrams(heads, previous, grams, bands, works, starts):  # type: ignore[no-untyped-def]  # compiled
    """Return `_may_share_bigrams` for each of several works that stand behind each other."""
    sharing = np.empty(len(starts) - 1, np.bool_)
    for number in range(len(sharing)):
        sharing[number] = _may_share_bigrams(heads, previous, grams, bands, works[starts[number] : starts[number + 1]])
    return sharing
