"""Buckets on disk, in a file of SQLite."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from store.errors import BadInput

_MOST = 500  # keys a question; SQLite allows more
_HALF = 1 << 63  # SQLite's integers are signed


class DiskBuckets:
    """The port `Buckets` over one file; close it, or use it as a context. BadInput for a file that is none."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = sqlite3.connect(path)
            # What was added last may be lost with the machine, never what was there before.
            self._file.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS buckets (key BLOB, number INTEGER, PRIMARY KEY (key, number)) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            raise BadInput("schemes.no_buckets", path=path, error=error) from error

    def __enter__(self) -> "DiskBuckets":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        rows = ((key, number - _HALF) for key, number in entries)
        with self._file:
            self._file.executemany("INSERT OR IGNORE INTO buckets VALUES (?, ?)", rows)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        found: dict[bytes, list[int]] = {key: [] for key in keys}
        wanted = list(found)
        for start in range(0, len(wanted), _MOST):
            part = wanted[start : start + _MOST]
            question = f"SELECT key, number FROM buckets WHERE key IN ({','.join('?' * len(part))}) ORDER BY number"  # noqa: S608  question marks only
            for key, number in self._file.execute(question, part):
                found[key].append(number + _HALF)
        return [list(found[key]) for key in keys]

    def close(self) -> None:
        """Close the file; what was added is in it."""
        self._file.close()
