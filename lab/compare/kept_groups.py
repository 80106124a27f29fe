"""Groups that are kept in a file from run to run: the keys, and the ids of the texts by their numbers."""

from pathlib import Path

from fingerprinter.schemes.indexes.disk_buckets import DiskBuckets


class KeptGroups(DiskBuckets):
    """The buckets of one file, and the texts that were put into it, numbered in the order in which they came first."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._file:
            self._file.execute("CREATE TABLE IF NOT EXISTS texts (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL)")

    def number(self, id: str) -> int:
        """The number of the text with this id, the next one where it is new."""
        self._file.execute("INSERT OR IGNORE INTO texts (id) VALUES (?)", (id,))
        self._changed()
        return int(self._file.execute("SELECT number FROM texts WHERE id = ?", (id,)).fetchone()[0])

    def id(self, number: int) -> str:
        """The id of the text with this number."""
        return str(self._file.execute("SELECT id FROM texts WHERE number = ?", (number,)).fetchone()[0])
