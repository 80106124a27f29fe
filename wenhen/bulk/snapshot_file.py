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

# Records as JSON and back, by the fields and types of their dataclasses; bytes in Base64.


R = TypeVar("R")


@cache
def _type_adapter(kind: Hashable) -> TypeAdapter[Any]:
    # The config of a dataclass cannot be given; that of a list of them holds for what is inside.
    return TypeAdapter(
        list[kind],  # type: ignore[valid-type]  # it is a type of records
        config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"),
    )


def to_json_line(kind: type[R], records: Sequence[R]) -> str:
    """Records of one kind, on one line."""
    return _type_adapter(cast(Hashable, kind)).dump_json(list(records)).decode()


def from_json_line(kind: type[R], line: str | bytes) -> list[R]:
    """The records again."""
    records: list[R] = _type_adapter(cast(Hashable, kind)).validate_json(line)
    return records


# The file of a snapshot: a SQLite database that is written once, then mapped and read by many processes at a time.


SNAPSHOT_FILE_NAME: Final = "library.sqlite"
SNAPSHOT_FORM: Final = 1
MMAP_BYTES: Final = 1 << 40  # bytes, at most; the file is mapped as far as it goes
MAX_KEYS_PER_QUERY: Final = 500  # keys of one question

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
    """Writes the file. A context: what ends with an error leaves nothing. Raises DiskFull."""

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
        """Put works."""
        self._put("works", ((work.id, to_json_line(Work, [work])) for work in works))

    def texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Put texts by their digests; one that is there already stays."""
        self._put("texts", ((digest, zlib.compress(text.encode(), 6)) for digest, text in texts))

    def fingerprints(self, rows: Iterable[tuple[int, str, int, int]]) -> None:
        """Put numbers, each with the work, its version and the segment of its text."""
        self._put("fingerprints", rows)

    def fact(self, name: str, value: str) -> None:
        """Put what is small, by its name."""
        self._put("facts", [(name, value)])

    def _put(self, table: str, rows: Iterable[SqliteRow]) -> None:
        width = {"works": 2, "texts": 2, "fingerprints": 4, "facts": 2}[table]
        places = ", ".join("?" * width)
        try:
            self._connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)  # noqa: S608  names of ours
        except sqlite3.OperationalError as error:
            raise DiskFull("index.segments_unwritten", folder=self._path.parent, error=error) from error


class SnapshotFile:
    """Reads the file, from any thread."""

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
        """The works with these ids, of those that are there."""
        rows = self._some("SELECT id, record FROM works WHERE id IN ", list(ids))
        return {id: from_json_line(Work, record)[0] for id, record in rows}

    def texts(self, digests: Collection[str]) -> dict[str, str]:
        """The texts with these digests, of those that are there."""
        rows = self._some("SELECT digest, text FROM texts WHERE digest IN ", list(digests))
        return {digest: zlib.decompress(text).decode() for digest, text in rows}

    def fingerprints(self, numbers: Collection[int]) -> Iterator[tuple[int, str, int, int]]:
        """Number, work, version and segment of those numbers that are there."""
        asked = "SELECT number, work_id, version, segment FROM fingerprints WHERE number IN "
        yield from self._some(asked, list(numbers))

    def fact(self, name: str, default: str | None = None) -> str:
        """What was put under this name. default: of a library that an earlier release froze without it."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        if row is None and default is not None:
            return default
        (value,) = row
        return str(value)

    def ids(self, after: str, limit: int) -> list[str]:
        """Ids of works in their order, behind this one."""
        asked = "SELECT id FROM works WHERE id > ? ORDER BY id LIMIT ?"
        return [id for (id,) in self._connection.execute(asked, (after, limit))]

    def count(self) -> int:
        """Works."""
        (count,) = self._connection.execute("SELECT count(*) FROM works").fetchone()
        return int(count)

    def _some(self, asked: str, keys: Sequence[object]) -> Iterator[SqliteRow]:
        for start in range(0, len(keys), MAX_KEYS_PER_QUERY):
            some = keys[start : start + MAX_KEYS_PER_QUERY]
            yield from self._connection.execute(f"{asked}({', '.join('?' * len(some))})", some)
