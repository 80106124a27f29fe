"""Compare wenhen with other deduplication tools on the same documents: recall, speed and bytes."""

import json
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from filelock import FileLock

from benchmarks.corpora import true_share
from benchmarks.generator.writer import Writer
from benchmarks.report import BenchReport
from benchmarks.text_processing import edit_text

DOCUMENT_SEED = 61
COPY_PERIOD = 10  # documents, of which one is a copy and one holds a passage of another
PASSAGE_CHARACTERS = 400  # characters
CHANGED_SHARE = 0.05  # changed share of the characters of a whole copy

DocumentPair = tuple[int, int]  # numbers of two documents, in order


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The pairs that were generated: whole copies, and passages."""

    whole: frozenset[DocumentPair]
    passages: frozenset[DocumentPair]


def write_documents(count: int, file: Path) -> GroundTruth:
    """Write generated texts of 1,000 characters and more as JSON lines of {id, text}, with ids from 0."""
    texts = [work.text for work in Writer(DOCUMENT_SEED).works(count)]
    whole, passages = _copy_pairs(count, 0), _copy_pairs(count, 1)
    rng = random.Random(DOCUMENT_SEED)
    for copy, source in whole:
        texts[copy] = edit_text(texts[source], rng, CHANGED_SHARE)
    for copy, source in passages:
        middle = len(texts[copy]) // 2
        texts[copy] = texts[copy][:middle] + texts[source][300 : 300 + PASSAGE_CHARACTERS] + texts[copy][middle:]
    with file.open("w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")
    return GroundTruth(frozenset(whole), frozenset(passages))


def _copy_pairs(count: int, first: int) -> list[DocumentPair]:
    """Return each copy with its source, two positions on. No source serves twice."""
    return [(copy, copy + 2) for copy in range(first, count - 2, COPY_PERIOD)]


MAX_INSTALL_SECONDS = 1800  # seconds
READY_MARKER = "made"  # written after the installation


class ToolAbsent(Exception):
    """A tool is not available here. The message tells why."""


def prepare_interpreter(requirements: tuple[str, ...], folder: Path) -> Path:
    """Return an interpreter with these packages, ours if none are required. Raise ToolAbsent."""
    if not requirements:
        return Path(sys.executable)
    place = folder / sha256("\n".join((sys.version, *requirements)).encode()).hexdigest()[:16]
    python = place / "bin" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not (place / READY_MARKER).exists():
            shutil.rmtree(place, ignore_errors=True)
            _run_installer([sys.executable, "-I", "-m", "venv", "--without-pip", str(place)])
            _run_installer(
                [sys.executable, "-I", "-m", "pip", "--python", str(python), "install", "--quiet", *requirements]
            )
            (place / READY_MARKER).touch()
    return python


def _run_installer(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=MAX_INSTALL_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ToolAbsent(f"not installed in {MAX_INSTALL_SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        raise ToolAbsent(last_output_line(error.stderr or error.stdout)) from error


def last_output_line(text: str) -> str:
    """Return the last line of a program's output, which names the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"


DRIVER_FOLDER: Final = Path(__file__).parent / "drivers"
OFFLINE_ENVIRONMENT: Final = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
}  # documents are local, and nothing about them is sent


class ToolTimeout(Exception):
    """A tool exceeded its time and was killed."""


@dataclass(frozen=True, slots=True)
class PeerTool:
    """A peer tool.

    finds: what its groups are. driver: its program. requirements: packages to install, none for our own environment.
    absent: why it runs nowhere.
    """

    name: str
    finds: str
    driver: str = ""
    requirements: tuple[str, ...] = ()
    absent: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """The result of a run. cpu: seconds, children included. kept: bytes. pairs: of similar documents, in order."""

    seconds: float
    cpu: float
    kept: int
    pairs: frozenset[tuple[int, int]]


PEER_TOOLS: Final = (
    PeerTool("wenhen", "passages", "run_wenhen"),
    PeerTool("datasketch, MinHash", "whole documents", "run_datasketch"),
    PeerTool("text-dedup 0.4.0, MinHash", "whole documents", "run_text_dedup", ("text-dedup==0.4.0",)),
    PeerTool(
        "datatrove 0.10.1, MinHash",
        "whole documents",
        "run_datatrove",
        ("datatrove==0.10.1", "spacy>=3.8", "jieba", "nltk", "orjson", "regex", "tokenizers", "xxhash<4"),
    ),
    PeerTool("suffix array, pydivsufsort 0.0.20", "passages, verbatim", "run_suffix_array", ("pydivsufsort==0.0.20",)),
    PeerTool(
        "text-dedup 0.4.0, suffix array",
        "passages, verbatim",
        absent="it calls a Rust program of google-research/deduplicate-text-datasets, which no package index has",
    ),
)


