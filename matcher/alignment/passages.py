"""From blocks to passages: what was copied in one go is one passage, whatever was put between, left out or moved."""

from collections.abc import Sequence
from functools import cache, reduce

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.blocks import Blocks
from matcher.alignment.letter_weights import Floats, block_weights
from matcher.alignment.recurring_insertions import recurring
from matcher.alignment.rival_blocks import explaining
from matcher.alignment.stretch import Stretch, covered, together
from matcher.alignment.where_passages_part import LONGEST_FURNITURE, SKIPPED, Joining

LEAST = 18.0  # weight of a passage: letters that agree, less what differences cost
SAME_DOCUMENT = 0.45  # two texts that share this much of both are versions of one


def stretches(blocks: Blocks, page: NDArray[np.uint8], page_told: Floats, work_told: Floats) -> list[Stretch]:
    """Gather blocks into stretches, in the order of the page, those lighter than a passage too. page: its letters."""
    weights = block_weights(blocks, page_told)
    if len(weights) == 1:  # as with most works that share a sentence: nothing rivals it, nothing is to be gathered
        start, end, work_start, work_end = (int(column[0]) for column in blocks[:4])
        return [
            Stretch(start, end, work_start, work_end, float(weights[0]), float(page_told[end] - page_told[start]), (0,))
        ]
    kept = explaining(blocks, weights, page_told, work_told)
    bounds = [column[kept].tolist() for column in blocks[:4]]
    told = (page_told[blocks.page_end[kept]] - page_told[blocks.page_start[kept]]).tolist()
    columns = (*bounds, weights[kept].tolist(), told, [(number,) for number in kept.tolist()])
    single = [Stretch(*row) for row in zip(*columns, strict=True)]

    @cache
    def own() -> Floats:
        return _without(page_told, recurring(page, blocks.page_start[kept], blocks.page_end[kept], LONGEST_FURNITURE))

    joining = Joining(page_told, work_told, own)
    groups = [reduce(together, group) for group in joining.split(single)]
    return joining.join(groups)


def _without(told: Floats, silent: NDArray[np.bool_]) -> Floats:
    """What the letters before each place tell, where these tell nothing."""
    sums = np.zeros_like(told)
    np.cumsum(np.where(silent, 0.0, np.diff(told)), out=sums[1:])
    return sums


def touching_joined(parts: Sequence[Stretch]) -> list[Stretch]:
    """Make one of neighbours that have come to touch on both sides."""
    joined: list[Stretch] = []
    for part in sorted(parts, key=lambda one: one.bounds):
        last = joined[-1] if joined else None
        if (
            last
            and part.page_start - last.page_end <= SKIPPED
            and max(part.work_start - last.work_end, last.work_start - part.work_end) <= SKIPPED
        ):
            joined[-1] = together(last, part)
        else:
            joined.append(part)
    return joined


def same_document(parts: Sequence[Stretch], page_told: Floats, work_told: Floats) -> bool:
    """Whether two texts are versions of one document."""
    of_page = covered((page_told[part.page_start], page_told[part.page_end]) for part in parts)
    of_work = covered((work_told[part.work_start], work_told[part.work_end]) for part in parts)
    return bool(min(of_page / page_told[-1], of_work / work_told[-1]) >= SAME_DOCUMENT)
