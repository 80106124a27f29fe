"""The tools that are measured, and how one of them is run."""

import json
import os
import resource
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from lab.bench.field import drivers
from lab.bench.field.environments import ToolAbsent, last_line, python_with

DRIVERS: Final = Path(drivers.__path__[0])
OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}  # documents are here, and nothing is told of them


class NotDone(Exception):
    """A tool that did not end in its time, and was ended."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. finds: what its groups are. driver: its program. requirements: what is installed for it, and where
    nothing is, our own environment has it. absent: why it cannot be run anywhere, where that is so.
    """

    name: str
    finds: str
    driver: str = ""
    requirements: tuple[str, ...] = ()
    absent: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What came of a run. cpu: seconds, children included. kept: bytes. pairs: of alike documents, the lesser first."""

    seconds: float
    cpu: float
    kept: int
    pairs: frozenset[tuple[int, int]]


TOOLS: Final = (
    Tool("wenhen", "passages", "by_wenhen"),
    Tool("datasketch, MinHash", "whole documents", "by_datasketch"),
    Tool("text-dedup 0.4.0, MinHash", "whole documents", "by_text_dedup", ("text-dedup==0.4.0",)),
    Tool(
        "datatrove 0.10.1, MinHash",
        "whole documents",
        "by_datatrove",
        ("datatrove==0.10.1", "spacy>=3.8", "jieba", "nltk", "orjson", "regex", "tokenizers", "xxhash<4"),
    ),
    Tool("suffix array, pydivsufsort 0.0.20", "passages, verbatim", "by_suffix_array", ("pydivsufsort==0.0.20",)),
    Tool(
        "text-dedup 0.4.0, suffix array",
        "passages, verbatim",
        absent="it calls a Rust program of google-research/deduplicate-text-datasets, which no package index has",
    ),
)


def run(tool: Tool, documents: Path, folder: Path, environments: Path, most_seconds: float) -> ToolRun:
    """The tool over the documents, from their file to its pairs, its start counted in. folder: empty, its own. Raises
    ToolAbsent, NotDone.
    """
    if tool.absent:
        raise ToolAbsent(tool.absent)
    python = python_with(tool.requirements, environments)
    answer, log, work = folder / "answer.json", folder / "log", folder / "work"
    work.mkdir(parents=True)
    command = [str(python), str(DRIVERS / f"{tool.driver}.py"), str(documents), str(answer), str(work)]
    start = time.perf_counter()
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, env={**os.environ, **OFFLINE}, start_new_session=True
        )
        used = _used(process, most_seconds)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise ToolAbsent(last_line(log.read_text(encoding="utf-8", errors="replace")))
    told = json.loads(answer.read_text(encoding="utf-8"))
    return ToolRun(seconds, used.ru_utime + used.ru_stime, told["kept"], _pairs(told["groups"]))


def _used(process: subprocess.Popen[bytes], most_seconds: float) -> resource.struct_rusage:
    """Waits until it ends, and with it its children. Raises NotDone."""
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
        raise NotDone
    return used


def _pairs(groups: list[Any]) -> frozenset[tuple[int, int]]:
    """Each member of a group with its first one and the one before it, which is enough to tell whom it is like."""
    found = set()
    for group in groups:
        ordered = sorted(group)
        found |= {(ordered[0], other) for other in ordered[1:]} | set(pairwise(ordered))
    return frozenset(found)
