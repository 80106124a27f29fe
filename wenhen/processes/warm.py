"""Compile what is compiled at first use, and load what is read at first use: `python -m wenhen.processes.warm`
at set-up.

numba keeps its machine code beside the source; without this the first worker of the first run would spend its time
on it.
"""

from importlib import import_module
from pkgutil import walk_packages
from typing import Final

import fingerprinter
import matcher
from fingerprinter.compiled import load_all
from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import query_features
from fingerprinter.features.segments import pack
from fingerprinter.normalize.read_letters import read_letters
from matcher.candidates import candidates
from matcher.compare import compare
from matcher.index.feature_limits import HOT
from matcher.index.memory import MemoryIndex
from matcher.index.postings import Buckets, batches, bucketed, tidied, without
from matcher.index.querying import hits, queries

ROOMS: Final = (fingerprinter, matcher)  # where functions are declared compiled
_SAMPLE = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。" * 20


def warm() -> None:
    """Compile what is declared anywhere, and send a short text through the core once."""
    for room in ROOMS:
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(module.name)
    load_all()
    letters = read_letters(_SAMPLE)
    pack(letters)
    made = query_features(letters)
    compare(_SAMPLE, letters, _SAMPLE, letters)
    index = MemoryIndex()
    index.create(postings=0)
    index.load([(0, made)])
    index.publish()
    candidates(letters, index, documents=1)
    _warm_buckets(made)


def _warm_buckets(made: Features) -> None:
    """Once through what an index in Redis does with its buckets."""
    for batch in batches(((number, made) for number in range(100)), 1 << 20):
        buckets, _ = tidied(bucketed(batch, 10), HOT)
        left, _ = without(Buckets.parse(buckets.numbers, buckets.compact()), buckets)
        left.compact()
        for query in queries(made, 10, len(made)):
            hits(query, buckets.compact(), HOT, mean=HOT)


if __name__ == "__main__":
    warm()
