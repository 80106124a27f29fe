"""A suite's works hidden among generated ones, all of them through the whole path; then its suspects are looked up."""

import json
import time
from pathlib import Path
from typing import IO

import numpy as np

from lab.bench.generator import Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport, Limit
from lab.bench.suites import Suite, share
from lab.bench.timing import seconds
from lab.detecting import Detection, detections, load_library
from pipeline.matching.text_with_letters import Reading
from services.texts.works_copied_from import copied_from
from store.records import OwnerKind
from wenhen.wiring import App

SEED = 17


def measure(
    app: App, suite: Suite, works: int, out: Path | None = None, progress: Progress | None = None
) -> BenchReport:
    """`works` generated works beside the suite's; `app` is empty before. `out`: where detections go, as JSON lines."""
    report = BenchReport(f"haystack {suite.name}")
    storing = seconds(lambda: store_works(app, Writer(SEED).works(works), works, progress))
    loading = seconds(lambda: load_library(app, suite.path))
    stats = app.works_index.stats()
    found, times = look_up(app, suite, progress)
    if out is not None:
        with out.open("w", encoding="utf-8") as lines:
            write(found, lines)
    named = {(one["suspect"], one["source"]) for one in found}
    p50, p99 = np.percentile(times, [50, 99])
    report.figures |= {
        "generated works": works,
        "works": app.store.works.count(),
        "stored and fingerprinted a second": works / storing if works else 0.0,
        "seconds for the suite's works and the rebuild of the index": loading,
        "index memory, MB": stats.bytes / 1e6,
        "postings": stats.postings,
        "hot features": stats.hot,
        "fingerprints": app.store.fingerprints.count(OwnerKind.WORK),
        "pairs": len(suite.pairs),
        "pairs found": share(pair in named for pair in suite.pairs) or 0.0,
        "passages found": share(suite.found_passages(found)) or 0.0,
        "negatives": len(suite.negatives),
        "false pairs a suspect": len(named - suite.pairs) / len(suite.suspects),
        "generated works accused": len({source for _, source in named if source.startswith("generated/")}),
        "look-up of a suspect p50, ms": float(p50),
        "look-up of a suspect p99, ms": float(p99),
    }
    accused = len({suspect for suspect, _ in named} & suite.negatives)
    report.limits.append(Limit("negatives accused", accused, most=0))
    return report


def look_up(app: App, suite: Suite, progress: Progress | None = None) -> tuple[list[Detection], list[float]]:
    """What would open a case for each suspect, and the milliseconds that each took."""
    found: list[Detection] = []
    times = []
    for done, (id, text) in enumerate(suite.suspects.items(), 1):
        start = time.perf_counter()
        sources = copied_from(app, Reading(text))
        times.append(1000 * (time.perf_counter() - start))
        found.extend(detections(id, sources))
        if progress:
            progress(done, len(suite.suspects))
    return found, times


def write(found: list[Detection], lines: IO[str]) -> None:
    """Detections as `wenhen detect` writes them."""
    for one in found:
        lines.write(json.dumps(one, ensure_ascii=False) + "\n")
