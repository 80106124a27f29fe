"""What each kind of feature carries: frequency alone, order-keeping grams alone, both."""

import dataclasses
import re
from collections.abc import Iterator

import numpy as np

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import FREQUENCIES, GRAMS, features
from fingerprinter.normalize.read_letters import read_letters
from lab.bench.library import Progress
from lab.bench.report import BenchReport, Limit
from lab.bench.suites import Suite, share
from lab.detecting import detections, load_library
from matcher.index.memory import MemoryIndex
from matcher.index.port import Index
from pipeline.matching.text_with_letters import Reading
from services.texts.works_copied_from import copied_from
from store.records import OwnerKind
from wenhen.wiring import App

KINDS = {"frequency alone": FREQUENCIES, "others alone": GRAMS, "both": FREQUENCIES + GRAMS}
LONG = 150  # Han characters of a passage that frequency alone must find
PLAIN = re.compile(r"none|trad|homophone\d*")
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


def measure(app: App, suite: Suite, progress: Progress | None = None) -> BenchReport:
    """One suite, through the product; the index alone changes. `app` is empty before."""
    report = BenchReport(f"ablation {suite.name}")
    load_library(app, suite.path, progress)
    plain = [bool(PLAIN.fullmatch(one["kind"])) and _han(suite, one) >= LONG for one in suite.truth]
    for name, kinds in KINDS.items():
        limited = dataclasses.replace(app, works_index=_index(app, kinds))
        found = [
            one for id, text in suite.suspects.items() for one in detections(id, copied_from(limited, Reading(text)))
        ]
        named = {(one["suspect"], one["source"]) for one in found}
        passages = suite.found_passages(found)
        report.rows.append(
            {
                "features": name,
                "pairs found": share(pair in named for pair in suite.pairs),
                "passages found": share(passages),
                "plain passages found": share(ok for ok, wanted in zip(passages, plain, strict=True) if wanted),
                "negatives accused": len({suspect for suspect, _ in named} & suite.negatives),
            }
        )
    report.figures["plain passages (none, trad, homophone) of 150 Han characters and more"] = sum(plain)
    least = report.rows[0]["plain passages found"]
    if least is not None:
        report.limits.append(Limit("plain passages that frequency alone finds", least, least=0.95))
    return report


def _index(app: App, kinds: int) -> Index:
    """The library's index as production makes it, with these kinds of features only."""
    index = MemoryIndex()
    index.create(postings=0)
    index.load(_documents(app, kinds))
    index.publish()
    return index


def _documents(app: App, kinds: int) -> Iterator[tuple[int, Features]]:
    for one in app.store.fingerprints.all(OwnerKind.WORK):
        text = app.store.blobs.get_text(app.store.works.get(one.owner_id).text_digest)
        made = features(read_letters(text), kinds)
        inside = slice(*np.searchsorted(made.positions, (one.start, one.start + one.letters)))
        yield one.number, Features(made.values[inside], made.positions[inside] - np.uint32(one.start))


def _han(suite: Suite, one: dict[str, object]) -> int:
    text = suite.suspects[str(one["suspect"])]
    return len(_HAN.findall(text, int(str(one["suspect_start"])), int(str(one["suspect_end"]))))
