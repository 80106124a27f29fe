"""Split web archives into pieces, and read the pages of each in a sandboxed child process."""

import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from zipfile import BadZipFile, ZipFile

from crawler.archives.archived_page import (
    PARQUET_TAIL_BYTES,
    WEB_ROWS,
    ArchivedPage,
    OtherRecords,
    RowGroup,
    RowRules,
    UnusableRecord,
    footer_length,
)
from crawler.archives.warc_pages import WindowEnd, WindowPlace
from crawler.sandbox.pool import read_each_in_child, read_in_child
from wenhen.bulk.unpacking import BlockReader, UnpackedPart, unpack_archive
from wenhen.kit.errors import BadInput, Unreadable, message
from wenhen.kit.remote_files import file_size, open_file, read_range
from wenhen.kit.size_and_time_limits import ARCHIVE_BOUNDS

# Splitting into pieces, one per task: byte ranges of files, or row groups of Parquet files.


PIECE_BYTES = 64 << 20  # bytes of a file that one task reads


class ArchiveForm(StrEnum):
    """The file format of an archive."""

    WARC = "warc"  # WARC or ARC in which, by its name, each record is compressed separately
    UNDIVIDED_WARC = "undivided_warc"  # can only be read from the beginning
    WACZ = "wacz"
    JSON_LINES = "json_lines"
    PACKED_JSON_LINES = "packed_json_lines"
    PARQUET = "parquet"


FORM_BY_SUFFIX = {
    ".warc.gz": ArchiveForm.WARC,
    ".warc.wet.gz": ArchiveForm.WARC,
    ".wet.gz": ArchiveForm.WARC,
    ".arc.gz": ArchiveForm.WARC,
    ".warc": ArchiveForm.UNDIVIDED_WARC,
    ".wet": ArchiveForm.UNDIVIDED_WARC,
    ".arc": ArchiveForm.UNDIVIDED_WARC,
    ".warc.zst": ArchiveForm.UNDIVIDED_WARC,
    ".wet.zst": ArchiveForm.UNDIVIDED_WARC,
    ".wacz": ArchiveForm.WACZ,
    ".jsonl": ArchiveForm.JSON_LINES,
    ".jsonl.gz": ArchiveForm.PACKED_JSON_LINES,
    ".parquet": ArchiveForm.PARQUET,
}
RECORD_SUFFIXES = tuple(
    suffix for suffix, form in FORM_BY_SUFFIX.items() if form in (ArchiveForm.WARC, ArchiveForm.UNDIVIDED_WARC)
)
ZIP_ERRORS = (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error)


@dataclass(frozen=True, slots=True)
class ArchivePiece:
    """A piece of an archive: the records that begin in a byte range of a file.

    For Parquet, `begin` and `end` count row groups. otherwise: date for records without a date. rules: of table rows.
    """

    number: int
    url: str
    form: ArchiveForm
    size: int  # bytes of the whole file
    begin: int
    end: int
    otherwise: datetime
    rules: RowRules = WEB_ROWS


def archive_form(url: str) -> ArchiveForm:
    """Return the file format, by the ending of the URL. Raises BadInput."""
    path = url.partition("?")[0].lower()
    for ending, form in FORM_BY_SUFFIX.items():
        if path.endswith(ending):
            return form
    raise BadInput("bulk.unknown_form", url=url, endings=" ".join(FORM_BY_SUFFIX))


def split_into_pieces(
    files: list[tuple[str, int]],
    otherwise: datetime,
    size: int = PIECE_BYTES,
    text_columns: tuple[str, ...] | None = None,
) -> list[ArchivePiece]:
    """Split files, given with their sizes in bytes, into pieces in the same order.

    text_columns: the rows of the files are texts of a data set, in these columns, or in those with usual names.
    """
    rules = {url: _row_rules(url, text_columns) for url, _ in files}
    cuts = (
        (url, whole, begin, end) for url, whole in files for begin, end in _split_file(url, whole, size, rules[url])
    )
    return [
        ArchivePiece(number, url, archive_form(url), whole, begin, end, otherwise, rules[url])
        for number, (url, whole, begin, end) in enumerate(cuts)
    ]


def _row_rules(url: str, text_columns: tuple[str, ...] | None) -> RowRules:
    """Return the rules of a file. Files of one name in different folders differ in their id."""
    if text_columns is None:
        return WEB_ROWS
    return RowRules(blake2b(url.encode("utf-8", "replace"), digest_size=6).hexdigest(), text_columns)


