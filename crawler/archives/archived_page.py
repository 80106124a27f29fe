"""Make pages of the records of foreign archives: rows of tables, JSON lines, and Parquet files by their byte ranges."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import SEEK_CUR, SEEK_END, RawIOBase
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from crawler.capture import WarcPlace
from wenhen.kit.errors import Message, Unreadable, message
from wenhen.kit.size_and_time_limits import MAX_ARCHIVED_BYTES

HTML_HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedPage:
    """A page as it was sent, or its text where the archive holds no more.

    place: of the record in a WARC file. problems: notes on a body that the archive does not hold whole.
    row: the made address of a table row, where every row counts by itself.
    """

    url: str
    fetched_at: datetime
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    text: str | None = None
    title: str | None = None
    place: WarcPlace | None = None
    problems: tuple[Message, ...] = ()
    row: str | None = None


@dataclass(frozen=True, slots=True)
class OtherRecords:
    """So many records that hold no page, such as requests."""

    count: int


@dataclass(frozen=True, slots=True)
class UnusableRecord:
    """A record that cannot be read. what: the address, or where it stands."""

    what: str
    reason: Message


def normalize_text(text: str) -> str:
    """Return an extracted text in our form: paragraphs separated by one line feed, without surrounding space."""
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)


# Pages of table rows and JSON objects, by the usual names of columns.
URL_COLUMNS: Final = ("url", "uri", "target_uri", "warc_target_uri")
MARKUP_COLUMNS: Final = ("html", "raw_html", "body", "content_html")
TEXT_COLUMNS: Final = ("text", "content", "raw_content")
TITLE_COLUMNS: Final = ("title",)
DATE_COLUMNS: Final = ("fetched_at", "fetch_time", "date", "timestamp", "warc_date")
PAGE_COLUMNS: Final = frozenset((*URL_COLUMNS, *MARKUP_COLUMNS, *TEXT_COLUMNS, *TITLE_COLUMNS, *DATE_COLUMNS))
_ROWS_PER_HOST: Final = 256  # rows with made addresses that are looked up together
_ROW_BYTES: Final = 4 << 10  # bytes of a JSON line, roughly


class RowRules(NamedTuple):
    """How rows become pages.

    file_id: of a file of a data set, whose rows count by themselves and need no address. None: rows are pages of the
    web. columns: of the text, such as `messages.content`. None of them: the usual names.
    """

    file_id: str | None = None
    columns: tuple[str, ...] = ()

    def row_address(self, where: str, number: int) -> str | None:
        """Return the address of a row by its place. number: of the row, for hosts of so many rows."""
        if self.file_id is None:
            return None
        return f"https://{number // _ROWS_PER_HOST}.{self.file_id}.row.invalid/{quote(where)}"

    def column_names(self) -> frozenset[str]:
        """Return the names of the columns to read."""
        return PAGE_COLUMNS | {path.partition(".")[0] for path in self.columns}


WEB_ROWS: Final = RowRules()


def page_from_row(
    row: Mapping[str, Any], where: str, otherwise: datetime, rules: RowRules = WEB_ROWS, number: int = 0
) -> ArchivedPage | UnusableRecord:
    """Return the page of a row. where: its place, for people. otherwise: the date of a row without one."""
    url, markup, text = (_first_value(row, names) for names in (URL_COLUMNS, MARKUP_COLUMNS, TEXT_COLUMNS))
    if rules.columns:
        markup, text = None, "\n".join(part for path in rules.columns for part in _strings_at(row, path.split(".")))
    made_address = rules.row_address(where, number)
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        url = made_address
    if url is None:
        return UnusableRecord(where, message("bulk.no_url", where=where, names=", ".join(URL_COLUMNS)))
    if markup is None and not text and (text is None or rules.columns):
        return UnusableRecord(
            url,
            message("bulk.no_content", where=where, names=", ".join(rules.columns or (*MARKUP_COLUMNS, *TEXT_COLUMNS))),
        )
    body = markup.encode() if isinstance(markup, str) else bytes(markup or b"")
    if len(body) > MAX_ARCHIVED_BYTES or len(text or "") > MAX_ARCHIVED_BYTES:
        return UnusableRecord(url, message("bulk.too_large", url=url, most=MAX_ARCHIVED_BYTES >> 20))
    title = _first_value(row, TITLE_COLUMNS)
    return ArchivedPage(
        url=url,
        fetched_at=_parse_date(_first_value(row, DATE_COLUMNS), otherwise),
        headers=HTML_HEADERS if isinstance(markup, str) else (),
        body=body,
        text=None if body else normalize_text(str(text)),
        title=str(title) if title else None,
        row=made_address,
    )


def _strings_at(value: Any, path: list[str]) -> Iterator[str]:
    """Yield the strings below the names of a path, in every element of lists on the way."""
    if isinstance(value, list):
        for element in value:
            yield from _strings_at(element, path)
    elif path and isinstance(value, Mapping):
        yield from _strings_at(value.get(path[0]), path[1:])
    elif isinstance(value, str) and not path:
        yield value


def _first_value(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _parse_date(value: Any, otherwise: datetime) -> datetime:
    try:
        date = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return otherwise
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def read_json_lines(
    window: bytes, offset: int, file: str, otherwise: datetime, rules: RowRules = WEB_ROWS
) -> Iterator[ArchivedPage | UnusableRecord]:
    """Yield the page of each line of a window. offset: of the window. otherwise: the date of undated lines."""
    for line in window.splitlines(keepends=True):
        number = offset // _ROW_BYTES
        where, offset = f"{file} @{offset}", offset + len(line)
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield UnusableRecord(where, message("bulk.no_json", where=where, error=error))
            continue
        if isinstance(row, dict):
            yield page_from_row(row, where, otherwise, rules, number)
        else:
            yield UnusableRecord(where, message("bulk.no_json", where=where, error=type(row).__name__))


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
