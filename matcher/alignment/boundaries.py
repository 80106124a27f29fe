"""The ends of a passage to the character: what both sides share belongs to it, what agrees by chance does not."""

import numpy as np
from numpy.typing import NDArray

_REACH = 16  # characters that have no letter (punctuation, spaces) which an end may move over
_EDGE = 4  # letters at an end that may agree by chance

Span = tuple[int, int]
Points = NDArray[np.uint32]


def settle_ends(page: str, page_span: Span, work: str, work_span: Span) -> tuple[Span, Span]:
    """Move both ends outwards over characters that both sides share. Spans in code points, ends exclusive."""
    page_start, work_start = page_span[0], work_span[0]
    for _ in range(_REACH):
        if not (page_start and work_start and page[page_start - 1] == work[work_start - 1]):
            break
        page_start -= 1
        work_start -= 1
    page_end, work_end = page_span[1], work_span[1]
    for _ in range(_REACH):
        if not (page_end < len(page) and work_end < len(work) and page[page_end] == work[work_end]):
            break
        page_end += 1
        work_end += 1
    return (page_start, page_end), (work_start, work_end)


def chance_ends(page: Points, work: Points) -> tuple[int, int]:
    """How many letters at the start and at the end of a block agree by chance, being different characters.

    page, work: the code points of the block's letters. Where none of the outer ones is the same there is no telling.
    """
    return _differing(page[:_EDGE], work[:_EDGE]), _differing(page[: -_EDGE - 1 : -1], work[: -_EDGE - 1 : -1])


def _differing(page: Points, work: Points) -> int:
    pairs = zip(page.tolist(), work.tolist(), strict=False)
    return next((place for place, (mine, theirs) in enumerate(pairs) if mine == theirs), 0)
