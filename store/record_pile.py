"""Many records as a sequence that is read again and again and takes next to no memory: they lie in a file."""

import pickle
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Final, Generic, TypeVar, overload

T = TypeVar("T")
AT_HAND: Final = 2_000  # records, up to which they stay in memory
_BUFFER: Final = 1 << 20  # bytes


class RecordPile(Generic[T]):
    """Takes records one after the other."""

    def __init__(self) -> None:
        self._few: list[T] = []
        self._many: _InAFile[T] | None = None

    def add(self, record: T) -> None:
        """Put a record behind the others."""
        if self._many is None and len(self._few) >= AT_HAND:
            self._many = _InAFile()
            for one in self._few:
                self._many.add(one)
            self._few = []
        if self._many is None:
            self._few.append(record)
        else:
            self._many.add(record)

    def records(self) -> Sequence[T]:
        """All of them: a tuple, or what reads a file that goes with it."""
        return tuple(self._few) if self._many is None else self._many


class _InAFile(Sequence[T]):
    def __init__(self) -> None:
        # Without a name, private to this process, and gone with it.
        self._file: Any = tempfile.TemporaryFile(buffering=_BUFFER)  # noqa: SIM115  it is open as long as the sequence
        self._places = array("Q")

    def add(self, record: T) -> None:
        self._places.append(self._file.seek(0, 2))
        pickle.dump(record, self._file, protocol=5)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return (self._read(place) for place in self._places)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return [self._read(place) for place in self._places[at]]
        return self._read(self._places[at])

    def _read(self, place: int) -> T:
        if self._file.tell() != place:
            self._file.seek(place)
        record: T = pickle.load(self._file)  # noqa: S301  we wrote it ourselves, into a file that nobody else has
        return record
