"""Measure pipeline work without queues: each step by itself, and one loop without a database."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.corpora import PAGE_HEADERS, GeneratedPage
from benchmarks.generator.writer import GeneratedWork
from benchmarks.measurement import Cost, CostMeter
from crawler.extraction.boilerplate.host_templates import (
    HostText,
    required_template_pages,
)
from crawler.extraction.page import extract_html
from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import unpack_features
from matcher.attribution.align_pair import align_pair
from matcher.clusters import MIN_FEATURE_SHARE, may_be_near, similarity_of_shares
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.retrieval.candidates import MAX_THOROUGH_CANDIDATES, RankingCutoff, find_candidates
from matcher.retrieval.inserted_adverts import places_without_furniture
from matcher.retrieval.ranking import RankedDocument
from wenhen.cases.opening_rule import judge_comparisons
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.clustering import MAX_COMPARED_PAGES
from wenhen.pipeline.tasks import BATCH_STEPS as ALL
from wenhen.runtime.wiring import App
from wenhen.settings.matching import ClusterSettings, MatcherSettings
from wenhen.steps.runner import run_steps

# The same work in one loop without database, queue or other processes: the limit of the pipeline.


MATCHER_SETTINGS, CLUSTER_SETTINGS = MatcherSettings(), ClusterSettings()


@dataclass(slots=True)
class InMemoryLoop:
    """Texts in two in-memory indexes, works and pages, by their numbers."""

    works: list[TextReading]
    works_index: MemoryIndex = field(default_factory=MemoryIndex)
    pages_index: MemoryIndex = field(default_factory=MemoryIndex)

    @classmethod
    def over(cls, works: Sequence[GeneratedWork]) -> "InMemoryLoop":
        """Return a loop with the works indexed already."""
        loop = cls([TextReading(work.text) for work in works])
        _fill_index(loop.works_index, loop.works)
        return loop

    def cases(self, pages: Sequence[GeneratedPage]) -> int:
        """Do the work of the pipeline on these pages, and return the number of cases."""
        readings = _read_pages(pages)
        _fill_index(self.pages_index, readings)
        near = sum(self._near(number, readings) for number in range(len(readings)))
        assert near
        return sum(map(self._count_cases, readings))

    def _near(self, number: int, readings: Sequence[TextReading]) -> int:
        """Return the number of near duplicates among earlier pages. Further members of a joined cluster are skipped."""
        reading, joined = readings[number], 0
        for other in _similar_documents(reading, self.pages_index, len(readings), MIN_FEATURE_SHARE)[
            :MAX_COMPARED_PAGES
        ]:
            theirs = readings[other.number]
            if (
                other.number >= number
                or joined
                or not may_be_near(len(reading.text), len(theirs.text), CLUSTER_SETTINGS.likeness)
            ):
                continue
            compared = align_pair(reading.text, reading.letters, theirs.text, theirs.letters)
            joined += compared is not None and similarity_of_shares(compared.verdict) >= CLUSTER_SETTINGS.likeness
        return joined

    def _count_cases(self, page: TextReading) -> int:
        kept = places_without_furniture(page.letters.codes)
        comparisons, followed = [], RankingCutoff()
        for place, document in enumerate(
            _similar_documents(page, self.works_index, len(self.works))[: MATCHER_SETTINGS.candidates]
        ):
            if not followed.wants(gathered=document.expected > 0):
                continue
            work = self.works[document.number]
            # Workers have only the text of a work, and convert it.
            letters = TextReading(work.text).letters
            compared = align_pair(
                page.text, page.letters, work.text, letters, thorough=place < MAX_THOROUGH_CANDIDATES, kept=kept
            )
            followed.note(shares=compared is not None)
            if compared is not None:
                comparisons.append(compared)
        return sum(comparison.accuses for comparison in judge_comparisons(comparisons, MATCHER_SETTINGS.open_score))


def _read_pages(pages: Sequence[GeneratedPage]) -> list[TextReading]:
    hosts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seen: Counter[str] = Counter()
    readings = []
    for page in pages:
        host, text = urlsplit(page.url).hostname or "", extract_html(page.body, PAGE_HEADERS, page.url).text
        lines = HostText(text)
        hosts[host].update([*lines.line_keys, lines.key])
        seen[host] += 1
        enough = seen[host] >= required_template_pages(seen[host])
        readings.append(TextReading(lines.strip_template(hosts[host], seen[host]) if enough else text))
    return readings


def _fill_index(index: MemoryIndex, readings: Sequence[TextReading]) -> None:
    index.create(postings=0)
    segments = ((number, segment) for number, reading in enumerate(readings) for segment in pack_text(reading.letters))
    index.load((number, unpack_features(segment.positions, segment.values)) for number, segment in segments)
    index.publish()


def _similar_documents(
    reading: TextReading, index: MemoryIndex, documents: int, least: float = 0.0
) -> list[RankedDocument]:
    """Rank documents like `wenhen.matching.candidates`. The texts are short, with one segment each."""
    ranked = find_candidates(reading.letters, index, documents=documents)
    similar = [document for document in ranked if document.share >= least]
    return sorted(similar, key=lambda document: (-document.score, document.expected - document.hits))


# The cost of each step by itself: under its own claim, in this process, on real servers.


TIMED_STEPS: Final = (Step.EXTRACT, Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP)
STEP_BATCH_PAGES: Final = 50


def costs_by_step(app: App, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Run captured pages through one step after the other in batches of fifty. Return a row a step."""
    return [_step_row(str(step), len(ids), _step_cost(app, ids, step)) for step in TIMED_STEPS]


def _step_cost(app: App, ids: Sequence[str], step: Step) -> Cost:
    with CostMeter(app, ours=True) as meter:
        for begin in range(0, len(ids), STEP_BATCH_PAGES):
            run_steps(
                app, OwnerKind.PAGE, ids[begin : begin + STEP_BATCH_PAGES], step, {step: ALL[OwnerKind.PAGE][step]}
            )
    return meter.cost


def _step_row(step: str, pages: int, cost: Cost) -> dict[str, Any]:
    return {
        "step": step,
        "ms": 1000 * cost.seconds / pages,
        **{f"CPU-ms, {who}": 1000 * taken / pages for who, taken in cost.cpu.items()},
        **{f"round trips, {where}": count / pages for where, count in cost.trips.items()},
    }
