"""An index held against the fingerprints that it was made from."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.segments import unpack
from matcher.index.port import Index
from matcher.index.postings import kept
from pipeline.context import Context
from pipeline.matching.outdated_fingerprints import is_current
from store.records import OwnerKind


@dataclass(frozen=True, slots=True)
class VerifiedIndex:
    """How much was looked up, and what was not found. hot: features that the index leaves out since too many share
    them.
    """

    fingerprints: int
    features: int
    hot: int
    missing: int
    outdated: int  # fingerprints of another scheme, or of an earlier reading of the letters


def verify_index(
    context: Context, kind: OwnerKind, progress: Callable[[int, int], None] | None = None
) -> VerifiedIndex:
    """Look every feature of every live fingerprint up in its index."""
    total = context.store.fingerprints.count(kind)
    fingerprints = features = hot = missing = outdated = 0
    for one in context.store.fingerprints.all(kind):
        wanted = kept(unpack(one.positions, one.values))
        skipped, lacking = _held_against(context.index(kind), one.number, wanted)
        fingerprints += 1
        features += len(wanted)
        hot += skipped
        missing += lacking
        outdated += not is_current(one)
        if progress:
            progress(fingerprints, total)
    return VerifiedIndex(fingerprints, features, hot, missing, outdated)


def _held_against(index: Index, number: int, wanted: Features) -> tuple[int, int]:
    """Of one document's different features: how many the index leaves out, and how many lack a place."""
    hits = index.look_up(wanted)
    own = (hits.numbers == number) & (hits.positions == hits.query_positions)
    there = np.isin(wanted.positions, hits.positions[own])
    _, which = np.unique(wanted.values, return_inverse=True)
    places = np.bincount(which)
    found = np.bincount(which, weights=there)
    nowhere, somewhere = int((found == 0).sum()), int(((found > 0) & (found < places)).sum())
    return hits.skipped, somewhere + max(0, nowhere - hits.skipped)
