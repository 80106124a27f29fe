"""Compile the numba functions before their first use.

numba caches machine code beside the source. Without this, the first worker would compile during its first run.
"""

import signal
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

import fingerprinter
import matcher
from fingerprinter.compiled import load_all_compiled
from fingerprinter.features.index_features import pack_text, query_features
from fingerprinter.features.model import Features
from fingerprinter.initials.to_initials import to_initials
from matcher.attribution.align_pair import align_pair
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.index.postings import (
    HOT_POSTINGS,
    Buckets,
    batch_postings,
    remove_documents,
    sort_into_buckets,
    tidy_buckets,
)
from matcher.index.query import find_hits, split_queries
from matcher.retrieval.candidates import find_candidates

COMPILED_PACKAGES: Final = (fingerprinter, matcher)  # packages with compiled functions
_SAMPLE_TEXT = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。" * 20


def precompile() -> None:
    """Compile all declared functions, and run the core once on a short text."""
    for room in COMPILED_PACKAGES:
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(module.name)
    load_all_compiled()
    letters = to_initials(_SAMPLE_TEXT)
    pack_text(letters)
    made = query_features(letters)
    align_pair(_SAMPLE_TEXT, letters, _SAMPLE_TEXT, letters)
    index = MemoryIndex()
    index.create(postings=0)
    index.load([(0, made)])
    index.publish()
    find_candidates(letters, index, documents=1)
    _precompile_buckets(made)


def _precompile_buckets(made: Features) -> None:
    """Run the bucket operations of a Redis index once."""
    for batch in batch_postings(((number, made) for number in range(100)), 1 << 20):
        buckets, _ = tidy_buckets(sort_into_buckets(batch, 10), HOT_POSTINGS)
        left, _ = remove_documents(Buckets.parse(buckets.numbers, buckets.compact()), buckets)
        left.compact()
        for query in split_queries(made, 10, len(made)):
            find_hits(query, buckets.compact(), HOT_POSTINGS, mean=HOT_POSTINGS)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback on the terminal of the command
    precompile()
