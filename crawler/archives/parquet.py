"""Read the row groups of a Parquet file as pages, from the byte ranges that hold them."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from io import SEEK_CUR, SEEK_END, RawIOBase
from typing import Any, NamedTuple

from crawler.archives.archived_page import WEB_ROWS, ArchivedPage, RowRules, UnusableRecord, page_from_row
from wenhen.kit.errors import Unreadable

FOOTER_GUESS_BYTES = 64 << 10  # bytes of the end that are read at once, like the library's guess
COLUMN_PADDING_BYTES = 128  # bytes around a column that files of some writers need
PARQUET_TAIL_BYTES = 8  # bytes at the end: the length of the footer, and the magic ones
PARQUET_MAGIC = b"PAR1"
BATCH_ROWS = 256  # rows that are made into pages at a time

FilePieces = Mapping[int, bytes]  # of a file, by where each begins


class RowGroup(NamedTuple):
    """A group of rows. stretches: begin and end of the bytes that hold the columns of pages."""

    rows: int
    stretches: list[tuple[int, int]]


def footer_length(tail: bytes) -> int:
    """Return how many last bytes hold the footer. tail: the last `PARQUET_TAIL_BYTES` bytes. Raises Unreadable."""
    if len(tail) != PARQUET_TAIL_BYTES or tail[4:] != PARQUET_MAGIC:
        raise Unreadable("bulk.no_parquet", error="PAR1")
    return max(FOOTER_GUESS_BYTES, int.from_bytes(tail[:4], "little") + PARQUET_TAIL_BYTES)


def read_row_groups(footer: bytes, size: int, rules: RowRules = WEB_ROWS) -> list[RowGroup]:
    """Return the row groups of a file of this size. Raises Unreadable."""
    file = _open_parquet({size - len(footer): footer}, size)
    row_groups, names = [], rules.column_names()
    for group in (file.metadata.row_group(place) for place in range(file.num_row_groups)):
        columns = [group.column(place) for place in range(group.num_columns)]
        wanted = [column for column in columns if column.path_in_schema.partition(".")[0] in names]
        begins = [min(filter(None, (column.dictionary_page_offset, column.data_page_offset))) for column in wanted]
        stretches = [
            (
                max(0, begin - COLUMN_PADDING_BYTES),
                min(size, begin + column.total_compressed_size + COLUMN_PADDING_BYTES),
            )
            for begin, column in zip(begins, wanted, strict=True)
        ]
        row_groups.append(RowGroup(group.num_rows, stretches))
    return row_groups


def read_row_group(
    pieces: FilePieces, size: int, group: int, file: str, otherwise: datetime, rules: RowRules = WEB_ROWS
) -> Iterator[ArchivedPage | UnusableRecord]:
    """Yield the pages of one row group, from these pieces of the file. Raises Unreadable."""
    opened = _open_parquet(pieces, size)
    names = [name for name in opened.schema_arrow.names if name in rules.column_names()]
    number = 0
    for batch in opened.iter_batches(BATCH_ROWS, row_groups=[group], columns=names, use_threads=False):
        for row in batch.to_pylist():
            yield page_from_row(row, f"{file} {group}:{number}", otherwise, rules, number)
            number += 1


def _open_parquet(pieces: FilePieces, size: int) -> Any:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(_SparseFile(pieces, size), pre_buffer=False)
    except (ArrowException, OSError, ValueError) as error:
        raise Unreadable("bulk.no_parquet", error=error) from error


class _SparseFile(RawIOBase):
    """A file of which some pieces are there. Reading any other byte is an error."""

    def __init__(self, pieces: FilePieces, size: int) -> None:
        self._pieces = pieces
        self._size = size
        self._offset = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._offset = offset + {SEEK_CUR: self._offset, SEEK_END: self._size}.get(whence, 0)
        return self._offset

    def tell(self) -> int:
        return self._offset

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._offset + size, self._size)
        for begin, piece in self._pieces.items():
            if begin <= self._offset and end <= begin + len(piece):
                content = piece[self._offset - begin : end - begin]
                self._offset = end
                return content
        raise OSError(f"bytes {self._offset} to {end} are not at hand")
