"""The reference: how often each initial occurs in Chinese text at large."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import INITIALS

FILE = "reference.json"


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """How often each initial occurs in a corpus.

    counts: i64[20], occurrences among `total` characters (those without an initial too). origin: the corpus, the date.
    """

    counts: NDArray[np.int64]
    total: int
    origin: str

    @property
    def shares(self) -> NDArray[np.float64]:
        """f64[20]: the share of each initial (r)."""
        return self.counts / self.total


@cache
def reference() -> Reference:
    """The reference of this package, loaded once."""
    stored = json.loads(resources.files("fingerprinter").joinpath("tables", FILE).read_text("utf-8"))
    counts = np.array([stored["counts"][initial] for initial in INITIALS], np.int64)
    counts.flags.writeable = False
    return Reference(counts=counts, total=stored["total"], origin=stored["origin"])