def _split_file(url: str, whole: int, size: int, rules: RowRules) -> Iterator[tuple[int, int]]:
    form = archive_form(url)
    if form is ArchiveForm.PARQUET:
        yield from _split_row_groups(url, whole, size, rules)
    elif form in (ArchiveForm.WARC, ArchiveForm.JSON_LINES):
        yield from ((begin, min(begin + size, whole)) for begin in range(0, whole, size))
    else:  # it can only be read from the beginning
        yield 0, whole


def _split_row_groups(url: str, whole: int, size: int, rules: RowRules) -> Iterator[tuple[int, int]]:
    """Yield ranges of row groups that are read together.

    An unreadable file gives one empty range. Reading that range reports the error.
    """
    try:
        groups = _read_group_list(read_footer(url, whole), whole, rules)
    except Unreadable:
        yield 0, 0
        return
    first, held = 0, 0
    for place, group in enumerate(groups):
        held += sum(end - begin for begin, end in group.stretches)
        if held >= size or place == len(groups) - 1:
            yield first, place + 1
            first, held = place + 1, 0


def _read_group_list(footer: bytes, whole: int, rules: RowRules) -> list[RowGroup]:
    groups: list[RowGroup] = read_in_child(
        "crawler.archives.archived_page:read_row_groups", footer, whole, rules, bounds=ARCHIVE_BOUNDS
    )
    return groups


def read_footer(url: str, whole: int) -> bytes:
    """Return the footer of a Parquet file. Raises Unreadable."""
    length = footer_length(read_range(url, max(0, whole - PARQUET_TAIL_BYTES), whole))
    return read_range(url, max(0, whole - length), whole)


def find_file_sizes(urls: list[str]) -> list[tuple[str, int]]:
    """Return each file with its size in bytes."""
    return [(url, file_size(url)) for url in urls]


# Reading of a piece: windows of bytes go to the sandboxed child process, and pages come back.


WINDOW_BYTES = 8 << 20  # approximate bytes that the child gets at a time
MAX_WINDOW_BYTES = 128 << 20  # maximum bytes that the child gets at a time; a single record may need them

ArchiveItem = ArchivedPage | UnusableRecord | OtherRecords


