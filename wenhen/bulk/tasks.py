"""Define the tasks of a bulk job. Each task writes its completion mark last."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final

from crawler.archives.archived_page import OtherRecords, UnusableRecord
from wenhen.bulk.archive_reader import ArchivePiece, read_pages_of_piece
from wenhen.bulk.frozen_library import open_library
from wenhen.bulk.host_matching import (
    ReadPage,
    find_overlaps,
    format_case_line,
    format_match_line,
    is_page_record,
    match_host,
    read_archived_page,
)
from wenhen.bulk.snapshot_file import from_json_line, to_json_line
from wenhen.kit.errors import Message, Unreadable
from wenhen.kit.remote_files import join_url, read_range, write_whole_file


def host_shard(host: str, shards: int) -> int:
    """Return the number of the shard that a host belongs to."""
    return int.from_bytes(blake2b(host.encode("utf-8", "replace"), digest_size=8).digest()) % shards


# The tasks of a job, as run by any worker. Each task writes its files first, and then its completion mark.


DONE_FOLDER: Final = "done"  # folders of a job
READ_FOLDER: Final = "read"
FOUND_FOLDER: Final = "found"
PROBLEMS_FOLDER: Final = "problems"

TaskResult = Mapping[str, Any]  # content of a completion mark


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The parameters that all tasks of a job share.

    - digest: digest of the library.
    - shards: number of shards that hosts are distributed over.
    - shortest: minimum length of a passage in letters; overrides the frozen setting.
    """

    out: str
    library: str
    digest: str  # of the library
    shards: int
    shortest: int | None = None


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Read a piece of an archive."""

    job: JobFiles
    piece: ArchivePiece

    @property
    def name(self) -> str:
        """Return the name of the task, used for its files."""
        return f"read-{self.piece.number:06}"


@dataclass(frozen=True, slots=True)
class LookTask:
    """Match the pages of a shard. stretches: file name, begin and end of each byte range with such pages."""

    job: JobFiles
    shard: int
    stretches: tuple[tuple[str, int, int], ...]

    @property
    def name(self) -> str:
        """Return the name of the task, used for its files."""
        return f"look-{self.shard:06}"


@dataclass(frozen=True, slots=True)
class OverlapTask:
    """Find the overlaps of a range of works: `count` works after the id `after`."""

    job: JobFiles
    number: int
    after: str
    count: int

    @property
    def name(self) -> str:
        """Return the name of the task, used for its files."""
        return f"works-{self.number:06}"


def read_piece(task: ReadTask) -> TaskResult:
    """Read the pages of a piece, and write them to one file by shards. Each shard is compressed separately."""
    context = open_library(task.job.library, task.job.digest, task.job.shortest).context
    shards = _PackedShards()
    problems: list[tuple[str, Message]] = []
    pages = passed = 0
    for item in read_pages_of_piece(task.piece):
        if isinstance(item, UnusableRecord):
            problems.append((item.what, item.reason))
        elif isinstance(item, OtherRecords):
            passed += item.count
        elif not is_page_record(item):
            passed += 1
        else:
            try:
                read = read_archived_page(context, item)
            except Unreadable as error:
                problems.append((item.url, error.message))
                continue
            shards.add(host_shard(read.host, task.job.shards), to_json_line(ReadPage, [read]))
            pages += 1
    packed = shards.take_all()
    write_whole_file(join_url(task.job.out, f"{READ_FOLDER}/{task.name}"), b"".join(packed.values()))
    places = dict(zip(map(str, packed), _byte_ranges(map(len, packed.values())), strict=True))
    return _finish_task(task, problems, pages=pages, passed=passed, refused=len(problems), shards=places)


MAX_WAITING_CHARACTERS: Final = 8_000_000  # characters of the lines that a read task holds before it compresses them


class _PackedShards:
    """Lines by shards, which are compressed as they come: a piece may have some hundred megabytes of them."""

    def __init__(self) -> None:
        self._waiting: defaultdict[int, list[str]] = defaultdict(list)
        self._characters = 0
        self._packed: defaultdict[int, bytearray] = defaultdict(bytearray)

    def add(self, shard: int, line: str) -> None:
        """Add a line to a shard."""
        self._waiting[shard].append(line)
        self._characters += len(line)
        if self._characters >= MAX_WAITING_CHARACTERS:
            self._pack()

    def take_all(self) -> dict[int, bytes]:
        """Return the compressed lines of each shard. Each line ends with a newline."""
        self._pack()
        return {shard: bytes(packed) for shard, packed in sorted(self._packed.items())}

    def _pack(self) -> None:
        """Compress the waiting lines, as one more member of the shard's gzip file."""
        for shard, lines in self._waiting.items():
            self._packed[shard] += gzip.compress("".join(f"{line}\n" for line in lines).encode(), 4, mtime=0)
        self._waiting.clear()
        self._characters = 0


def _byte_ranges(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    begin = 0
    for size in sizes:
        yield begin, begin + size
        begin += size


def match_shard(task: LookTask) -> TaskResult:
    """Match the hosts of a shard, and write their cases in the order of page URL and work."""
    library = open_library(task.job.library, task.job.digest, task.job.shortest)
    pages = sorted(_read_shard_pages(task), key=lambda page: page.host)
    problems: list[tuple[str, Message]] = []
    lines = []
    for host, host_pages in groupby(pages, lambda page: page.host):
        look = match_host(library, host, host_pages)
        lines += [(case.page_url, case.work_id, format_case_line(case)) for case in look.cases]
        problems += look.problems
    return _finish_task(task, problems, [line for _, _, line in sorted(lines)], pages=len(pages))


def _read_shard_pages(task: LookTask) -> Iterator[ReadPage]:
    for name, begin, end in task.stretches:
        packed = read_range(join_url(task.job.out, f"{READ_FOLDER}/{name}"), begin, end)
        for line in gzip.decompress(packed).splitlines():
            yield from from_json_line(ReadPage, line)


def find_range_overlaps(task: OverlapTask) -> TaskResult:
    """Find the overlaps of a range of works with all others."""
    library = open_library(task.job.library, task.job.digest, task.job.shortest)
    ids = library.store.file.ids(task.after, task.count)
    return _finish_task(task, [], list(map(format_match_line, find_overlaps(library, ids))), works=len(ids))


def _finish_task(
    task: ReadTask | LookTask | OverlapTask,
    problems: Sequence[tuple[str, Message]],
    found_lines: Sequence[str] | None = None,
    **counts: Any,
) -> TaskResult:
    """Write the results, the problems and the completion mark of a task."""
    if found_lines is not None:
        write_whole_file(join_url(task.job.out, f"{FOUND_FOLDER}/{task.name}.jsonl"), _encode_lines(found_lines))
        counts["found"] = len(found_lines)
    if problems:
        lines = [json.dumps({"what": what, "reason": str(reason)}, ensure_ascii=False) for what, reason in problems]
        write_whole_file(join_url(task.job.out, f"{PROBLEMS_FOLDER}/{task.name}.jsonl"), _encode_lines(lines))
    counts["problems"] = len(problems)
    write_whole_file(join_url(task.job.out, f"{DONE_FOLDER}/{task.name}"), json.dumps(counts).encode())
    return counts


def _encode_lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
