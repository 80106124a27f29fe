"""Measure recall and cost of frequency windows of other sizes, and of multi-probing.

Multi-probing queries further features: those of a window with one changed letter, likeliest changes first (Lv et al.,
Multi-probe LSH, VLDB 2007). The index holds each window once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.corpora import Suite, true_share
from benchmarks.generator.writer import Writer
from benchmarks.report import BenchReport
from fingerprinter.alphabet import INITIALS, LATIN_A, LETTER_CODES, Initials
from fingerprinter.features.index_features import GRAM_LEAD, GRAMS, extract_features, load_reference
from fingerprinter.features.model import (
    ANCHOR_RADIUS,
    FREQUENCY_SEED,
    WINDOW_INITIALS,
    Features,
    absorb_value,
    anchor_positions,
    finalize_hash,
    pack_features,
    pair_hashes,
    unpack_features,
)
from fingerprinter.initials.to_initials import to_initials
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.retrieval.ranking import rank_documents
from wenhen.comparison.detection import read_suite_rows

WINDOW_SEED = 19
GENERATED_WORKS = 5_000  # generated works beside the library
MAX_CANDIDATES = 64
PRODUCTION_WINDOWS = (WINDOW_INITIALS,)
_HAN_CODES, _INITIAL_COUNT = LATIN_A, len(INITIALS)


@dataclass(frozen=True, slots=True)
class WindowVariant:
    """A variant of indexing and querying. windows: initials of each window size. probes: changed windows that are
    queried too.
    """

    windows: tuple[int, ...]
    probes: int = 0
    grams: bool = False

    def __str__(self) -> str:
        parts = ["grams"] * self.grams + [" + ".join(f"{size}" for size in self.windows)] * bool(self.windows)
        return ", ".join(parts) + (f", {self.probes} probes" if self.probes else "")


WINDOW_VARIANTS = (
    *(WindowVariant(PRODUCTION_WINDOWS, probes) for probes in (0, 1, 2, 4, 8)),
    *(WindowVariant((size,)) for size in (12, 16, 32, 48)),
    WindowVariant((16, 24)),
    WindowVariant((24, 48)),
    WindowVariant((16, 24, 48)),
    WindowVariant((16, 24, 48), 4),
    WindowVariant((), grams=True),
    *(WindowVariant(PRODUCTION_WINDOWS, probes, grams=True) for probes in (0, 2, 8)),
    WindowVariant((12,), grams=True),
    WindowVariant((16,), grams=True),
    WindowVariant((16, 24), grams=True),
    WindowVariant((16, 24, 48), grams=True),
)


def measure_windows(suite: Suite) -> BenchReport:
    """Measure each variant: features indexed and looked up for 1,000 letters, and true pairs among the candidates."""
    report = BenchReport(f"windows {suite.name}")
    library = [(row["id"], to_initials(row["text"])) for row in read_suite_rows(suite.path / "library.jsonl")]
    library += [(work.id, to_initials(work.text)) for work in Writer(WINDOW_SEED).works(GENERATED_WORKS)]
    sources: dict[str, set[str]] = {}
    for suspect, source in suite.pairs:
        sources.setdefault(suspect, set()).add(source)
    pages = {id: to_initials(suite.suspects[id]) for id in sorted(sources)}
    report.rows += [_window_row(way, library, pages, sources) for way in WINDOW_VARIANTS]
    report.figures |= {"pages": len(pages), "works": len(library), "pairs": len(suite.pairs)}
    return report


def _window_row(
    way: WindowVariant,
    library: Sequence[tuple[str, Initials]],
    pages: dict[str, Initials],
    sources: dict[str, set[str]],
) -> dict[str, object]:
    index, numbers, owners = MemoryIndex(), count(), []
    index.create(postings=0)
    indexed = 0
    for id, letters in library:
        made = _variant_features(way, letters, probes=0)
        indexed += len(made)
        for segment in pack_features(made, len(letters)):
            owners.append(id)
            index.load([(next(numbers), unpack_features(segment.positions, segment.values))])
    index.publish()
    asked, hits = 0, []
    for id, letters in pages.items():
        query = _variant_features(way, letters, way.probes)
        asked += len(query)
        best = rank_documents(
            index.look_up(query), query_letters=len(letters), documents=len(owners), most=MAX_CANDIDATES
        )
        named = {owners[document.number] for document in best}
        hits += [source in named for source in sources[id]]
    return {
        "features": str(way),
        "indexed for 1,000 letters": 1000 * indexed / sum(len(letters) for _, letters in library),
        "looked up for 1,000 letters": 1000 * asked / sum(map(len, pages.values())),
        "pairs among the candidates": true_share(hits),
    }


def _variant_features(way: WindowVariant, letters: Initials, probes: int) -> Features:
    parts = [
        *_window_features(letters, way.windows, probes),
        *([extract_features(letters, kinds=GRAMS)] if way.grams else ()),
    ]
    values = np.concatenate([part.values for part in parts])
    positions = np.concatenate([part.positions for part in parts])
    order = np.argsort(positions, kind="stable")
    return Features(values[order], positions[order])


def _window_features(letters: Initials, sizes: tuple[int, ...], probes: int) -> Iterator[Features]:
    hashes = pair_hashes(letters.codes)
    usual = load_reference()
    shares = np.array(usual.counts, np.float64) / usual.total
    for size in sizes:
        least = -(-size * np.array(usual.counts, np.int64) // usual.total)
        yield Features(
            *_frequency_features(letters.codes, hashes, anchor_positions(hashes), least, shares, size, probes)
        )


@njit(cache=True)
def _frequency_features(  # type: ignore[no-untyped-def]  # compiled
    codes, hashes, places, least, shares, size, probes
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return production's frequency features for windows of any size, each followed by its likeliest changes."""
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
        for distance in range(ANCHOR_RADIUS + 1, lead + 1):
            before, behind = hashes[anchor - distance], hashes[anchor + distance]
            smallest &= before > hashes[anchor] and behind >= hashes[anchor]
        counts = np.zeros(LETTER_CODES, np.int64)
        for offset in range(begin, begin + size):
            counts[codes[offset]] += 1
        if not smallest or 4 * counts[:_HAN_CODES].sum() < 3 * size:
            continue
        digits = np.uint64(0)
        likely = np.zeros(_INITIAL_COUNT, np.float64)
        for initial in range(_INITIAL_COUNT):
            digits = (digits << np.uint64(1)) | np.uint64(counts[initial] >= least[initial])
            if counts[initial] == least[initial]:
                likely[initial] = counts[initial] / size  # one letter less
            elif counts[initial] == least[initial] - 1:
                likely[initial] = shares[initial]  # one letter more
        order = np.argsort(-likely)
        for probe in range(1 + probes):
            changed = digits
            if probe:
                if likely[order[probe - 1]] == 0:
                    break
                changed ^= np.uint64(1) << np.uint64(_INITIAL_COUNT - 1 - order[probe - 1])
            seed = absorb_value(np.uint64(FREQUENCY_SEED), np.uint64(size))
            values[made] = finalize_hash(absorb_value(absorb_value(seed, np.uint64(hashes[anchor])), changed))
            positions[made] = max(0, anchor - GRAM_LEAD)
            made += 1
    return values[:made], positions[:made]