def read_pages_of_piece(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """Yield the pages of a piece in their order. Raises NotFound, Unavailable."""
    read = {
        ArchiveForm.PARQUET: _read_row_groups,
        ArchiveForm.JSON_LINES: _read_lines,
        ArchiveForm.PACKED_JSON_LINES: _read_packed_lines,
        ArchiveForm.WACZ: _read_wacz,
    }
    return read.get(piece.form, _read_record_piece)(piece)


def _read_wacz(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """Read the archives inside a WACZ file one after the other. They may be compressed."""
    file_name = _file_name(piece)
    with open_file(piece.url) as file:
        try:
            package = ZipFile(file)
        except ZIP_ERRORS as error:
            yield UnusableRecord(file_name, message("bulk.no_zip", file=file_name, error=error))
            return
        names = [name for name in package.namelist() if name.lower().endswith(RECORD_SUFFIXES)]
        if not names:
            yield UnusableRecord(file_name, message("bulk.no_warc_inside", file=file_name))
        for name in names:
            yield from _read_zip_member(package, name, f"{file_name}/{name}")


def _read_zip_member(package: ZipFile, name: str, file_name: str) -> Iterator[ArchiveItem]:
    try:
        with package.open(name) as member:

            def read(begin: int, end: int) -> bytes:
                member.seek(begin)
                return member.read(end - begin)

            size = package.getinfo(name).file_size
            yield from _read_records(unpack_archive(BlockReader(read, size), 0, size), file_name)
    except ZIP_ERRORS as error:
        yield UnusableRecord(file_name, message("bulk.no_zip", file=file_name, error=error))


def _read_record_piece(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    reader = BlockReader(partial(read_range, piece.url), piece.size)
    return _read_records(unpack_archive(reader, piece.begin, piece.end), _file_name(piece))


def _read_records(parts: Iterator[UnpackedPart], file: str) -> Iterator[ArchiveItem]:
    """Read the records of unpacked bytes, one window at a time."""
    window, size, window_end = _Window(), WINDOW_BYTES, WindowEnd.MORE
    while window_end is not WindowEnd.FILE_END:
        window_end = window.fill(parts, size)
        if len(window.content) >= MAX_WINDOW_BYTES and window_end is WindowEnd.MORE:
            window_end = WindowEnd.DAMAGE
        reached = 0
        function = "crawler.archives.warc_pages:read_warc_pages"
        arguments = (bytes(window.content), window.places, file, window_end)
        try:
            for item in read_each_in_child(function, *arguments, bounds=ARCHIVE_BOUNDS):
                if isinstance(item, tuple):
                    others, reached = item
                    if others:
                        yield OtherRecords(others)
                else:
                    yield item
        except Unreadable as error:
            yield UnusableRecord(file, error.message)
            reached = reached or len(window.content)
        if window_end is not WindowEnd.MORE:
            reached = max(reached, len(window.content))
        size = WINDOW_BYTES if reached else size * 2
        window.drop(reached)


class _Window:
    """A window of unpacked bytes, with their offsets in the file."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.places: list[WindowPlace] = []
        self._skipped = 0  # bytes still to be skipped, of a record that is not read

    def fill(self, parts: Iterator[UnpackedPart], size: int) -> WindowEnd:
        """Add parts until the window has `size` bytes. Return what follows the window."""
        while len(self.content) < size:
            part = next(parts, None)
            if part is None:
                return WindowEnd.FILE_END
            begin = len(self.content) - self._skipped
            place = WindowPlace(begin, part.offset, 0 if part.packed else 1)
            if not (self.places and part.packed and self.places[-1].offset == part.offset):
                self.places.append(place)
            self.content += part.content[self._skipped :]
            self._skipped = max(0, self._skipped - len(part.content))
            if part.damaged:
                return WindowEnd.DAMAGE
        return WindowEnd.MORE

    def drop(self, count: int) -> None:
        """Drop `count` bytes from the beginning. If the window has fewer, skip the rest of them on arrival."""
        self._skipped += max(0, count - len(self.content))
        del self.content[:count]
        first = bisect_right(self.places, count, key=lambda place: place.begin) - 1
        self.places = [place._replace(begin=place.begin - count) for place in self.places[max(0, first) :]]


def _read_rows(piece: ArchivePiece, function: str, *arguments: object) -> Iterator[ArchiveItem]:
    """Yield the pages that the child makes of rows. Pages before a failure are valid."""
    try:
        yield from read_each_in_child(
            function, *arguments, _file_name(piece), piece.otherwise, piece.rules, bounds=ARCHIVE_BOUNDS
        )
    except Unreadable as error:
        yield UnusableRecord(_file_name(piece), error.message)


def _read_lines(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    """Read the lines that begin in the piece. The last one may end behind the piece."""
    offset = piece.begin and _find_line_end(piece, piece.begin - 1)
    size = WINDOW_BYTES
    while offset < piece.end:
        content = read_range(piece.url, offset, min(offset + size, piece.size))
        last = offset + len(content) >= piece.size
        cut = len(content) if last else content.rfind(b"\n") + 1
        if offset + cut > piece.end:
            cut = content.find(b"\n", piece.end - offset - 1) + 1 or cut
        if not cut and size >= MAX_WINDOW_BYTES:
            yield UnusableRecord(
                _describe_offset(piece, offset), message("bulk.damaged", file=_file_name(piece), at=offset)
            )
            cut = _find_line_end(piece, offset) - offset
        elif cut:
            yield from _parse_lines(piece, content[:cut], offset)
        offset, size = offset + cut, WINDOW_BYTES if cut else size * 2


def _find_line_end(piece: ArchivePiece, offset: int) -> int:
    """Return the offset of the end of the line that contains this byte."""
    while offset < piece.size:
        content = read_range(piece.url, offset, min(offset + WINDOW_BYTES, piece.size))
        if (end := content.find(b"\n")) >= 0:
            return offset + end + 1
        offset += len(content)
    return piece.size


def _read_packed_lines(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    unpacked, left, offset = zlib.decompressobj(wbits=31), b"", 0
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
            yield from _parse_lines(piece, left[:cut], offset)
            left, offset = left[cut:], offset + cut
    yield from _parse_lines(piece, left, offset)


def _parse_lines(piece: ArchivePiece, lines: bytes, offset: int) -> Iterator[ArchiveItem]:
    function = "crawler.archives.archived_page:read_json_lines"
    if lines:
        yield from _read_rows(piece, function, lines, offset)


def _read_row_groups(piece: ArchivePiece) -> Iterator[ArchiveItem]:
    try:
        end = read_footer(piece.url, piece.size)
        groups = _read_group_list(end, piece.size, piece.rules)
    except Unreadable as error:
        yield UnusableRecord(_file_name(piece), error.message)
        return
    for number in range(piece.begin, piece.end):
        pieces = {begin: read_range(piece.url, begin, until) for begin, until in groups[number].stretches}
        pieces[piece.size - len(end)] = end
        function = "crawler.archives.archived_page:read_row_group"
        yield from _read_rows(piece, function, pieces, piece.size, number)


def _file_name(piece: ArchivePiece) -> str:
    return piece.url.rpartition("/")[2]


def _describe_offset(piece: ArchivePiece, offset: int) -> str:
    return f"{_file_name(piece)} @{offset}"
