"""A job from its inputs to its findings: what is done already is not done again, wherever it was broken off."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from typing import Any, Final, TypeVar

from store.errors import BadInput, NotFound, Unavailable, WenhenError
from wenhen.bulk import files
from wenhen.bulk.archive_pieces import PIECE, files_of, pieces_of
from wenhen.bulk.engine import Engine
from wenhen.bulk.near_library import digest_of, near_library
from wenhen.bulk.tasks import (
    DONE,
    FOUND,
    PROBLEMS,
    Done,
    JobFiles,
    LookTask,
    OverlapTask,
    ReadTask,
    look_at_shard,
    overlaps_in_range,
    read_piece,
)

FORM: Final = 1
TOLD: Final = "job.json"  # what the job is, so that no other goes on with its files
CASES: Final = "cases.jsonl"
OVERLAPS: Final = "overlaps.jsonl"
ALL_PROBLEMS: Final = "problems.jsonl"
SHARDS: Final = 64
WORKS: Final = 1_000  # of one task

Task = TypeVar("Task", ReadTask, LookTask, OverlapTask)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What came of a job. looked_at: pages, or works; passed: records that are no pages; again: tasks of before."""

    looked_at: int
    passed: int
    found: int
    problems: int
    tasks: int
    again: int
    file: str


class BulkJob:
    """A job over a frozen library, with all its files at one address.

    Raises `BadInput` where another job's files are there, `Unavailable` where tasks are left over: the same again goes
    on with these.
    """

    def __init__(self, engine: Engine, library: str, out: str, progress: Progress | None = None) -> None:
        self._engine = engine
        self._library = library
        self._out = out
        self._progress = progress
        self._digest = digest_of(library)
        self._finished: set[str] = set()
        self._again = 0

    def pages(self, urls: Sequence[str], *, shards: int = SHARDS, piece: int = PIECE) -> JobOutcome:
        """The pages of archives against the library."""
        found = files_of([one for url in urls for one in files.expanded(url)])
        inputs = {"files": found, "shards": shards, "piece": piece}
        begun = self._begin("pages", inputs)
        job = JobFiles(self._out, self._library, self._digest, shards)
        pieces = pieces_of(found, begun, piece)
        total = len(pieces) + shards
        read = self._run(read_piece, [ReadTask(job, one) for one in pieces], 0, total)
        looks = [LookTask(job, shard, tuple(_stretches(read, shard))) for shard in range(shards)]
        looked = self._run(look_at_shard, looks, len(pieces), total)
        self._merge(CASES, looked, lambda case: (case["page_url"], case["work_id"]))
        return self._outcome(CASES, {**read, **looked}, sum(done["pages"] for done in read.values()))

    def works(self, *, together: int = WORKS) -> JobOutcome:
        """The works of the library against each other."""
        self._begin("works", {"together": together})
        job = JobFiles(self._out, self._library, self._digest, 0)
        tasks = list(_ranges(job, together))
        done = self._run(overlaps_in_range, tasks, 0, len(tasks))
        self._merge(OVERLAPS, done, lambda match: (match["page_id"], match["work_id"]))
        return self._outcome(OVERLAPS, done, sum(one["works"] for one in done.values()))

    def _begin(self, what: str, inputs: Mapping[str, Any]) -> datetime:
        """When the job was begun; what is done of it is known then."""
        told = {"form": FORM, "what": what, "library": self._digest, **json.loads(json.dumps(inputs))}
        at = files.joined(self._out, TOLD)
        try:
            before = json.loads(files.read(at))
        except NotFound:
            before = {**told, "begun": datetime.now(UTC).isoformat()}
            files.write(at, json.dumps(before, indent=1).encode())
        begun = datetime.fromisoformat(before.pop("begun"))
        if before != told:
            differing = ", ".join(sorted(name for name in {*before, *told} if before.get(name) != told.get(name)))
            raise BadInput("bulk.other_job", out=self._out, what=differing)
        self._finished = files.names_in(files.joined(self._out, DONE))
        return begun

    def _run(self, function: Callable[[Task], Done], tasks: Sequence[Task], before: int, total: int) -> dict[str, Done]:
        """What came of tasks, by their names; of those that were done before, by their marks."""
        done = {task.name: mark for task in tasks if (mark := self._mark(task.name)) is not None}
        self._again += len(done)
        failed: list[WenhenError] = []
        self._tell(before + len(done), total)
        for task, outcome in self._engine.run(function, [task for task in tasks if task.name not in done]):
            if isinstance(outcome, WenhenError):
                failed.append(outcome)
            else:
                done[task.name] = outcome
            self._tell(before + len(done), total)
        if failed:
            raise Unavailable("bulk.unfinished", count=len(failed), of=len(tasks), error=failed[0])
        return {task.name: done[task.name] for task in tasks}

    def _mark(self, name: str) -> Done | None:
        if name not in self._finished:
            return None
        try:
            mark: Done = json.loads(files.read(files.joined(self._out, f"{DONE}/{name}")))
        except (ValueError, NotFound):  # its writer died over it
            return None
        return mark

    def _tell(self, done: int, total: int) -> None:
        if self._progress:
            self._progress(done, total)

    def _merge(self, name: str, done: Mapping[str, Done], key: Callable[[Any], Any]) -> None:
        """All that was found as one file, in one order, whatever the tasks were."""
        found = [files.joined(self._out, f"{FOUND}/{one}.jsonl") for one, told in done.items() if told["found"]]
        lines = merge(*map(files.lines, found), key=lambda line: key(json.loads(line)))
        files.write_lines(files.joined(self._out, name), lines)

    def _outcome(self, name: str, done: Mapping[str, Done], looked_at: int) -> JobOutcome:
        troubled = [
            files.joined(self._out, f"{PROBLEMS}/{one}.jsonl") for one, told in done.items() if told["problems"]
        ]
        files.write_lines(
            files.joined(self._out, ALL_PROBLEMS), (line for one in troubled for line in files.lines(one))
        )
        return JobOutcome(
            looked_at=looked_at,
            passed=sum(told.get("passed", 0) for told in done.values()),
            found=sum(told.get("found", 0) for told in done.values()),
            problems=sum(told["problems"] for told in done.values()),
            tasks=len(done),
            again=self._again,
            file=files.joined(self._out, name),
        )


def _stretches(read: Mapping[str, Done], shard: int) -> Iterator[tuple[str, int, int]]:
    for name, done in read.items():
        stretch = done["shards"].get(str(shard))
        if stretch is not None:
            yield name, *stretch


def _ranges(job: JobFiles, together: int) -> Iterator[OverlapTask]:
    library = near_library(job.library, job.digest)
    after, number = "", 0
    while ids := library.store.file.ids(after, together):
        yield OverlapTask(job, number, after, len(ids))
        after, number = ids[-1], number + 1
