"""Frequency features of several window sizes, alone and together, and multi-probing: recall against cost.

Multi-probing asks for more than a window has: for what the window would have if one letter were another, the likeliest
changes first (Lv et al., Multi-probe LSH, VLDB 2007). The index holds each window once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.features.anchors import RADIUS, anchors, pair_hashes
from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import GRAM_LEAD, GRAMS, WINDOW, features
from fingerprinter.features.mixing import FREQUENCY_SEED, absorb, finish
from fingerprinter.features.segments import pack_features, unpack
from fingerprinter.features.usual_frequencies import reference
from fingerprinter.letters import INITIALS, LATIN_A, LETTER_CODES, Letters
from fingerprinter.normalize.read_letters import read_letters
from lab.bench.generator import Writer
from lab.bench.report import BenchReport
from lab.bench.suites import Suite, share
from lab.detecting import rows
from matcher.index.memory import MemoryIndex
from matcher.ranking.rank import rank

SEED = 19
BESIDE = 5_000  # generated works that the library's stand among
CANDIDATES = 64
PRODUCTION = (WINDOW,)
_HAN_CODES, _INITIALS = LATIN_A, len(INITIALS)


@dataclass(frozen=True, slots=True)
class Way:
    """What is indexed and asked for. windows: letters of each size of window; probes: changed windows asked for too."""

    windows: tuple[int, ...]
    probes: int = 0
    grams: bool = False

    def __str__(self) -> str:
        parts = ["grams"] * self.grams + [" + ".join(f"{size}" for size in self.windows)] * bool(self.windows)
        return ", ".join(parts) + (f", {self.probes} probes" if self.probes else "")


WAYS = (
    *(Way(PRODUCTION, probes) for probes in (0, 1, 2, 4, 8)),
    *(Way((size,)) for size in (12, 16, 32, 48)),
    Way((16, 24)),
    Way((24, 48)),
    Way((16, 24, 48)),
    Way((16, 24, 48), 4),
    Way((), grams=True),
    *(Way(PRODUCTION, probes, grams=True) for probes in (0, 2, 8)),
    Way((12,), grams=True),
    Way((16,), grams=True),
    Way((16, 24), grams=True),
    Way((16, 24, 48), grams=True),
)


def measure(suite: Suite) -> BenchReport:
    """For each way: features indexed and looked up for 1,000 letters, and true pairs among the candidates."""
    report = BenchReport(f"windows {suite.name}")
    library = [(row["id"], read_letters(row["text"])) for row in rows(suite.path / "library.jsonl")]
    library += [(work.id, read_letters(work.text)) for work in Writer(SEED).works(BESIDE)]
    sources: dict[str, set[str]] = {}
    for suspect, source in suite.pairs:
        sources.setdefault(suspect, set()).add(source)
    pages = {id: read_letters(suite.suspects[id]) for id in sorted(sources)}
    report.rows += [_row(way, library, pages, sources) for way in WAYS]
    report.figures |= {"pages": len(pages), "works": len(library), "pairs": len(suite.pairs)}
    return report


def _row(
    way: Way, library: Sequence[tuple[str, Letters]], pages: dict[str, Letters], sources: dict[str, set[str]]
) -> dict[str, object]:
    index, numbers, owners = MemoryIndex(), count(), []
    index.create(postings=0)
    indexed = 0
    for id, letters in library:
        made = _made(way, letters, probes=0)
        indexed += len(made)
        for segment in pack_features(made, len(letters)):
            owners.append(id)
            index.load([(next(numbers), unpack(segment.positions, segment.values))])
    index.publish()
    asked, found = 0, []
    for id, letters in pages.items():
        query = _made(way, letters, way.probes)
        asked += len(query)
        best = rank(index.look_up(query), query_letters=len(letters), documents=len(owners), most=CANDIDATES)
        named = {owners[one.number] for one in best}
        found += [source in named for source in sources[id]]
    return {
        "features": str(way),
        "indexed for 1,000 letters": 1000 * indexed / sum(len(letters) for _, letters in library),
        "looked up for 1,000 letters": 1000 * asked / sum(map(len, pages.values())),
        "pairs among the candidates": share(found),
    }


def _made(way: Way, letters: Letters, probes: int) -> Features:
    parts = [*_windows(letters, way.windows, probes), *([features(letters, kinds=GRAMS)] if way.grams else ())]
    values = np.concatenate([part.values for part in parts])
    positions = np.concatenate([part.positions for part in parts])
    order = np.argsort(positions, kind="stable")
    return Features(values[order], positions[order])


def _windows(letters: Letters, sizes: tuple[int, ...], probes: int) -> Iterator[Features]:
    hashes = pair_hashes(letters.codes)
    usual = reference()
    shares = np.array(usual.counts, np.float64) / usual.total
    for size in sizes:
        least = -(-size * np.array(usual.counts, np.int64) // usual.total)
        yield Features(*_made_of(letters.codes, hashes, anchors(hashes), least, shares, size, probes))


@njit(cache=True)
def _made_of(  # type: ignore[no-untyped-def]  # compiled
    codes, hashes, places, least, shares, size, probes
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Production's frequency features for windows of any size; each followed by those of its likeliest changes."""
    lead = size // 2 - 1
    values = np.empty(len(places) * (1 + probes), np.uint64)
    positions = np.empty(len(places) * (1 + probes), np.uint32)
    made = 0
    for place in places:
        anchor = np.int64(place)
        begin = anchor - lead
        if begin < 0 or begin + size > len(codes) or max(codes[anchor], codes[anchor + 1]) >= _HAN_CODES:
            continue
        smallest = True
        for distance in range(RADIUS + 1, lead + 1):
            before, behind = hashes[anchor - distance], hashes[anchor + distance]
            smallest &= before > hashes[anchor] and behind >= hashes[anchor]
        counts = np.zeros(LETTER_CODES, np.int64)
        for at in range(begin, begin + size):
            counts[codes[at]] += 1
        if not smallest or 4 * counts[:_HAN_CODES].sum() < 3 * size:
            continue
        digits = np.uint64(0)
        likely = np.zeros(_INITIALS, np.float64)
        for initial in range(_INITIALS):
            digits = (digits << np.uint64(1)) | np.uint64(counts[initial] >= least[initial])
            if counts[initial] == least[initial]:
                likely[initial] = counts[initial] / size  # one of them goes
            elif counts[initial] == least[initial] - 1:
                likely[initial] = shares[initial]  # one more comes
        order = np.argsort(-likely)
        for probe in range(1 + probes):
            changed = digits
            if probe:
                if likely[order[probe - 1]] == 0:
                    break
                changed ^= np.uint64(1) << np.uint64(_INITIALS - 1 - order[probe - 1])
            seed = absorb(np.uint64(FREQUENCY_SEED), np.uint64(size))
            values[made] = finish(absorb(absorb(seed, np.uint64(hashes[anchor])), changed))
            positions[made] = max(0, anchor - GRAM_LEAD)
            made += 1
    return values[:made], positions[:made]
