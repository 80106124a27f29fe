"""Compute levels, shares, delays and copied parts of works with NumPy."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from matcher.model import Level
from wenhen.analysis.model import Bin, CopyFigures, Delay, Measure
from wenhen.cases.case_queries import MILLISECONDS_PER_DAY
from wenhen.kit.mongo.codec import Document

DELAY_DAYS: Final = (0, 1, 2, 4, 8, 31, 91, 366)  # days; each is the lower bound of a group
# The fields that are read of each copy, and of each work.
COPY_PROJECTION: Final[Document] = {
    "_id": 0,
    "work_id": 1,
    "level": "$match.level",
    "seen": {"$toLong": {"$min": ["$opened_at", "$capture.fetched_at"]}},  # milliseconds: reading dates takes longer
    "starts": "$match.passages.work_start",
    "ends": "$match.passages.work_end",
    **{measure.value: f"$match.{measure.value}" for measure in Measure},
}
WORK_PROJECTION: Final[Document] = {"published": {"$toLong": "$published_at"}, "length": 1}
# A share of 1 belongs to the last bin.
LAST_BIN_TOLERANCE: Final = 1e-9


def compute_copy_figures(copies: Sequence[Document], works: Mapping[str, Document], bins: int) -> CopyFigures:
    """Compute the figures of copies, given as in `COPY_PROJECTION`, of these works by id."""
    levels = Counter(copy["level"] for copy in copies)
    return CopyFigures(
        levels={level: levels[level.value] for level in Level if level.value in levels},
        shares={measure: _count_bins([copy[measure.value] for copy in copies], bins) for measure in Measure},
        delays=_count_delays(copies, works),
        parts=_count_work_parts(copies, works, bins),
    )


def _count_bins(shares: Sequence[float], bins: int) -> list[Bin]:
    places = (np.minimum(np.array(shares, dtype=float), 1 - LAST_BIN_TOLERANCE) * bins).astype(int)
    counts = np.bincount(places, minlength=bins).tolist()
    return [Bin(low=index / bins, high=(index + 1) / bins, cases=count) for index, count in enumerate(counts)]


def _count_delays(copies: Sequence[Document], works: Mapping[str, Document]) -> list[Delay]:
    """Count the days from the publication of a work to the first sight of its copies. Works without a date are left
    out.
    """
    dated = {id: published for id, work in works.items() if (published := work.get("published")) is not None}
    days = (
        (copy["seen"] - dated[copy["work_id"]]) // MILLISECONDS_PER_DAY for copy in copies if copy["work_id"] in dated
    )
    counts = Counter(bisect_right(DELAY_DAYS, day) for day in days)
    groups = enumerate(pairwise([None, *DELAY_DAYS, None]))
    return [Delay(low=low, high=high, cases=counts[index]) for index, (low, high) in groups]


def _count_work_parts(copies: Sequence[Document], works: Mapping[str, Document], bins: int) -> list[int]:
    """Count, for each of `bins` equal parts of the works, the copies that took some of it."""
    measured = [(copy, length) for copy in copies if (length := works.get(copy["work_id"], {}).get("length"))]
    spans = np.array([len(copy["starts"]) for copy, _ in measured], dtype=int)
    lengths = np.repeat(np.array([length for _, length in measured], dtype=int), spans)
    # If a text has become shorter, passages beyond its end count for the last part.
    first = np.minimum(_flatten_numbers(copy["starts"] for copy, _ in measured) * bins // lengths, bins - 1)
    final = np.minimum((_flatten_numbers(copy["ends"] for copy, _ in measured) - 1) * bins // lengths, bins - 1)
    # Add 1 where a span begins and subtract 1 behind its end: a part with a positive sum is taken.
    rows = np.repeat(np.arange(len(measured)) * (bins + 1), spans)
    begun, over = (np.bincount(rows + offsets, minlength=len(measured) * (bins + 1)) for offsets in (first, final + 1))
    steps = (begun - over).reshape(len(measured), bins + 1)
    taken: list[int] = (steps.cumsum(axis=1)[:, :bins] > 0).sum(axis=0).tolist()
    return taken


def _flatten_numbers(numbers: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(numbers), dtype=np.int64)
