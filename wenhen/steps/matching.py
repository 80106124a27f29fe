"""A text looked up in an index, and two texts compared: what works, pages and `scan` share."""

from dataclasses import dataclass

from matcher.find import Comparison

from store.records import Candidate, Work


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text copies, and how."""

    work: Work
    candidate: Candidate
    comparison: Comparison
