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

# What a benchmark tells: figures of ours and of its peers from one run, and the limits that they are held to.


BUSY_LOAD_PER_CORE = 0.6  # load a core


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure that must be reached: at least `least`, or at most `most`."""

    what: str
    figure: float
    least: float | None = None
    most: float | None = None

    @property
    def is_reached(self) -> bool:
        """Whether it is."""
        return (self.least is None or self.figure >= self.least) and (self.most is None or self.figure <= self.most)

    @property
    def must(self) -> str:
        """The limit in words."""
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"


@dataclass(slots=True)
class BenchReport:
    """The outcome of one benchmark.

    figures and peers: by what was measured, the unit in the name. rows: a table, where there is one. absent: peers that
    are not installed here. load: of the machine when it began, processes a core that wanted to run.
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
        """Others used the machine, so that times are worth little."""
        return self.load > BUSY_LOAD_PER_CORE

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        limits = [
            {"what": limit.what, "figure": limit.figure, "must": limit.must, "reached": limit.is_reached}
            for limit in self.limits
        ]
        return {**asdict(self), "limits": limits, "machine": describe_machine(), "versions": package_versions()}


def describe_machine() -> str:
    """The machine in a line."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{_processor_name()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def package_versions() -> dict[str, str]:
    """Python and the packages that the figures depend on."""
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


# The methods that ours are measured against; those that are not installed are told, and left out.


MINHASH_PERMUTATIONS = 128
SHINGLE_CHARACTERS = 5  # characters

Summary = Callable[[str], Any]


def import_peer(name: str, absent: list[str]) -> Any | None:
    """The package, or None, and then it is named among the absent."""
    try:
        return importlib.import_module(name)
    except ImportError:
        absent.append(name)
        return None


def split_shingles(text: str) -> list[str]:
    """The overlapping pieces of five characters that MinHash takes."""
    return [text[start : start + SHINGLE_CHARACTERS] for start in range(max(1, len(text) - SHINGLE_CHARACTERS + 1))]


def datasketch_minhash(datasketch: Any, text: str) -> Any:
    """A MinHash of datasketch, in its bulk form."""
    made = datasketch.MinHash(num_perm=MINHASH_PERMUTATIONS)
    made.update_batch([shingle.encode() for shingle in split_shingles(text)])
    return made


def rensa_minhash(rensa: Any, pieces: list[str]) -> Any:
    """A MinHash of rensa."""
    made = rensa.RMinHash(num_perm=MINHASH_PERMUTATIONS, seed=42)
    made.update(pieces)
    return made.digest()
