"""How far two texts agree inside a block, letter by letter and character by character."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matcher.alignment.blocks import Blocks

_LOOK = 12  # letters ahead on either side in which the texts must meet again
_MEET = 3  # letters that agree where they meet


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Counts for each of m blocks, all i32[m].

    letters: that agree; characters: those of them that are the same character; longest: the longest run of those.
    """

    letters: NDArray[np.int32]
    characters: NDArray[np.int32]
    longest: NDArray[np.int32]
    page_start: NDArray[np.int32]  # letters at which the longest run begins
    work_start: NDArray[np.int32]
    agreed: NDArray[np.int32]  # [k, 2]: the letters that agree, of the page and of the work, block by block
    others: NDArray[np.uint32]  # [j, 2]: the code points of those that are not the same character


def agreement(
    page: NDArray[np.uint8],
    page_characters: NDArray[np.uint32],
    work: NDArray[np.uint8],
    work_characters: NDArray[np.uint32],
    blocks: Blocks,
) -> Agreement:
    """Walk each block once. page, work: letters; *_characters: the code point that each letter stands for."""
    bounds = np.ascontiguousarray(np.stack(blocks[:4], axis=1))
    counted, agreed, others = _walk(page, page_characters, work, work_characters, bounds)
    letters, characters, longest, page_start, work_start = np.ascontiguousarray(counted.T)
    return Agreement(letters, characters, longest, page_start, work_start, agreed, others)


_LETTERS = "Array(u1, 1, 'C', readonly=True)"
_POINTS = "Array(u4, 1, 'C', readonly=True)"


@njit(f"UniTuple(i8, 2)({_LETTERS}, i8, i8, {_LETTERS}, i8, i8)", cache=True, nogil=True)
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


@njit(
    f"Tuple((i4[:,::1], i4[:,::1], u4[:,::1]))({_LETTERS}, {_POINTS}, {_LETTERS}, {_POINTS}, i4[:,::1])",
    cache=True,
    nogil=True,
)
def _walk(a, a_points, b, b_points, bounds):  # type: ignore[no-untyped-def]  # compiled
    counted = np.zeros((len(bounds), 5), np.int32)
    agreed = np.empty(((bounds[:, 1] - bounds[:, 0]).sum(), 2), np.int32)
    others = np.empty((len(agreed), 2), np.uint32)
    count = different = 0
    for block in range(len(bounds)):
        i, i_end, j, j_end = bounds[block]
        run = 0
        while i < i_end and j < j_end:
            if a[i] == b[j]:
                counted[block, 0] += 1
                agreed[count, 0], agreed[count, 1] = i, j
                count += 1
                if a_points[i] == b_points[j]:
                    counted[block, 1] += 1
                    run += 1
                    if run > counted[block, 2]:
                        counted[block, 2] = run
                        counted[block, 3] = i - run + 1
                        counted[block, 4] = j - run + 1
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
