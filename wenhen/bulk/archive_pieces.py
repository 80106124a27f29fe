"""What a job reads, cut into pieces of which each is one task: stretches of files, groups of rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crawler.archives.parquet import TAIL, footer_length
from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read as read_isolated
from store.errors import BadInput
from wenhen.bulk.files import size_of, window

PIECE = 64 << 20  # bytes of a file that one task reads
BOUNDS = ReadingBounds(seconds=60, memory=1_500, output=128)


class ArchiveForm(StrEnum):
    """How an archive is written."""

    WARC = "warc"  # each record compressed by itself
    PLAIN_WARC = "plain_warc"
    JSON_LINES = "json_lines"
    PACKED_JSON_LINES = "packed_json_lines"
    PARQUET = "parquet"


ENDINGS = {
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


def form_of(url: str) -> ArchiveForm:
    """How a file is written, by its name. Raises BadInput."""
    path = url.partition("?")[0].lower()
    for ending, form in ENDINGS.items():
        if path.endswith(ending):
            return form
    raise BadInput("bulk.unknown_form", url=url, endings=" ".join(ENDINGS))


def pieces_of(files: list[tuple[str, int]], otherwise: datetime, size: int = PIECE) -> list[ArchivePiece]:
    """The pieces of files, each given with its size, in their order."""
    cuts = ((url, whole, begin, end) for url, whole in files for begin, end in _cut(url, whole, size))
    return [
        ArchivePiece(number, url, form_of(url), whole, begin, end, otherwise)
        for number, (url, whole, begin, end) in enumerate(cuts)
    ]


def _cut(url: str, whole: int, size: int) -> Iterator[tuple[int, int]]:
    form = form_of(url)
    if form is ArchiveForm.PARQUET:
        yield from _groups(url, whole, size)
    elif form in (ArchiveForm.WARC, ArchiveForm.JSON_LINES):
        yield from ((begin, min(begin + size, whole)) for begin in range(0, whole, size))
    else:  # it can be read from its beginning alone
        yield 0, whole


def _groups(url: str, whole: int, size: int) -> Iterator[tuple[int, int]]:
    """Groups of rows that are read together."""
    groups = read_isolated("crawler.archives.parquet:row_groups", footer(url, whole), whole, bounds=BOUNDS)
    first, held = 0, 0
    for place, group in enumerate(groups):
        held += sum(end - begin for begin, end in group.stretches)
        if held >= size or place == len(groups) - 1:
            yield first, place + 1
            first, held = place + 1, 0


def footer(url: str, whole: int) -> bytes:
    """The footer of a Parquet file. Raises Unreadable."""
    length = footer_length(window(url, max(0, whole - TAIL), whole))
    return window(url, max(0, whole - length), whole)


def files_of(urls: list[str]) -> list[tuple[str, int]]:
    """Files with their sizes."""
    return [(url, size_of(url)) for url in urls]
