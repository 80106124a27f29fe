"""All tools over the same documents, one after the other, each in a process of its own."""

from collections.abc import Callable, Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.bench.field.documents import Truth, write_documents
from lab.bench.field.environments import ToolAbsent
from lab.bench.field.tools import TOOLS, Tool, ToolRun, run
from lab.bench.report import BenchReport
from lab.bench.suites import share

FIGURES = (
    "documents a second",
    "CPU-ms a document",
    "kept bytes a document",
    "whole copies found",
    "passages found",
    "other pairs",
)

Progress = Callable[[int, int], None]


def measure(documents: int, environments: Path, progress: Progress | None = None) -> BenchReport:
    """A row a tool; one that cannot be had has its reason among the absent. environments: where they are kept."""
    report = BenchReport("field")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        file = Path(name) / "documents.jsonl"
        truth = write_documents(documents, file)
        report.figures |= {
            "documents": documents,
            "bytes a document": file.stat().st_size / documents,
            "whole copies": len(truth.whole),
            "copied passages": len(truth.passages),
        }
        for number, tool in enumerate(TOOLS, 1):
            try:
                outcome = run(tool, file, Path(name) / str(number), environments)
            except ToolAbsent as missing:
                report.absent.append(f"{tool.name}: {missing}")
                outcome = None
            report.rows.append(_row(tool, documents, truth, outcome))
            if progress:
                progress(number, len(TOOLS))
    return report


def _row(tool: Tool, documents: int, truth: Truth, outcome: ToolRun | None) -> dict[str, Any]:
    row: dict[str, Any] = {"tool": tool.name, "finds": tool.finds}
    if outcome is None:
        return row | dict.fromkeys(FIGURES)
    figures = (
        documents / outcome.seconds,
        1000 * outcome.cpu / documents,
        outcome.kept / documents,
        _found(truth.whole, outcome),
        _found(truth.passages, outcome),
        len(outcome.pairs - truth.whole - truth.passages),
    )
    return row | dict(zip(FIGURES, figures, strict=True))


def _found(pairs: Collection[tuple[int, int]], outcome: ToolRun) -> float | None:
    return share(pair in outcome.pairs for pair in pairs)
