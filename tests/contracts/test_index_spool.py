"""A bulk load gives back what it took, in the order of the buckets, from memory and from disk."""

import errno
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from matcher.index import postings
from matcher.index.postings import PART_POSTINGS, TARGET_BUCKET_POSTINGS, Postings, Spool
from wenhen.kit.errors import DiskFull

FOUR_PARTS = (4 * PART_POSTINGS // TARGET_BUCKET_POSTINGS).bit_length() - 1  # bits of a bucket


def some_postings(seed: int, count: int) -> Postings:
    random = np.random.default_rng(seed)
    return Postings(random.integers(0, 1 << 64, count, dtype=np.uint64), np.arange(count, dtype=np.uint64))


def pairs(postings: Postings) -> Iterator[tuple[int, int]]:
    return zip(postings.values.tolist(), postings.places.tolist(), strict=True)


@pytest.mark.parametrize("in_memory", [1 << 28, 1 << 10])
@pytest.mark.parametrize("bits", [10, FOUR_PARTS])
def test_what_was_put_comes_back_in_parts(monkeypatch: pytest.MonkeyPatch, bits: int, in_memory: int) -> None:
    monkeypatch.setattr(postings, "MAX_MEMORY_BYTES", in_memory)
    batches = [some_postings(seed, 1000 * seed) for seed in range(4)]
    with Spool(bits) as spool:
        for batch in batches:
            spool.put(batch)
        parts = list(spool.parts())
    assert len(parts) == (4 if bits == FOUR_PARTS else 1)
    assert sorted(pair for part in parts for pair in pairs(part)) == sorted(
        pair for one in batches for pair in pairs(one)
    )
    for earlier, later in pairwise(parts):
        assert earlier.values.max() >> np.uint64(64 - bits) < later.values.min() >> np.uint64(64 - bits)


def test_more_than_fits_the_memory_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "MAX_PIECE_POSTINGS", 400)
    with Spool(10) as spool:
        spool.put(some_postings(1, 1000))
        parts = list(spool.parts())
    assert [len(part) for part in parts] == [400, 400, 200]
    assert [pair for part in parts for pair in pairs(part)] == list(pairs(some_postings(1, 1000)))


def test_a_full_disk_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Spool(10) as spool:
        monkeypatch.setattr(spool._parts[0], "write", full)
        with pytest.raises(DiskFull, match="TMPDIR"):
            spool.put(some_postings(1, 10))
