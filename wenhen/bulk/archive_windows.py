"""A piece of an archive read: windows of its bytes go to the bounded child, pages come back."""

import zlib
from collections.abc import Iterator

from crawler.archives.archived_page import ArchivedPage, Unusable
from crawler.evidence.warc_read_back import LOOK
from crawler.isolated.read_in_child import read as read_isolated
from crawler.isolated.read_in_child import read_each
from store.errors import Unreadable
from store.messages import message
from wenhen.bulk.archive_pieces import BOUNDS, ArchiveForm, ArchivePiece, footer
from wenhen.bulk.files import window

WINDOW = 8 << 20  # bytes that the child is handed at a time, about
MOST = 128 << 20  # bytes that it is handed at most, for the sake of a single record

Found = ArchivedPage | Unusable


def pages_in(piece: ArchivePiece) -> Iterator[Found]:
    """The pages of a piece, in its order. Raises NotFound, Unavailable."""
    read = {ArchiveForm.PARQUET: _rows, ArchiveForm.JSON_LINES: _lines, ArchiveForm.PACKED_JSON_LINES: _packed_lines}
    return read.get(piece.form, _records)(piece)


def _records(piece: ArchivePiece) -> Iterator[Found]:
    """Those that begin in the piece; the last one may end behind it."""
    at = _next_record(piece, piece.begin) if piece.begin else 0
    size = WINDOW
    while at < piece.end:
        content = window(piece.url, at, min(at + size, piece.size))
        whole = at + len(content) >= piece.size or size >= MOST
        reached = at
        for found in _read(
            piece, "crawler.archives.foreign_warc:records_of", content, _name(piece), at, piece.end, whole
        ):
            if isinstance(found, int):
                reached = found
            else:
                yield found
        if reached > at:
            at, size = reached, WINDOW
        elif not whole:
            size *= 2
        else:
            yield Unusable(_place(piece, at), message("bulk.damaged", file=_name(piece), at=at))
            at, size = _next_record(piece, at + 1), WINDOW


def _read(piece: ArchivePiece, function: str, *arguments: object) -> Iterator[Found | int]:
    """What the child makes of a window; what came before it failed was good."""
    try:
        yield from read_each(function, *arguments, bounds=BOUNDS)
    except Unreadable as error:
        yield Unusable(_name(piece), error.message)


def _next_record(piece: ArchivePiece, at: int) -> int:
    """Where the next record begins; the end of the piece where no more does."""
    while at < piece.end:
        content = window(piece.url, at, min(at + WINDOW + LOOK, piece.size))  # one may begin near the end of a window
        found = read_isolated("crawler.archives.foreign_warc:first_record", content, bounds=BOUNDS)
        if found is not None:
            return at + int(found)
        at += WINDOW
    return piece.end


def _lines(piece: ArchivePiece) -> Iterator[Found]:
    """Those that begin in the piece; the last one may end behind it."""
    at = piece.begin and _behind_line(piece, piece.begin - 1)
    size = WINDOW
    while at < piece.end:
        content = window(piece.url, at, min(at + size, piece.size))
        last = at + len(content) >= piece.size
        cut = len(content) if last else content.rfind(b"\n") + 1
        if at + cut > piece.end:
            cut = content.find(b"\n", piece.end - at - 1) + 1 or cut
        if not cut and size >= MOST:
            yield Unusable(_place(piece, at), message("bulk.damaged", file=_name(piece), at=at))
            cut = _behind_line(piece, at) - at
        elif cut:
            yield from _pages_of_lines(piece, content[:cut], at)
        at, size = at + cut, WINDOW if cut else size * 2


def _behind_line(piece: ArchivePiece, at: int) -> int:
    """Where the line ends in which this byte stands."""
    while at < piece.size:
        content = window(piece.url, at, min(at + WINDOW, piece.size))
        if (end := content.find(b"\n")) >= 0:
            return at + end + 1
        at += len(content)
    return piece.size


def _packed_lines(piece: ArchivePiece) -> Iterator[Found]:
    unpacked, left, at = zlib.decompressobj(wbits=31), b"", 0
    for begin in range(0, piece.size, WINDOW):
        packed = window(piece.url, begin, min(begin + WINDOW, piece.size))
        while packed:
            try:
                left += unpacked.decompress(packed, WINDOW)
            except zlib.error:
                yield Unusable(_place(piece, begin), message("bulk.damaged", file=_name(piece), at=begin))
                return
            packed = unpacked.unconsumed_tail or unpacked.unused_data
            if unpacked.eof:
                unpacked = zlib.decompressobj(wbits=31)
            cut = left.rfind(b"\n") + 1
            if len(left) > MOST and not cut:
                yield Unusable(_place(piece, begin), message("bulk.damaged", file=_name(piece), at=begin))
                return
            yield from _pages_of_lines(piece, left[:cut], at)
            left, at = left[cut:], at + cut
    yield from _pages_of_lines(piece, left, at)


def _pages_of_lines(piece: ArchivePiece, lines: bytes, at: int) -> Iterator[Found]:
    function = "crawler.archives.json_lines:pages_of_lines"
    if lines:
        yield from _only_pages(_read(piece, function, lines, _name(piece), at, piece.otherwise))


def _rows(piece: ArchivePiece) -> Iterator[Found]:
    end = footer(piece.url, piece.size)
    groups = read_isolated("crawler.archives.parquet:row_groups", end, piece.size, bounds=BOUNDS)
    for number in range(piece.begin, piece.end):
        pieces = {begin: window(piece.url, begin, until) for begin, until in groups[number].stretches}
        pieces[piece.size - len(end)] = end
        function = "crawler.archives.parquet:pages_of_group"
        yield from _only_pages(_read(piece, function, pieces, piece.size, number, _name(piece), piece.otherwise))


def _only_pages(found: Iterator[Found | int]) -> Iterator[Found]:
    for one in found:
        assert not isinstance(one, int)
        yield one


def _name(piece: ArchivePiece) -> str:
    return piece.url.rpartition("/")[2]


def _place(piece: ArchivePiece, at: int) -> str:
    return f"{_name(piece)} @{at}"
