"""Write and read a library snapshot as one immutable SQLite file."""

import sqlite3
import zlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter

from wenhen.kit.errors import DiskFull, IndexNotReady
from wenhen.works.model import Work

# Records to and from JSON, by the fields and types of their dataclasses. Bytes are in Base64.


R = TypeVar("R")


@cache
def _type_adapter(kind: Hashable) -> TypeAdapter[Any]:
    # Pydantic takes no config for a dataclass, but the config of a list applies to its items.
    return TypeAdapter(
        list[kind],  # type: ignore[valid-type]  # kind is a type of records
        config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"),
    )


def to_json_line(kind: type[R], records: Sequence[R]) -> str:
    """Serialize records of one kind to one line of JSON."""
    return _type_adapter(cast(Hashable, kind)).dump_json(list(records)).decode()


def from_json_line(kind: type[R], line: str | bytes) -> list[R]:
    """Parse the records of one line of JSON."""
    records: list[R] = _type_adapter(cast(Hashable, kind)).validate_json(line)
    return records


# The snapshot file: a SQLite database that is written once, then mapped and read by many processes.


SNAPSHOT_FILE_NAME: Final = "library.sqlite"
SNAPSHOT_FORM: Final = 1
MMAP_BYTES: Final = 1 << 40  # maximum bytes; the file is mapped up to its size
MAX_KEYS_PER_QUERY: Final = 500  # keys in one query

CREATE_TABLES: Final = """
CREATE TABLE works (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE texts (digest TEXT PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE fingerprints (
    number INTEGER PRIMARY KEY, work_id TEXT NOT NULL, version INTEGER NOT NULL, segment INTEGER NOT NULL
);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

SqliteRow = tuple[Any, ...]


class SnapshotWriter:
    """Writes a snapshot file, as a context manager. An error removes the file. Raises DiskFull."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SNAPSHOT_FILE_NAME
        self._path.unlink(missing_ok=True)
        self._connection = sqlite3.connect(self._path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=OFF")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.executescript(CREATE_TABLES)
        self._connection.execute("BEGIN")

    def __enter__(self) -> "SnapshotWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self._connection.execute(f"PRAGMA user_version={SNAPSHOT_FORM}")
            self._connection.execute("COMMIT")
        self._connection.close()
        if kind is not None:
            self._path.unlink(missing_ok=True)

    def works(self, works: Iterable[Work]) -> None:
        """Write works."""
        self._put("works", ((work.id, to_json_line(Work, [work])) for work in works))

    def texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Write texts by digest. Texts that are already stored stay."""
        self._put("texts", ((digest, zlib.compress(text.encode(), 6)) for digest, text in texts))

    def fingerprints(self, rows: Iterable[tuple[int, str, int, int]]) -> None:
        """Write fingerprint numbers, each with work id, version, and segment of the text."""
        self._put("fingerprints", rows)

    def fact(self, name: str, value: str) -> None:
        """Write a small value by name."""
        self._put("facts", [(name, value)])

    def _put(self, table: str, rows: Iterable[SqliteRow]) -> None:
        width = {"works": 2, "texts": 2, "fingerprints": 4, "facts": 2}[table]
        places = ", ".join("?" * width)
        try:
            self._connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)  # noqa: S608  constants
        except sqlite3.OperationalError as error:
            raise DiskFull("index.segments_unwritten", folder=self._path.parent, error=error) from error


class SnapshotFile:
    """Reads a snapshot file, from any thread. Raises IndexNotReady if it is missing or of another format."""

    def __init__(self, folder: Path) -> None:
        path = folder / SNAPSHOT_FILE_NAME
        if not path.is_file():
            raise IndexNotReady("index.segments_missing", folder=folder)
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, check_same_thread=False)
        self._connection.execute(f"PRAGMA mmap_size={MMAP_BYTES}")
        (form,) = self._connection.execute("PRAGMA user_version").fetchone()
        if form != SNAPSHOT_FORM:
            raise IndexNotReady("index.segments_form", folder=folder)

    def works(self, ids: Collection[str]) -> dict[str, Work]:
        """Return the works with these ids; missing ones are absent."""
        rows = self._some("SELECT id, record FROM works WHERE id IN ", list(ids))
        return {id: from_json_line(Work, record)[0] for id, record in rows}

    def texts(self, digests: Collection[str]) -> dict[str, str]:
        """Return the texts with these digests; missing ones are absent."""
        rows = self._some("SELECT digest, text FROM texts WHERE digest IN ", list(digests))
        return {digest: zlib.decompress(text).decode() for digest, text in rows}

    def fingerprints(self, numbers: Collection[int]) -> Iterator[tuple[int, str, int, int]]:
        """Yield number, work id, version and segment of the fingerprints with these numbers."""
        sql = "SELECT number, work_id, version, segment FROM fingerprints WHERE number IN "
        yield from self._some(sql, list(numbers))

    def fact(self, name: str, default: str | None = None) -> str:
        """Return the value of this name. default: value for libraries that an earlier release froze without it."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        if row is None and default is not None:
            return default
        (value,) = row
        return str(value)

    def ids(self, after: str, limit: int) -> list[str]:
        """Return the next ids of works after this one, in order."""
        sql = "SELECT id FROM works WHERE id > ? ORDER BY id LIMIT ?"
        return [id for (id,) in self._connection.execute(sql, (after, limit))]

    def count(self) -> int:
        """Count the works."""
        (count,) = self._connection.execute("SELECT count(*) FROM works").fetchone()
        return int(count)

    def _some(self, sql: str, keys: Sequence[object]) -> Iterator[SqliteRow]:
        for start in range(0, len(keys), MAX_KEYS_PER_QUERY):
            batch = keys[start : start + MAX_KEYS_PER_QUERY]
            yield from self._connection.execute(f"{sql}({', '.join('?' * len(batch))})", batch)
