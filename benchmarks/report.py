"""Report figures, peers and limits of a benchmark. Load the peer packages that are installed."""

import importlib
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil

# The report of a benchmark: figures and peers from one run, and their limits.


BUSY_LOAD_PER_CORE = 0.6  # load a core


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a figure: at least `least`, or at most `most`."""

    what: str
    figure: float
    least: float | None = None
    most: float | None = None

    @property
    def is_reached(self) -> bool:
        """Return whether the figure keeps the limit."""
        return (self.least is None or self.figure >= self.least) and (self.most is None or self.figure <= self.most)

    @property
    def must(self) -> str:
        """Return the limit as text."""
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"


@dataclass(slots=True)
class BenchReport:
    """The outcome of one benchmark.

    figures and peers: by subject, with the unit in the name. rows: a table, if any. absent: peers that are not
    installed. load: runnable processes a core at the start.
    """

    name: str
    figures: dict[str, float] = field(default_factory=dict)
    peers: dict[str, float] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    load: float = field(default_factory=lambda: os.getloadavg()[0] / (os.cpu_count() or 1))

    @property
    def busy(self) -> bool:
        """Return whether others used the machine, so that times are unreliable."""
        return self.load > BUSY_LOAD_PER_CORE

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        limits = [
            {"what": limit.what, "figure": limit.figure, "must": limit.must, "reached": limit.is_reached}
            for limit in self.limits
        ]
        return {**asdict(self), "limits": limits, "machine": describe_machine(), "versions": package_versions()}


def describe_machine() -> str:
    """Return the machine in one line."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{_processor_name()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that matter."""
    versions = {"python": platform.python_version()}
    for name in ("numpy", "numba", "redis", "pymongo", "rapidfuzz", "pypinyin", "datasketch", "rensa", "simhash"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


# The peer methods. Peers that are not installed are reported and left out.


MINHASH_PERMUTATIONS = 128
SHINGLE_CHARACTERS = 5  # characters

Summary = Callable[[str], Any]


def import_peer(name: str, absent: list[str]) -> Any | None:
    """Import a peer. If it is missing, add it to `absent` and return None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        absent.append(name)
        return None


def split_shingles(text: str) -> list[str]:
    """Return the overlapping pieces of five characters that MinHash takes."""
    return [text[start : start + SHINGLE_CHARACTERS] for start in range(max(1, len(text) - SHINGLE_CHARACTERS + 1))]


def datasketch_minhash(datasketch: Any, text: str) -> Any:
    """Return a MinHash of datasketch in its bulk form."""
    made = datasketch.MinHash(num_perm=MINHASH_PERMUTATIONS)
    made.update_batch([shingle.encode() for shingle in split_shingles(text)])
    return made


def rensa_minhash(rensa: Any, pieces: list[str]) -> Any:
    """Return a MinHash of rensa."""
    made = rensa.RMinHash(num_perm=MINHASH_PERMUTATIONS, seed=42)
    made.update(pieces)
    return made.digest()
