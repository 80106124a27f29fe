"""All tools over the same documents, one after the other, each in a process of its own and over as many as it can do in
its time.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.bench.field.documents import Truth, write_documents
from lab.bench.field.environments import ToolAbsent
from lab.bench.field.tools import TOOLS, NotDone, Tool, ToolRun, run
from lab.bench.report import BenchReport
from lab.bench.suites import share

SECONDS = 600  # that a run of a tool may take
FEWEST = 1_000  # documents that are tried before more, where more are asked for
GROWTH = 4  # times as many, as long as that ends in time
FIGURES = (
    "documents a second",
    "CPU-ms a document",
    "kept bytes a document",
    "whole copies found",
    "passages found",
    "other pairs",
)

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class _Sizes:
    """The first documents of the same sequence, so many as are asked for; written when they are."""

    folder: Path
    truths: dict[int, Truth] = field(default_factory=dict)

    def of(self, documents: int) -> tuple[Path, Truth]:
        """Their file, and which are copies."""
        file = self.folder / f"{documents}.jsonl"
        if documents not in self.truths:
            self.truths[documents] = write_documents(documents, file)
        return file, self.truths[documents]


def measure(
    documents: int, environments: Path, most_seconds: float = SECONDS, progress: Progress | None = None
) -> BenchReport:
    """A row a tool; one that cannot be had has its reason among the absent. environments: where they are kept.

    Each tool is given more and more documents, up to so many, until a run is not done in its time; its row tells the
    most that was done, and with how many it was ended.
    """
    report = BenchReport("field")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        sizes = _Sizes(Path(name))
        for number, tool in enumerate(TOOLS, 1):
            row: dict[str, Any] = {"tool": tool.name, "finds": tool.finds, "documents": None, "not in time": None}
            row |= dict.fromkeys(FIGURES)
            try:
                _fill(row, tool, sizes, _growing(documents), environments, most_seconds)
            except ToolAbsent as missing:
                report.absent.append(f"{tool.name}: {missing}")
            report.rows.append(row)
            if progress:
                progress(number, len(TOOLS))
        done = max(sizes.truths, default=0)
        report.figures |= {"seconds that a run may take": most_seconds, "documents asked for": documents}
        if done:
            file, truth = sizes.of(done)
            report.figures |= {
                "bytes a document": file.stat().st_size / done,
                "whole copies": len(truth.whole),
                "copied passages": len(truth.passages),
            }
    return report


def _growing(documents: int) -> list[int]:
    """How many are tried, the fewest first."""
    sizes = [documents]
    while sizes[0] >= GROWTH * FEWEST:
        sizes.insert(0, sizes[0] // GROWTH)
    return sizes


def _fill(
    row: dict[str, Any], tool: Tool, sizes: _Sizes, tried: list[int], environments: Path, most_seconds: float
) -> None:
    """Raises ToolAbsent."""
    for documents in tried:
        file, truth = sizes.of(documents)
        with TemporaryDirectory(dir=sizes.folder) as own:
            try:
                outcome = run(tool, file, Path(own), environments, most_seconds)
            except NotDone:
                row["not in time"] = documents
                return
        row |= {"documents": documents} | _figures(documents, truth, outcome)


def _figures(documents: int, truth: Truth, outcome: ToolRun) -> dict[str, Any]:
    figures = (
        documents / outcome.seconds,
        1000 * outcome.cpu / documents,
        outcome.kept / documents,
        _found(truth.whole, outcome),
        _found(truth.passages, outcome),
        len(outcome.pairs - truth.whole - truth.passages),
    )
    return dict(zip(FIGURES, figures, strict=True))


def _found(pairs: Collection[tuple[int, int]], outcome: ToolRun) -> float | None:
    return share(pair in outcome.pairs for pair in pairs)
