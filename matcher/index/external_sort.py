"""Sort the postings of a bulk load into parts, on disk where they are many.

Each bucket is then written once and whole, however many documents there are. Appending to an existing bucket costs as
much as writing it, and leaves up to half of its memory unused.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile, gettempdir
from types import TracebackType

import numpy as np

from matcher.index.postings import TARGET_BUCKET_POSTINGS, Postings
from wenhen.kit.errors import DiskFull

PART_POSTINGS = 1 << 22  # approximate postings of a part at the planned size of the index
MAX_OPEN_PARTS = 256  # open files
MAX_PIECE_POSTINGS = 1 << 24  # most postings that are returned at a time, where an index is far larger
MAX_MEMORY_BYTES = 1 << 28  # bytes of all parts before they go to files
ROW_BYTES = 16


class Spool:
    """Takes postings in any order and returns them part by part, in the order of their buckets.

    bits: number of bits of a bucket number. A context manager. Its files have no names and vanish with it.
    """

    def __init__(self, bits: int) -> None:
        parts_bits = min(MAX_OPEN_PARTS, max(1, (TARGET_BUCKET_POSTINGS << bits) // PART_POSTINGS)).bit_length() - 1
        self._shift = np.uint64(64 - parts_bits)
        self._files = ExitStack()
        share = MAX_MEMORY_BYTES >> parts_bits
        self._parts = [
            self._files.enter_context(SpooledTemporaryFile(share))  # noqa: SIM115  the context closes it
            for _ in range(1 << parts_bits)
        ]

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    @property
    def count(self) -> int:
        """Number of parts, each with equally many buckets."""
        return len(self._parts)

    def put(self, postings: Postings) -> None:
        """Store postings. Raises DiskFull."""
        part = np.zeros(len(postings), np.uint16) if len(self._parts) == 1 else postings.values >> self._shift
        order = np.argsort(part.astype(np.uint16), kind="stable")  # by radix
        rows = np.stack((postings.values, postings.places), axis=1)[order]
        ends = np.cumsum(np.bincount(part.astype(np.int64), minlength=len(self._parts)))
        try:
            for file, part_rows in zip(self._parts, np.split(rows, ends[:-1]), strict=True):
                file.write(part_rows.tobytes())
        except OSError as error:
            raise DiskFull("index.spool_full", folder=gettempdir(), error=error) from error

    def parts(self) -> Iterator[Postings]:
        """Yield all postings. Those of a bucket come together, unless they exceed the memory."""
        for file in self._parts:
            file.seek(0)
            while raw := file.read(MAX_PIECE_POSTINGS * ROW_BYTES):
                yield _parse_postings(raw)
            file.close()

    def whole_parts(self) -> Iterator[Postings]:
        """Yield all postings, each part whole, however large, with empty parts."""
        for file in self._parts:
            file.seek(0)
            yield _parse_postings(file.read())
            file.close()


def _parse_postings(raw: bytes) -> Postings:
    rows = np.frombuffer(raw, np.uint64).reshape(-1, 2)
    return Postings(rows[:, 0].copy(), rows[:, 1].copy())