def run_tool(tool: PeerTool, documents: Path, folder: Path, environments: Path, most_seconds: float) -> ToolRun:
    """Run the tool on the documents, its start included. folder: its own empty one. Raise ToolAbsent or ToolTimeout."""
    if tool.absent:
        raise ToolAbsent(tool.absent)
    python = prepare_interpreter(tool.requirements, environments)
    answer, log, work = folder / "answer.json", folder / "log", folder / "work"
    work.mkdir(parents=True)
    command = [str(python), str(DRIVER_FOLDER / f"{tool.driver}.py"), str(documents), str(answer), str(work)]
    start = time.perf_counter()
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, env={**os.environ, **OFFLINE_ENVIRONMENT}, start_new_session=True
        )
        used = _wait_for_process(process, most_seconds)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise ToolAbsent(last_output_line(log.read_text(encoding="utf-8", errors="replace")))
    outcome = json.loads(answer.read_text(encoding="utf-8"))
    return ToolRun(seconds, used.ru_utime + used.ru_stime, outcome["kept"], _group_pairs(outcome["groups"]))


def _wait_for_process(process: subprocess.Popen[bytes], most_seconds: float) -> resource.struct_rusage:
    """Wait until the process and its children end. Raise ToolTimeout."""
    done: list[int] = []
    ended = os.pidfd_open(process.pid)
    try:
        done, _, _ = select.select([ended], [], [], most_seconds)
    finally:
        os.close(ended)
        if not done:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if not done:
        raise ToolTimeout
    return used


def _group_pairs(groups: list[Any]) -> frozenset[tuple[int, int]]:
    """Pair each member of a group with its first and its previous member, which identifies the group."""
    pairs = set()
    for group in groups:
        ordered = sorted(group)
        pairs |= {(ordered[0], other) for other in ordered[1:]} | set(pairwise(ordered))
    return frozenset(pairs)


MAX_RUN_SECONDS = 600  # seconds of one run
MIN_DOCUMENTS = 1_000  # documents of the smallest run
GROWTH_FACTOR = 4  # factor to the next run, while runs end in time
FIGURE_NAMES = (
    "documents a second",
    "CPU-ms a document",
    "kept bytes a document",
    "whole copies found",
    "passages found",
    "other pairs",
)

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class _DocumentSets:
    """The first documents of one sequence, written on demand."""

    folder: Path
    truths: dict[int, GroundTruth] = field(default_factory=dict)

    def of(self, documents: int) -> tuple[Path, GroundTruth]:
        """Return the file, and the true pairs."""
        file = self.folder / f"{documents}.jsonl"
        if documents not in self.truths:
            self.truths[documents] = write_documents(documents, file)
        return file, self.truths[documents]


def measure_tools(
    documents: int, environments: Path, most_seconds: float = MAX_RUN_SECONDS, progress: Progress | None = None
) -> BenchReport:
    """Measure each tool in a row. An unavailable tool is listed with its reason. environments: the folder of
    installations.

    Each tool gets growing numbers of documents until a run exceeds its time. Its row tells the greatest finished
    number, and the unfinished one.
    """
    report = BenchReport("field")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        sizes = _DocumentSets(Path(name))
        for number, tool in enumerate(PEER_TOOLS, 1):
            row: dict[str, Any] = {"tool": tool.name, "finds": tool.finds, "documents": None, "not in time": None}
            row |= dict.fromkeys(FIGURE_NAMES)
            try:
                _measure_tool(row, tool, sizes, _document_counts(documents), environments, most_seconds)
            except ToolAbsent as missing:
                report.absent.append(f"{tool.name}: {missing}")
            report.rows.append(row)
            if progress:
                progress(number, len(PEER_TOOLS))
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


def _document_counts(documents: int) -> list[int]:
    """Return the numbers of documents to try, ascending."""
    sizes = [documents]
    while sizes[0] >= GROWTH_FACTOR * MIN_DOCUMENTS:
        sizes.insert(0, sizes[0] // GROWTH_FACTOR)
    return sizes


def _measure_tool(
    row: dict[str, Any], tool: PeerTool, sizes: _DocumentSets, tried: list[int], environments: Path, most_seconds: float
) -> None:
    """Fill the row of a tool. Raise ToolAbsent."""
    for documents in tried:
        file, truth = sizes.of(documents)
        with TemporaryDirectory(dir=sizes.folder) as own:
            try:
                outcome = run_tool(tool, file, Path(own), environments, most_seconds)
            except ToolTimeout:
                row["not in time"] = documents
                return
        row |= {"documents": documents} | _tool_figures(documents, truth, outcome)


def _tool_figures(documents: int, truth: GroundTruth, outcome: ToolRun) -> dict[str, Any]:
    figures = (
        documents / outcome.seconds,
        1000 * outcome.cpu / documents,
        outcome.kept / documents,
        _pair_recall(truth.whole, outcome),
        _pair_recall(truth.passages, outcome),
        len(outcome.pairs - truth.whole - truth.passages),
    )
    return dict(zip(FIGURE_NAMES, figures, strict=True))


def _pair_recall(pairs: Collection[tuple[int, int]], outcome: ToolRun) -> float | None:
    return true_share(pair in outcome.pairs for pair in pairs)
