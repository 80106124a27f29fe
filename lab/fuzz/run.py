"""So many inputs through every target, on all processors: what fails, what is slow, and how much memory it took."""

import resource
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from lab.fuzz.inputs import made
from lab.fuzz.targets import TARGETS
from store.errors import WenhenError

SLOW = 1.0  # seconds of the processor's time for one input
TOGETHER = 2_000  # inputs that one process takes on at a time
CORPUS = Path(__file__).parent / "corpus"  # what failed once: files named target--what-happened


@dataclass(frozen=True, slots=True)
class FailedInput:
    """An input over which a target failed, or took too long."""

    target: str
    number: int | str  # of the input, or the file of the corpus
    what: str


@dataclass(frozen=True, slots=True)
class Share:
    """What became of some inputs. slowest: seconds; memory: mebibytes that the process took at the most."""

    count: int
    faults: tuple[FailedInput, ...]
    slowest: float
    memory: int


def tried(target: str, body: bytes, number: int | str = 0) -> tuple[FailedInput | None, float]:
    """One input through one target: the fault, and the seconds of the processor's time."""
    began = time.process_time()
    problem = None
    try:
        TARGETS[target](body)
    except WenhenError:
        pass
    except Exception as error:  # noqa: BLE001  that is what is looked for
        problem = f"{type(error).__name__}: {error}"[:200]
    took = time.process_time() - began
    if problem is None and took > SLOW:
        problem = f"took {took:.1f} s"
    return (FailedInput(target, number, problem) if problem else None), took


def kept() -> Iterator[tuple[str, Path]]:
    """The corpus: targets and files."""
    for file in sorted(CORPUS.glob("*--*")):
        yield file.name.partition("--")[0], file


def share(target: str, first: int, last: int) -> Share:
    """The inputs of these numbers through a target, in this process."""
    warnings.simplefilter("ignore")  # of libraries, about what they read
    faults, slowest = [], 0.0
    for number in range(first, last):
        fault, took = tried(target, made(target, number), number)
        slowest = max(slowest, took)
        if fault:
            faults.append(fault)
    return Share(last - first, tuple(faults), slowest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)


def run(inputs: int, processes: int, first: int = 0) -> Iterator[tuple[str, Share]]:
    """So many inputs, spread over the targets, from that number on; shares as they are done."""
    each = -(-inputs // len(TARGETS))
    parts = [
        (target, begin, min(begin + TOGETHER, first + each))
        for begin in range(first, first + each, TOGETHER)
        for target in TARGETS
    ]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for part, done in [(part, pool.submit(share, *part)) for part in parts]:
            try:
                yield part[0], done.result()
            except BrokenProcessPool:
                crash = FailedInput(part[0], part[1], f"the process died among the inputs {part[1]} to {part[2]}")
                yield part[0], Share(0, (crash,), 0.0, 0)
                return
