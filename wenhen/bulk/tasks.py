"""The tasks of a job, as any worker does them. Each writes its files, the mark that it is done last."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from crawler.archives.archived_page import Unusable
from pipeline.bulk.finding_lines import case_line, match_line
from pipeline.bulk.library_against_itself import overlaps_of
from pipeline.bulk.look_at_host import look_at_host
from pipeline.bulk.read_pages import ReadPage, is_page, read_archived
from store.errors import Unreadable
from store.messages import Message
from store.snapshot.record_json import as_json, from_json
from wenhen.bulk import files
from wenhen.bulk.archive_pieces import ArchivePiece
from wenhen.bulk.archive_windows import pages_in
from wenhen.bulk.near_library import near_library
from wenhen.bulk.shards import shard_of

DONE: Final = "done"  # folders of a job
READ: Final = "read"
FOUND: Final = "found"
PROBLEMS: Final = "problems"

Done = Mapping[str, Any]  # what a mark says


@dataclass(frozen=True, slots=True)
class JobFiles:
    """What every task of a job knows. shards: into how many the pages are put by their hosts."""

    out: str
    library: str
    digest: str  # of the library
    shards: int


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Read a piece of an archive."""

    job: JobFiles
    piece: ArchivePiece

    @property
    def name(self) -> str:
        """Of its files."""
        return f"read-{self.piece.number:06}"


@dataclass(frozen=True, slots=True)
class LookTask:
    """Look at the pages of a shard. stretches: name of each file that holds some, begin and end."""

    job: JobFiles
    shard: int
    stretches: tuple[tuple[str, int, int], ...]

    @property
    def name(self) -> str:
        """Of its files."""
        return f"look-{self.shard:06}"


@dataclass(frozen=True, slots=True)
class OverlapTask:
    """Look at these works, which stand behind each other in the order of ids."""

    job: JobFiles
    number: int
    after: str
    count: int

    @property
    def name(self) -> str:
        """Of its files."""
        return f"works-{self.number:06}"


def read_piece(task: ReadTask) -> Done:
    """Pages of the archive, parted by shards, into one file: each shard compressed by itself."""
    context = near_library(task.job.library, task.job.digest).context
    shards: defaultdict[int, list[str]] = defaultdict(list)
    problems: list[tuple[str, Message]] = []
    pages = passed = 0
    for found in pages_in(task.piece):
        if isinstance(found, Unusable):
            problems.append((found.what, found.reason))
        elif not is_page(found):
            passed += 1
        else:
            try:
                read = read_archived(context, found)
            except Unreadable as error:
                problems.append((found.url, error.message))
                continue
            shards[shard_of(read.host, task.job.shards)].append(as_json(ReadPage, [read]))
            pages += 1
    packed = {shard: gzip.compress("\n".join(lines).encode(), 4, mtime=0) for shard, lines in sorted(shards.items())}
    files.write(files.joined(task.job.out, f"{READ}/{task.name}"), b"".join(packed.values()))
    places = dict(zip(map(str, packed), _stretches(map(len, packed.values())), strict=True))
    return _done(task, problems, pages=pages, passed=passed, shards=places)


def _stretches(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    begin = 0
    for size in sizes:
        yield begin, begin + size
        begin += size


def look_at_shard(task: LookTask) -> Done:
    """The cases of the hosts of a shard, in the order of their pages."""
    library = near_library(task.job.library, task.job.digest)
    pages = sorted(_pages(task), key=lambda one: one.host)
    problems: list[tuple[str, Message]] = []
    lines = []
    for host, some in groupby(pages, lambda one: one.host):
        look = look_at_host(library, host, some)
        lines += [(case.page_url, case.work_id, case_line(case)) for case in look.cases]
        problems += look.problems
    return _done(task, problems, [line for _, _, line in sorted(lines)], pages=len(pages))


def _pages(task: LookTask) -> Iterator[ReadPage]:
    for name, begin, end in task.stretches:
        packed = files.window(files.joined(task.job.out, f"{READ}/{name}"), begin, end)
        for line in gzip.decompress(packed).split(b"\n"):
            yield from from_json(ReadPage, line)


def overlaps_in_range(task: OverlapTask) -> Done:
    """What these works share with the others."""
    library = near_library(task.job.library, task.job.digest)
    ids = library.store.file.ids(task.after, task.count)
    return _done(task, [], list(map(match_line, overlaps_of(library, ids))), works=len(ids))


def _done(
    task: ReadTask | LookTask | OverlapTask,
    problems: Sequence[tuple[str, Message]],
    found: Sequence[str] | None = None,
    **told: Any,
) -> Done:
    """Write what was found, the problems, and that the task is done."""
    if found is not None:
        files.write(files.joined(task.job.out, f"{FOUND}/{task.name}.jsonl"), _lines(found))
        told["found"] = len(found)
    if problems:
        lines = [json.dumps({"what": what, "reason": str(reason)}, ensure_ascii=False) for what, reason in problems]
        files.write(files.joined(task.job.out, f"{PROBLEMS}/{task.name}.jsonl"), _lines(lines))
    told["problems"] = len(problems)
    files.write(files.joined(task.job.out, f"{DONE}/{task.name}"), json.dumps(told).encode())
    return told


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
