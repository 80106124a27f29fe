"""Store the buckets of compared schemes in a SQLite file."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from wenhen.kit.errors import BadInput

_MAX_KEYS_PER_QUERY = 500  # keys a question; SQLite allows more
_CHANGES_PER_COMMIT = 1_000  # changes that are committed at one time: a commit takes as long as several of them
_SIGN_OFFSET = 1 << 63  # SQLite's integers are signed


class DiskBuckets:
    """The port `Buckets` over one file; close it, or use it as a context. BadInput for a file that is none.

    What was added last may be lost with the process, never what was there before.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = sqlite3.connect(path)
            self._file.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS buckets (key BLOB, number INTEGER, PRIMARY KEY (key, number)) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            raise BadInput("schemes.no_buckets", path=path, error=error) from error
        self._uncommitted = 0

    def __enter__(self) -> "DiskBuckets":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        rows = ((key, number - _SIGN_OFFSET) for key, number in entries)
        self._file.executemany("INSERT OR IGNORE INTO buckets VALUES (?, ?)", rows)
        self._note_change()

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        members: dict[bytes, list[int]] = {key: [] for key in keys}
        wanted = list(members)
        for start in range(0, len(wanted), _MAX_KEYS_PER_QUERY):
            part = wanted[start : start + _MAX_KEYS_PER_QUERY]
            question = f"SELECT key, number FROM buckets WHERE key IN ({','.join('?' * len(part))}) ORDER BY number"  # noqa: S608  question marks only
            for key, number in self._file.execute(question, part):
                members[key].append(number + _SIGN_OFFSET)
        return [list(members[key]) for key in keys]

    def close(self) -> None:
        """Close the file; what was added is in it."""
        self._commit()
        self._file.close()

    def _note_change(self) -> None:
        self._uncommitted += 1
        if self._uncommitted == _CHANGES_PER_COMMIT:
            self._commit()

    def _commit(self) -> None:
        self._file.commit()
        self._uncommitted = 0
