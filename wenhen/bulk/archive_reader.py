"""Split web archives into pieces, and read the pages of each in a sandboxed child process."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crawler.archives.archived_page import ArchivedPage, UnusableRecord
from crawler.archives.parquet import PARQUET_TAIL_BYTES, footer_length
from crawler.sandbox.pool import read_each_in_child, read_in_child
from crawler.sandbox.protocol import ReadingBounds
from crawler.warc.reader import RECORD_PROBE_BYTES
from wenhen.bulk.remote_files import file_size, read_range
from wenhen.kit.errors import BadInput, Unreadable, message

# What a job reads, cut into pieces of which each is one task: stretches of files, groups of rows.


PIECE_BYTES = 64 << 20  # bytes of a file that one task reads
ARCHIVE_READING_BOUNDS = ReadingBounds(seconds=60, memory=1_500, output=128)


class ArchiveForm(StrEnum):
    """How an archive is written."""

    WARC = "warc"  # each record compressed by itself
    PLAIN_WARC = "plain_warc"
    JSON_LINES = "json_lines"
    PACKED_JSON_LINES = "packed_json_lines"
    PARQUET = "parquet"


FORM_BY_SUFFIX = {
    ".warc.gz": ArchiveForm.WARC,
    ".warc.wet.gz": ArchiveForm.WARC,
    ".wet.gz": ArchiveForm.WARC,
    ".warc": ArchiveForm.PLAIN_WARC,
    ".wet": ArchiveForm.PLAIN_WARC,
    ".jsonl": ArchiveForm.JSON_LINES,
    ".jsonl.gz": ArchiveForm.PACKED_JSON_LINES,
    ".parquet": ArchiveForm.PARQUET,
}


@dataclass(frozen=True, slots=True)
class ArchivePiece:
    """Records that begin in these bytes of a file; of Parquet, these groups of rows. otherwise: the date of records
    without one.
    """

    number: int
    url: str
    form: ArchiveForm
    size: int  # bytes of the whole file
    begin: int
    end: int
    otherwise: datetime


def archive_form(url: str) -> ArchiveForm:
    """How a file is written, by its name. Raises BadInput."""
    path = url.partition("?")[0].lower()
    for ending, form in FORM_BY_SUFFIX.items():
        if path.endswith(ending):
            return form
    raise BadInput("bulk.unknown_form", url=url, endings=" ".join(FORM_BY_SUFFIX))


def split_into_pieces(files: list[tuple[str, int]], otherwise: datetime, size: int = PIECE_BYTES) -> list[ArchivePiece]:
    """The pieces of files, each given with its size, in their order."""
    cuts = ((url, whole, begin, end) for url, whole in files for begin, end in _split_file(url, whole, size))
    return [
        ArchivePiece(number, url, archive_form(url), whole, begin, end, otherwise)
        for number, (url, whole, begin, end) in enumerate(cuts)
    ]


def _split_file(url: str, whole: int, size: int) -> Iterator[tuple[int, int]]:
    form = archive_form(url)
    if form is ArchiveForm.PARQUET:
        yield from _split_row_groups(url, whole, size)
    elif form in (ArchiveForm.WARC, ArchiveForm.JSON_LINES):
        yield from ((begin, min(begin + size, whole)) for begin in range(0, whole, size))
    else:  # it can be read from its beginning alone
        yield 0, whole


def _split_row_groups(url: str, whole: int, size: int) -> Iterator[tuple[int, int]]:
    """Groups of rows that are read together."""
    groups = read_in_child(
        "crawler.archives.parquet:read_row_groups", read_footer(url, whole), whole, bounds=ARCHIVE_READING_BOUNDS
    )
    first, held = 0, 0
    for place, group in enumerate(groups):
        held += sum(end - begin for begin, end in group.stretches)
        if held >= size or place == len(groups) - 1:
            yield first, place + 1
            first, held = place + 1, 0


def read_footer(url: str, whole: int) -> bytes:
    """The footer of a Parquet file. Raises Unreadable."""
    length = footer_length(read_range(url, max(0, whole - PARQUET_TAIL_BYTES), whole))
    return read_range(url, max(0, whole - length), whole)


def find_file_sizes(urls: list[str]) -> list[tuple[str, int]]:
    """Files with their sizes."""
    return [(url, file_size(url)) for url in urls]


# A piece of an archive read: windows of its bytes go to the bounded child, pages come back.


WINDOW_BYTES = 8 << 20  # bytes that the child is handed at a time, about
MAX_WINDOW_BYTES = 128 << 20  # bytes that it is handed at most, for the sake of a single record

ArchiveItem = ArchivedPage | UnusableRecord


def read_pages_of_piece(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """The pages of a piece, in its order. Raises NotFound, Unavailable."""
    read = {
        ArchiveForm.PARQUET: _read_row_groups,
        ArchiveForm.JSON_LINES: _read_lines,
        ArchiveForm.PACKED_JSON_LINES: _read_packed_lines,
    }
    return read.get(piece.form, _read_records)(piece)


def _read_records(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """Those that begin in the piece; the last one may end behind it."""
    at = _find_next_record(piece, piece.begin) if piece.begin else 0
    size = WINDOW_BYTES
    while at < piece.end:
        content = read_range(piece.url, at, min(at + size, piece.size))
        whole = at + len(content) >= piece.size or size >= MAX_WINDOW_BYTES
        reached = at
        for found in _read_window(
            piece, "crawler.archives.foreign_warc:read_warc_pages", content, _file_name(piece), at, piece.end, whole
        ):
            if isinstance(found, int):
                reached = found
            else:
                yield found
        if reached > at:
            at, size = reached, WINDOW_BYTES
        elif not whole:
            size *= 2
        else:
            yield UnusableRecord(_describe_offset(piece, at), message("bulk.damaged", file=_file_name(piece), at=at))
            at, size = _find_next_record(piece, at + 1), WINDOW_BYTES


def _read_window(piece: ArchivePiece, function: str, *arguments: object) -> Iterator[ArchiveItem | int]:
    """What the child makes of a window; what came before it failed was good."""
    try:
        yield from read_each_in_child(function, *arguments, bounds=ARCHIVE_READING_BOUNDS)
    except Unreadable as error:
        yield UnusableRecord(_file_name(piece), error.message)


def _find_next_record(piece: ArchivePiece, at: int) -> int:
    """Where the next record begins; the end of the piece where no more does."""
    while at < piece.end:
        content = read_range(
            piece.url, at, min(at + WINDOW_BYTES + RECORD_PROBE_BYTES, piece.size)
        )  # one may begin near the end of a window
        found = read_in_child("crawler.archives.foreign_warc:find_first_record", content, bounds=ARCHIVE_READING_BOUNDS)
        if found is not None:
            return at + int(found)
        at += WINDOW_BYTES
    return piece.end


def _read_lines(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """Those that begin in the piece; the last one may end behind it."""
    at = piece.begin and _find_line_end(piece, piece.begin - 1)
    size = WINDOW_BYTES
    while at < piece.end:
        content = read_range(piece.url, at, min(at + size, piece.size))
        last = at + len(content) >= piece.size
        cut = len(content) if last else content.rfind(b"\n") + 1
        if at + cut > piece.end:
            cut = content.find(b"\n", piece.end - at - 1) + 1 or cut
        if not cut and size >= MAX_WINDOW_BYTES:
            yield UnusableRecord(_describe_offset(piece, at), message("bulk.damaged", file=_file_name(piece), at=at))
            cut = _find_line_end(piece, at) - at
        elif cut:
            yield from _parse_lines(piece, content[:cut], at)
        at, size = at + cut, WINDOW_BYTES if cut else size * 2


def _find_line_end(piece: ArchivePiece, at: int) -> int:
    """Where the line ends in which this byte stands."""
    while at < piece.size:
        content = read_range(piece.url, at, min(at + WINDOW_BYTES, piece.size))
        if (end := content.find(b"\n")) >= 0:
            return at + end + 1
        at += len(content)
    return piece.size


def _read_packed_lines(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    unpacked, left, at = zlib.decompressobj(wbits=31), b"", 0
    for begin in range(0, piece.size, WINDOW_BYTES):
        packed = read_range(piece.url, begin, min(begin + WINDOW_BYTES, piece.size))
        while packed:
            try:
                left += unpacked.decompress(packed, WINDOW_BYTES)
            except zlib.error:
                yield UnusableRecord(
                    _describe_offset(piece, begin), message("bulk.damaged", file=_file_name(piece), at=begin)
                )
                return
            packed = unpacked.unconsumed_tail or unpacked.unused_data
            if unpacked.eof:
                unpacked = zlib.decompressobj(wbits=31)
            cut = left.rfind(b"\n") + 1
            if len(left) > MAX_WINDOW_BYTES and not cut:
                yield UnusableRecord(
                    _describe_offset(piece, begin), message("bulk.damaged", file=_file_name(piece), at=begin)
                )
                return
            yield from _parse_lines(piece, left[:cut], at)
            left, at = left[cut:], at + cut
    yield from _parse_lines(piece, left, at)


def _parse_lines(piece: ArchivePiece, lines: bytes, at: int) -> Iterator[ArchiveItem]:
    function = "crawler.archives.archived_page:read_json_lines"
    if lines:
        yield from _require_pages(_read_window(piece, function, lines, _file_name(piece), at, piece.otherwise))


def _read_row_groups(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    end = read_footer(piece.url, piece.size)
    groups = read_in_child("crawler.archives.parquet:read_row_groups", end, piece.size, bounds=ARCHIVE_READING_BOUNDS)
    for number in range(piece.begin, piece.end):
        pieces = {begin: read_range(piece.url, begin, until) for begin, until in groups[number].stretches}
        pieces[piece.size - len(end)] = end
        function = "crawler.archives.parquet:read_row_group"
        yield from _require_pages(
            _read_window(piece, function, pieces, piece.size, number, _file_name(piece), piece.otherwise)
        )


def _require_pages(found: Iterator[ArchiveItem | int]) -> Iterator[ArchiveItem]:
    for one in found:
        assert not isinstance(one, int)
        yield one


def _file_name(piece: ArchivePiece) -> str:
    return piece.url.rpartition("/")[2]


def _describe_offset(piece: ArchivePiece, at: int) -> str:
    return f"{_file_name(piece)} @{at}"
