"""Hide copies by every trick among works, look them up, and tell what was found of each trick, beside the peers."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.detection_measures import Spot, passage_recall, plagdet
from benchmarks.generator.writer import Writer
from benchmarks.report import BenchReport
from benchmarks.tricks.catalogue import STRENGTHS, Trick, list_tricks
from crawler.extraction.page import extract_html
from wenhen.comparison.detection import detect_copies, load_suite_library
from wenhen.demo.articles import OWN_TEXTS_DIR, load_works
from wenhen.kit.errors import BadInput
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, throwaway_app

SEED = 20_261
MIN_PASSAGE_CHARACTERS, MAX_PASSAGE_CHARACTERS = 120, 600  # characters of a copied passage
SURROUNDING_CHARACTERS = 300  # characters of another text, before and behind it
PEER_SCHEMES = frozenset(("character-shingles", "minhash", "nshash", "sif-all", "simhash-64"))
STRENGTH_NAMES = ("light", "middle", "heavy")


@dataclass(frozen=True, slots=True)
class TrickFigures:
    """What was found of one trick in one strength. peers: share of pairs found, by the name of the scheme."""

    trick: str
    family: str
    strength: str
    passages: int
    found: float
    plagdet: float
    peers: dict[str, float]


def write_suite(folder: Path, tricks: Sequence[Trick], passages: int, works: int) -> None:
    """Write a suite in the form that `wenhen detect` and `wenhen compare` read.

    passages: of each trick in each strength. works: generated ones, beside those of the demo. The same tricks give the
    same suite.
    """
    library = {title: draft.text for title, draft in load_works().items()}
    generated = {work.id: work.text for work in Writer(SEED, length=1500).works(works)}
    honest = sorted(path.read_text(encoding="utf-8") for path in OWN_TEXTS_DIR.glob("*.txt"))
    suspects, truth = [], []
    for suspect, passage in _disguise_passages(library, honest, tricks, passages):
        suspects.append(suspect)
        truth.append(passage)
    rows = [{"id": id, "title": id, "text": text} for id, text in {**library, **generated}.items()]
    for name, lines in (("library", rows), ("suspects", suspects), ("truth", truth)):
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(written, encoding="utf-8")


def _disguise_passages(
    library: dict[str, str], honest: Sequence[str], tricks: Sequence[Trick], passages: int
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The suspects, each with its truth."""
    titles = sorted(title for title, text in library.items() if len(text) > MIN_PASSAGE_CHARACTERS)
    for trick in tricks:
        for strength in STRENGTHS:
            for number in range(passages):
                draw = random.Random(f"{SEED}/{trick.name}/{strength}/{number}")
                title = draw.choice(titles)
                begin, end = _draw_passage(library[title], draw)
                changed = trick.apply(library[title][begin:end], strength, draw)
                before, behind = (_draw_surrounding(honest, draw) for _ in range(2))
                if trick.page:
                    changed = extract_html(changed.encode(), [], "http://page.test/1.html").text
                suspect = f"{trick.name}/{strength}/{number}"
                yield (
                    {"id": suspect, "text": f"{before}\n{changed}\n{behind}"},
                    {
                        "suspect": suspect,
                        "source": title,
                        "suspect_start": len(before) + 1,
                        "suspect_end": len(before) + 1 + max(1, len(changed)),
                        "source_start": begin,
                        "source_end": end,
                        "kind": f"{trick.name}/{strength}",
                    },
                )


def _draw_passage(text: str, draw: random.Random) -> tuple[int, int]:
    length = min(draw.randint(MIN_PASSAGE_CHARACTERS, MAX_PASSAGE_CHARACTERS), len(text))
    begin = draw.randrange(len(text) - length + 1)
    return begin, begin + length


def _draw_surrounding(honest: Sequence[str], draw: random.Random) -> str:
    text = draw.choice(honest)
    begin = draw.randrange(max(1, len(text) - SURROUNDING_CHARACTERS))
    return text[begin : begin + SURROUNDING_CHARACTERS].strip()


