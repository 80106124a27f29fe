"""The same work in one loop with no database, no queue and no other process: the limit of what the chain can reach."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from crawler.extract.page import extract
from crawler.extract.template_lines import key_of, keys_of, least_pages, without_template
from fingerprinter.features.segments import pack, unpack
from lab.bench.chain.pages import HEADERS, ChainPage
from lab.bench.generator import GeneratedWork
from matcher.alignment.recurring_insertions import without_furniture
from matcher.candidates import candidates
from matcher.compare import THOROUGHLY, compare
from matcher.index.memory import MemoryIndex
from matcher.near_duplicates import LEAST_SHARE, likeness, may_be_near
from matcher.ranking.how_far_followed import FollowedRanking
from matcher.ranking.rank import RankedDocument
from pipeline.matching.clustering import MOST
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import judged
from pipeline.setting_sections import ClusterSettings, MatcherSettings

MATCHER, CLUSTER = MatcherSettings(), ClusterSettings()


@dataclass(slots=True)
class Loop:
    """Texts in two indexes in memory, works and pages, each under its number."""

    works: list[Reading]
    works_index: MemoryIndex = field(default_factory=MemoryIndex)
    pages_index: MemoryIndex = field(default_factory=MemoryIndex)

    @classmethod
    def over(cls, works: Sequence[GeneratedWork]) -> "Loop":
        """With the library in its index, which is no part of the work."""
        loop = cls([Reading(one.text) for one in works])
        _fill(loop.works_index, loop.works)
        return loop

    def cases(self, pages: Sequence[ChainPage]) -> int:
        """All the work that the chain does with these pages; how many cases they make."""
        readings = _read(pages)
        _fill(self.pages_index, readings)
        near = sum(self._near(number, readings) for number in range(len(readings)))
        assert near
        return sum(map(self._accused, readings))

    def _near(self, number: int, readings: Sequence[Reading]) -> int:
        """Near duplicates among the pages before this one; what already stands in their cluster is passed over."""
        one, joined = readings[number], 0
        for other in _like(one, self.pages_index, len(readings), LEAST_SHARE)[:MOST]:
            theirs = readings[other.number]
            if other.number >= number or joined or not may_be_near(len(one.text), len(theirs.text), CLUSTER.likeness):
                continue
            compared = compare(one.text, one.letters, theirs.text, theirs.letters)
            joined += compared is not None and likeness(compared.verdict) >= CLUSTER.likeness
        return joined

    def _accused(self, page: Reading) -> int:
        kept = without_furniture(page.letters.codes)
        found, followed = [], FollowedRanking()
        for place, one in enumerate(_like(page, self.works_index, len(self.works))[: MATCHER.candidates]):
            if not followed.wants(gathered=one.expected > 0):
                continue
            work = self.works[one.number]
            # A worker has only the text of a work, and reads it.
            letters = Reading(work.text).letters
            compared = compare(page.text, page.letters, work.text, letters, thorough=place < THOROUGHLY, kept=kept)
            followed.note(shares=compared is not None)
            if compared is not None:
                found.append(compared)
        return sum(one.accuses for one in judged(found, MATCHER.open_score))


def _read(pages: Sequence[ChainPage]) -> list[Reading]:
    hosts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seen: Counter[str] = Counter()
    readings = []
    for page in pages:
        host, text = urlsplit(page.url).hostname or "", extract(page.body, HEADERS, page.url).text
        hosts[host].update([*keys_of(text), key_of(text)])
        seen[host] += 1
        enough = seen[host] >= least_pages(seen[host])
        readings.append(Reading(without_template(text, hosts[host], seen[host]) if enough else text))
    return readings


def _fill(index: MemoryIndex, readings: Sequence[Reading]) -> None:
    index.create(postings=0)
    segments = ((number, segment) for number, one in enumerate(readings) for segment in pack(one.letters))
    index.load((number, unpack(segment.positions, segment.values)) for number, segment in segments)
    index.publish()


def _like(reading: Reading, index: MemoryIndex, documents: int, least: float = 0.0) -> list[RankedDocument]:
    """As `pipeline.matching.candidates` orders them; the texts are short, and have one segment each."""
    ranked = candidates(reading.letters, index, documents=documents)
    told = [one for one in ranked if one.share >= least]
    return sorted(told, key=lambda one: (-one.score, one.expected - one.hits))
