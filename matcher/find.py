"""The way from a text to the works that it copies: look up and rank, then align and decide."""

from dataclasses import dataclass

from fingerprinter.letters import Letters
from fingerprinter.production import query_features
from matcher.align import align
from matcher.decide import Verdict, decide
from matcher.index import Index
from matcher.rank import MOST, RankedDocument, rank
from store.records import Passage


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and what they amount to."""

    passages: tuple[Passage, ...]
    verdict: Verdict

    @property
    def accuse(self) -> bool:
        """Whether this would open a case."""
        return self.verdict.accuse


def candidates(letters: Letters, index: Index, *, documents: int, most: int = MOST) -> list[RankedDocument]:
    """Documents of the index that a text may share a passage with, best first. documents: how many the index holds.

    A long owner stands in the index as several documents; the caller merges them. Raises what the index raises.
    """
    hits = index.look_up(query_features(letters))
    return rank(hits, query_letters=len(letters), documents=documents, most=most)


def compare(page_text: str, page: Letters, work_text: str, work: Letters) -> Comparison | None:
    """Compare two texts closely; None where they share no passage. page, work: the letters of the texts."""
    found = align(page_text, page, work_text, work)
    if not found:
        return None
    verdict = decide(found, page_length=len(page_text), work_length=len(work_text))
    return Comparison(tuple(one.passage for one in found), verdict)