def measure_tricks(
    app: App,
    suite: Path,
    tricks: Sequence[Trick],
    peers: dict[str, dict[str, float]],
    advance: Callable[[int, int], None] | None = None,
) -> list[TrickFigures]:
    """Return the figures of each trick and strength, in the order of the tricks.

    suite: as `write_suite` wrote it. peers: share of pairs found by kind, by the name of the scheme.
    """
    load_suite_library(app, suite)
    detected: defaultdict[str, list[Spot]] = defaultdict(list)
    for detection in _detect_by_trick(app, suite, advance):
        if not detection.get("suspicion"):
            detected[detection["suspect"]].append(_spot_of(detection))
    true: defaultdict[str, list[Spot]] = defaultdict(list)
    for line in (suite / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        true[row["kind"]].append(_spot_of(row))
    figures = []
    for trick in tricks:
        for strength in STRENGTHS:
            kind = f"{trick.name}/{strength}"
            spots = [spot for each in true[kind] for spot in detected[each.page]]
            figures.append(
                TrickFigures(
                    trick.name,
                    trick.family,
                    STRENGTH_NAMES[strength],
                    len(true[kind]),
                    passage_recall(true[kind], spots),
                    plagdet(true[kind], spots),
                    {name: shares[kind] for name, shares in peers.items()},
                )
            )
    return figures


def _detect_by_trick(
    app: App, suite: Path, advance: Callable[[int, int], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the detections of the suspects of each trick, without those of other tricks among the stored pages.

    All tricks disguise passages of the same few works. Together they look like text that everybody writes.
    """
    suspects: defaultdict[str, list[str]] = defaultdict(list)
    with (suite / "suspects.jsonl").open(encoding="utf-8") as rows:
        for line in rows:
            suspects[json.loads(line)["id"].partition("/")[0]].append(line)
    total, done = sum(map(len, suspects.values())), 0
    with TemporaryDirectory() as folder:
        for lines in suspects.values():
            (Path(folder) / "suspects.jsonl").write_text("".join(lines), encoding="utf-8")
            yield from detect_copies(app, Path(folder))
            done += len(lines)
            if advance:
                advance(done, total)


def measure_peers(suite: Path) -> dict[str, dict[str, float]]:
    """Return the share of pairs that each other scheme finds, by kind, by the name of the scheme."""
    from fingerprinter.schemes.registry import all_schemes
    from fingerprinter.schemes.scheme import MemoryBuckets
    from wenhen.comparison.measurement import measure_schemes
    from wenhen.comparison.trial import read_trial

    schemes = [scheme for scheme in all_schemes() if scheme.name in PEER_SCHEMES]
    results = measure_schemes(read_trial(suite), schemes, MemoryBuckets())
    return {result.scheme: {kind: each.share for kind, each in result.by_kind.items()} for result in results}


def _spot_of(row: dict[str, Any]) -> Spot:
    return Spot(
        row["suspect"],
        row["source"],
        row["suspect_start"],
        row["suspect_end"],
        row["source_start"],
        row["source_end"],
    )


def run_tricks(
    settings: Settings,
    works: int,
    passages: int,
    only: str | None,
    out: Path | None,
    with_peers: bool,
    advance: Callable[[int, int], None] | None = None,
) -> BenchReport:
    """Measure the tricks named, or all, on servers that are thrown away. out: where the suite is kept, if anywhere."""
    tricks = select_tricks(only)
    with ExitStack() as stack:
        suite = out or Path(stack.enter_context(TemporaryDirectory()))
        suite.mkdir(parents=True, exist_ok=True)
        write_suite(suite, tricks, passages, works)
        peers = measure_peers(suite) if with_peers else {}
        figures = measure_tricks(stack.enter_context(throwaway_app(settings)), suite, tricks, peers, advance)
    return summarize_tricks(figures, passages, works)


def select_tricks(only: str | None) -> list[Trick]:
    """Return the tricks or families of these names, with commas between; all, where no name is given."""
    tricks = list_tricks()
    if only is None:
        return tricks
    names = {name.strip() for name in only.split(",")}
    unknown = names - {each.name for each in tricks} - {each.family for each in tricks}
    if unknown:
        raise BadInput("lab.no_scheme", name=repr(min(unknown)), known=", ".join(each.name for each in tricks))
    return [each for each in tricks if each.name in names or each.family in names]


def summarize_tricks(figures: Sequence[TrickFigures], passages: int, works: int) -> BenchReport:
    """Return a row for each trick, shares found and plagdet in the three strengths, and their means over all."""
    rows: list[dict[str, Any]] = []
    by_trick: defaultdict[tuple[str, str], list[TrickFigures]] = defaultdict(list)
    for each in figures:
        by_trick[each.trick, each.family].append(each)
    for (name, family), strengths in by_trick.items():
        rows.append(
            {
                "trick": name,
                "family": family,
                "found": _format_shares(each.found for each in strengths),
                "plagdet": _format_shares(each.plagdet for each in strengths),
                **{peer: _format_shares(each.peers[peer] for each in strengths) for peer in strengths[0].peers},
            }
        )
    report = BenchReport("tricks", rows=rows)
    report.figures = {"tricks": len(rows), "passages": passages, "works": works}
    for strength in STRENGTH_NAMES:
        of_strength = [each for each in figures if each.strength == strength]
        report.figures[f"found {strength}"] = _mean(each.found for each in of_strength)
        report.figures[f"plagdet {strength}"] = _mean(each.plagdet for each in of_strength)
        for name in of_strength[0].peers if of_strength else ():
            report.peers[f"{name} found {strength}"] = _mean(each.peers[name] for each in of_strength)
    return report


def _format_shares(shares: Iterable[float]) -> str:
    """By strength, light, middle and heavy."""
    return " ".join(f"{share:.2f}" for share in shares)


def _mean(shares: Iterable[float]) -> float:
    return round(fmean(shares), 4)
