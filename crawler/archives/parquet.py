"""Row groups of a Parquet file as pages: the footer says which bytes hold them, and no others are asked for."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from io import SEEK_CUR, SEEK_END, BytesIO, RawIOBase
from typing import Any, NamedTuple

from crawler.archives.archived_page import ArchivedPage, Unusable
from crawler.archives.rows import COLUMNS, page_of
from store.errors import Unreadable

GUESS = 64 << 10  # bytes of the end that are read at once, as the library does
PADDING = 128  # bytes around a column that some writers are read with
TAIL = 8  # bytes at the end: the length of the footer, and the magic ones
MAGIC = b"PAR1"
BATCH = 256  # rows that are made into pages at a time

Pieces = Mapping[int, bytes]  # of a file, by where each begins


class RowGroup(NamedTuple):
    """One group of rows. stretches: bytes of the file, begin and end, that hold the columns that matter."""

    rows: int
    stretches: list[tuple[int, int]]


def footer_length(tail: bytes) -> int:
    """Bytes from the end that hold the footer, by the last `TAIL` bytes of a file. Raises Unreadable."""
    if len(tail) != TAIL or tail[4:] != MAGIC:
        raise Unreadable("bulk.no_parquet", error="PAR1")
    return max(GUESS, int.from_bytes(tail[:4], "little") + TAIL)


def row_groups(footer: bytes, size: int) -> list[RowGroup]:
    """The groups of a file of this size. Raises Unreadable."""
    file = _opened({size - len(footer): footer}, size)
    found = []
    for group in (file.metadata.row_group(place) for place in range(file.num_row_groups)):
        columns = [group.column(place) for place in range(group.num_columns)]
        wanted = [column for column in columns if column.path_in_schema.partition(".")[0] in COLUMNS]
        begins = [min(filter(None, (column.dictionary_page_offset, column.data_page_offset))) for column in wanted]
        stretches = [
            (max(0, begin - PADDING), min(size, begin + column.total_compressed_size + PADDING))
            for begin, column in zip(begins, wanted, strict=True)
        ]
        found.append(RowGroup(group.num_rows, stretches))
    return found


def pages_of_group(
    pieces: Pieces, size: int, group: int, file: str, otherwise: datetime
) -> Iterator[ArchivedPage | Unusable]:
    """The pages of one group, of which these pieces of the file are there. Raises Unreadable."""
    opened = _opened(pieces, size)
    names = [name for name in opened.schema_arrow.names if name in COLUMNS]
    number = 0
    for batch in opened.iter_batches(BATCH, row_groups=[group], columns=names, use_threads=False):
        for row in batch.to_pylist():
            yield page_of(row, f"{file} {group}:{number}", otherwise)
            number += 1


def _opened(pieces: Pieces, size: int) -> Any:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(_SparseFile(pieces, size), pre_buffer=False)
    except (ArrowException, OSError, ValueError) as error:
        raise Unreadable("bulk.no_parquet", error=error) from error


class _SparseFile(RawIOBase):
    """A file of which some pieces are there; what else is asked for is an error."""

    def __init__(self, pieces: Pieces, size: int) -> None:
        self._pieces = pieces
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + {SEEK_CUR: self._at, SEEK_END: self._size}.get(whence, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._at + size, self._size)
        for begin, piece in self._pieces.items():
            if begin <= self._at and end <= begin + len(piece):
                found = BytesIO(piece).getbuffer()[self._at - begin : end - begin]
                self._at = end
                return bytes(found)
        raise OSError(f"bytes {self._at} to {end} are not at hand")
