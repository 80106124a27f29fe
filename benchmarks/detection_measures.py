"""Measure detections: the measures of PAN's text alignment (Potthast et al., COLING 2010)."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matcher.alignment.aligned_span import covered_length as covered_by


@dataclass(frozen=True, slots=True)
class Spot:
    """A passage: page, work, and spans in both, ends exclusive."""

    page: str
    work: str
    page_start: int
    page_end: int
    work_start: int
    work_end: int

    def overlaps(self, other: "Spot") -> bool:
        """Return whether both share characters on both sides."""
        same = (self.page, self.work) == (other.page, other.work)
        on_page = min(self.page_end, other.page_end) > max(self.page_start, other.page_start)
        return same and on_page and min(self.work_end, other.work_end) > max(self.work_start, other.work_start)

    def covered_share(self, others: Sequence["Spot"]) -> float:
        """Return the share of the characters of both sides that the others cover."""
        page: set[int] = set()
        work: set[int] = set()
        for other in others:
            if self.overlaps(other):
                page.update(range(max(self.page_start, other.page_start), min(self.page_end, other.page_end)))
                work.update(range(max(self.work_start, other.work_start), min(self.work_end, other.work_end)))
        return (len(page) + len(work)) / (self.page_end - self.page_start + self.work_end - self.work_start)


def passage_recall(true: Sequence[Spot], detected: Sequence[Spot]) -> float:
    """Return the share of true passages that a detection overlaps."""
    return sum(any(spot.overlaps(other) for other in detected) for spot in true) / len(true)


def pair_recall(true: Sequence[Spot], detected: Sequence[Spot]) -> float:
    """Return the share of true pairs of page and work that are detected."""
    pairs = {(spot.page, spot.work) for spot in true}
    return len(pairs & {(spot.page, spot.work) for spot in detected}) / len(pairs)


def precision(true: Sequence[Spot], detected: Sequence[Spot]) -> float:
    """Return the mean covered share of detected passages."""
    return sum(spot.covered_share(true) for spot in detected) / len(detected)


def share_error(true: Sequence[Spot], detected: Sequence[Spot], lengths: Mapping[str, int]) -> float:
    """Return the mean error of the marked share of a page over detected true pairs. lengths: of the pages."""
    copied, marked = _on_pages(true), _on_pages(detected)
    errors = [abs(copied[pair] - marked[pair]) / lengths[pair[0]] for pair in copied.keys() & marked.keys()]
    return sum(errors) / len(errors)


def _on_pages(spots: Sequence[Spot]) -> dict[tuple[str, str], float]:
    """Return the characters of each page that belong to each work."""
    spans: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for spot in spots:
        spans[spot.page, spot.work].append((spot.page_start, spot.page_end))
    return {pair: covered_by(each) for pair, each in spans.items()}


def plagdet(true: Sequence[Spot], detected: Sequence[Spot]) -> float:
    """Return the harmonic mean of precision and recall, over the logarithm of the granularity."""
    if not detected:
        return 0.0
    recall = sum(spot.covered_share(detected) for spot in true) / len(true)
    precise = precision(true, detected)
    touching = [count for spot in true if (count := sum(spot.overlaps(other) for other in detected))]
    if not touching:
        return 0.0
    granularity = sum(touching) / len(touching)
    return 2 * precise * recall / (precise + recall) / math.log2(1 + granularity)
