"""An index held against the fingerprints that it was made from."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from fingerprinter.packing import unpack

from store.records import OwnerKind
from wenhen.app import App


@dataclass(frozen=True, slots=True)
class Verified:
    """How much was looked up, and what was not found. hot: features that the index leaves out since too many share
    them.
    """

    fingerprints: int
    features: int
    hot: int
    missing: int


def verify_index(app: App, kind: OwnerKind, progress: Callable[[int, int], None] | None = None) -> Verified:
    """Look every feature of every live fingerprint up in its index."""
    total = app.store.fingerprints.count(kind)
    fingerprints = features = hot = missing = 0
    for one in app.store.fingerprints.all(kind):
        wanted = unpack(one.positions, one.values)
        hits = app.index(kind).look_up(wanted)
        own = hits.numbers == one.number
        found = np.unique(hits.positions[own & (hits.positions == hits.query_positions)])
        fingerprints += 1
        features += len(wanted)
        hot += hits.skipped
        missing += max(0, len(np.unique(wanted.positions)) - len(found) - hits.skipped)
        if progress:
            progress(fingerprints, total)
    return Verified(fingerprints, features, hot, missing)
