"""Store the buckets of compared schemes in a SQLite file."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from wenhen.kit.errors import BadInput

_MAX_KEYS_PER_QUERY = 500  # keys per query; SQLite allows more
_CHANGES_PER_COMMIT = 1_000  # changes per commit; a commit takes as long as several changes
_SIGN_OFFSET = 1 << 63  # SQLite's integers are signed


class DiskBuckets:
    """The port `Buckets` over one SQLite file; a context manager.

    Raises BadInput if the file is not a bucket file. A crash may lose the last additions, but nothing before them.
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
        """Commit the additions and close the file."""
        self._commit()
        self._file.close()

    def _note_change(self) -> None:
        self._uncommitted += 1
        if self._uncommitted == _CHANGES_PER_COMMIT:
            self._commit()

    def _commit(self) -> None:
        self._file.commit()
        self._uncommitted = 0
