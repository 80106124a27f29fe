"""How far two texts agree inside a block, letter by letter and character by character."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.blocks import Blocks

_LOOK = 12  # letters ahead on either side in which the texts must meet again
_MEET = 3  # letters that agree where they meet


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


def agreement(
    page: NDArray[np.uint8],
    page_characters: NDArray[np.uint32],
    work: NDArray[np.uint8],
    work_characters: NDArray[np.uint32],
    blocks: Blocks,
) -> Agreement:
    """Walk each block once. page, work: letters; *_characters: the code point that each letter stands for."""
    counted, agreed, others = _walk(page, page_characters, work, work_characters, *blocks[:4])
    longest, page_start, work_start = counted
    return Agreement(longest, page_start, work_start, agreed, others)


_LETTERS = "Array(u1, 1, 'C', readonly=True)"
_POINTS = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"UniTuple(i8, 2)({_LETTERS}, i8, i8, {_LETTERS}, i8, i8)")
def _meet(a, i, i_end, b, j, j_end):  # type: ignore[no-untyped-def]  # compiled
    """How far to go on in a and in b until they agree again, by the fewest letters; one each where they do not soon."""
    for letters in range(1, 2 * _LOOK):
        for apart in range(letters % 2, letters + 1, 2):  # replaced letters before left-out ones
            for side in (-1, 1):
                i_step = (letters + side * apart) // 2
                j_step = letters - i_step
                if i + i_step + _MEET > i_end or j + j_step + _MEET > j_end:
                    continue
                met = 0
                while met < _MEET and a[i + i_step + met] == b[j + j_step + met]:
                    met += 1
                if met == _MEET:
                    return i_step, j_step
    return 1, 1


@compiled(
    f"Tuple((i4[:,::1], i4[:,::1], u4[:,::1]))"
    f"({_LETTERS}, {_POINTS}, {_LETTERS}, {_POINTS}, i4[::1], i4[::1], i4[::1], i4[::1])"
)
def _walk(a, a_points, b, b_points, a_starts, a_ends, b_starts, b_ends):  # type: ignore[no-untyped-def]  # compiled
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
            i_step, j_step = _meet(a, i, i_end, b, j, j_end)
            i += i_step
            j += j_step
    return counted, agreed[:count], others[:different].copy()
