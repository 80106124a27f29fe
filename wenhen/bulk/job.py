"""Run a bulk job from archives to results, here or on a Dask cluster, and resume it after an interruption."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from fingerprinter.compiled import is_machine_code_complete
from wenhen.bulk.archive_reader import PIECE_BYTES, find_file_sizes, split_into_pieces
from wenhen.bulk.frozen_library import FrozenLibrary, library_digest, open_library
from wenhen.bulk.tasks import (
    DONE_FOLDER,
    FOUND_FOLDER,
    PROBLEMS_FOLDER,
    JobFiles,
    LookTask,
    OverlapTask,
    ReadTask,
    TaskResult,
    find_range_overlaps,
    match_shard,
    read_piece,
)
from wenhen.kit.errors import BadInput, NotFound, SetupError, Unavailable, WenhenError
from wenhen.kit.python_process import compile_in_child
from wenhen.kit.remote_files import (
    expand_url,
    join_url,
    list_names,
    merge_sorted_files,
    read_lines,
    read_whole_file,
    write_all_lines,
    write_whole_file,
)

logger = logging.getLogger(__name__)

# The engine port, and an engine in this process.


T = TypeVar("T")


class Engine(Protocol):
    """Runs a module-level function on picklable tasks, in any order, on any machine."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """Yield each task with its result when it is done, or with its `WenhenError` if it failed.

        Any other exception ends the run.
        """

    def close(self) -> None: ...


class LocalEngine:
    """Runs the tasks one after the other in this process."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        for task in tasks:
            yield task, run_task(function, task)

    def close(self) -> None:
        pass


def run_task(function: Callable[[T], Any], task: T) -> Any:
    """Return the result of a task, or its `WenhenError`."""
    try:
        return function(task)
    except WenhenError as error:
        return error


# Dask behind the port: a cluster of processes on this machine, or an existing cluster. Dask was chosen over Ray after a
# trial on the same tasks. It starts in a quarter of the processor time, takes a fifth of the memory besides the
# workers, and installs in a tenth of the disk space (docs/bulk.md).


QUEUED_TASKS_PER_WORKER = 2  # tasks that wait at each worker, so that no worker is idle


class DaskEngine:
    """Runs tasks on Dask.

    - workers: processes to start on this machine.
    - scheduler: address of an existing cluster to use instead.
    - tell: gets a line when machine code is compiled before the processes start, and when that is done.
    """

    def __init__(
        self, workers: int, scheduler: str | None = None, *, tell: Callable[[str], object] = logger.warning
    ) -> None:
        try:
            import dask
            import distributed
        except ImportError as error:
            raise SetupError("bulk.extra", error=error) from error
        self._dask: Any = distributed  # the package has no types
        self._cluster = None
        if scheduler is None:
            # The processes of Dask open HTTP ports by default; nothing here uses them.
            dask.config.set({f"distributed.{who}.http.routes": [] for who in ("scheduler", "nanny", "worker")})
            # A worker keeps what its profiler sampled in the last 1,000 seconds: some .2 MB of memory for each.
            dask.config.set({"distributed.worker.profile.enabled": False})
            # By Dask's threshold, the memory of each array above 128 KB is mapped and cleared: a quarter of the time.
            environment = {**dask.config.get("distributed.nanny.pre-spawn-environ")}
            environment.pop("MALLOC_TRIM_THRESHOLD_", None)
            dask.config.set({"distributed.nanny.pre-spawn-environ": environment})
            compile_in_child(is_machine_code_complete, tell)  # once, and not in each worker
            # Other users of this machine could otherwise submit tasks to the workers. TLS uses keys of this run.
            self._cluster = self._dask.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                memory_limit=0,
                protocol="tls://",
                security=True,
                silence_logs=logging.CRITICAL,  # a worker that is closed during a heartbeat logs an error
            )
        try:
            self._client = self._dask.Client(self._cluster or scheduler)
        except (OSError, TypeError, ValueError) as error:  # no TLS is configured, or the address has no port
            raise Unavailable("bulk.no_scheduler", url=scheduler, error=error) from error

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        left = iter(tasks)
        waiting: dict[Any, T] = {}

        def submit_next(count: int) -> list[Any]:
            new = {self._submit(function, task): task for task in islice(left, count)}
            waiting.update(new)
            return list(new)

        running = self._dask.as_completed(
            submit_next(QUEUED_TASKS_PER_WORKER * max(1, len(self._client.scheduler_info()["workers"])))
        )
        for future in running:
            yield waiting.pop(future), self._result(future)
            future.release()
            running.update(submit_next(1))

    def _submit(self, function: Callable[[T], Any], task: T) -> Any:
        return self._client.submit(run_task, function, task, pure=False)

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except self._dask.scheduler.KilledWorker as error:  # the task killed several workers in turn
            return Unavailable("bulk.died", error=type(error).__name__)

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


JOB_FORM: Final = 2
JOB_FILE: Final = "job.json"  # description of the job; another job cannot resume with its files
CASES_FILE: Final = "cases.jsonl"
OVERLAPS_FILE: Final = "overlaps.jsonl"
PROBLEMS_FILE: Final = "problems.jsonl"
DEFAULT_SHARDS: Final = 64
MAX_WORKS_PER_TASK: Final = 100  # works
MIN_WORKS_PER_TASK: Final = 10  # works
MIN_OVERLAP_TASKS: Final = 160  # tasks; with fewer, a worker waits long for the last one of another

COLUMNS: Final = "text_columns"  # in the description of a job over a training set
TRAINING_SET: Final = "training-set"
_OPTIONS: Final = {"shards": "--shards", "shortest": "--shortest", COLUMNS: "--text"}  # by their names in a description
_MAX_DIFFERENCES: Final = 5  # differences that a message names

Task = TypeVar("Task", ReadTask, LookTask, OverlapTask)
JobProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """Counts of a job. For archives, looked_at + passed + refused = records.

    - looked_at: pages or works.
    - passed: records that hold no page.
    - refused: records that cannot be read.
    - problems: all problems, including those of matching.
    - again: tasks that an earlier run had finished.
    - file: URL of the results.
    """

    records: int
    looked_at: int
    passed: int
    refused: int
    found: int
    problems: int
    tasks: int
    again: int
    file: str


class BulkJob:
    """A job over a frozen library, with all its files in one folder.

    Raises `BadInput` if the folder holds another job, and `Unavailable` if tasks failed. Running the same job again
    resumes with those tasks. shortest: minimum length of a passage in letters; overrides the frozen setting.
    """

    def __init__(
        self,
        engine: Engine,
        library: str,
        out: str,
        progress: JobProgress | None = None,
        *,
        shortest: int | None = None,
    ) -> None:
        self._engine = engine
        self._library = library
        self._out = out
        self._progress = progress
        self._shortest = shortest
        self._digest = library_digest(library)
        self._finished: set[str] = set()
        self._again = 0

    def pages(self, urls: Sequence[str], *, shards: int = DEFAULT_SHARDS, piece: int | None = None) -> JobOutcome:
        """Match the pages of archives against the library. piece: bytes of a piece, if not those of the begun job."""
        return self._match_archives(urls, shards, piece, None)

    def training_set(
        self,
        urls: Sequence[str],
        text_columns: tuple[str, ...] = (),
        *,
        shards: int = DEFAULT_SHARDS,
        piece: int | None = None,
    ) -> JobOutcome:
        """Match a data set against the library. Each row of a table is a text, in these columns or the usual ones."""
        return self._match_archives(urls, shards, piece, text_columns)

    def _match_archives(
        self, urls: Sequence[str], shards: int, piece: int | None, text_columns: tuple[str, ...] | None
    ) -> JobOutcome:
        piece = piece or self._begun_value("piece") or PIECE_BYTES
        file_sizes = find_file_sizes([file_url for url in urls for file_url in expand_url(url)])
        inputs: dict[str, Any] = {"files": file_sizes, "shards": shards, "piece": piece}
        if text_columns is not None:
            inputs[COLUMNS] = text_columns
        begun = self._begin("pages", inputs)
        job = JobFiles(self._out, self._library, self._digest, shards, self._shortest)
        pieces = split_into_pieces(file_sizes, begun, piece, text_columns)
        total = len(pieces) + shards
        read = self._run(read_piece, [ReadTask(job, piece) for piece in pieces], 0, total)
        looks = [LookTask(job, shard, tuple(_find_shard_stretches(read, shard))) for shard in range(shards)]
        looked = self._run(match_shard, looks, len(pieces), total)
        self._merge(CASES_FILE, looked, lambda case: (case["page_url"], case["work_id"]))
        return self._outcome(CASES_FILE, {**read, **looked}, sum(done["pages"] for done in read.values()))

    @property
    def library(self) -> FrozenLibrary:
        """Return the library that texts are matched against."""
        return open_library(self._library, self._digest, self._shortest)

    def works(self, *, together: int | None = None) -> JobOutcome:
        """Match the works of the library against each other.

        together: works of a task. By default that of the begun job, and for a new one it depends on their number.
        """
        together = together or self._begun_value("together")
        if together is None:
            fair_share = self.library.store.file.count() // MIN_OVERLAP_TASKS
            together = min(max(fair_share, MIN_WORKS_PER_TASK), MAX_WORKS_PER_TASK)
        self._begin("works", {"together": together})
        job = JobFiles(self._out, self._library, self._digest, 0, self._shortest)
        tasks = list(_make_overlap_tasks(job, together))
        done = self._run(find_range_overlaps, tasks, 0, len(tasks))
        self._merge(OVERLAPS_FILE, done, lambda match: (match["page_id"], match["work_id"]))
        return self._outcome(OVERLAPS_FILE, done, sum(result["works"] for result in done.values()))

    def _begun_value(self, name: str) -> int | None:
        """Return how the begun job is cut into tasks, if there is one. Another release may cut otherwise.

        Tasks are named by their place in the cut, so a job has to keep its own.
        """
        begun = self._read_begun() or {}
        value = begun.get(name)
        return value if isinstance(value, int) and value > 0 else None

    def _read_begun(self) -> dict[str, Any] | None:
        """Return the description of the job that was begun here, if any. Raises BadInput."""
        job_url = join_url(self._out, JOB_FILE)
        try:
            begun = json.loads(read_whole_file(job_url))
            datetime.fromisoformat(begun["begun"])
        except NotFound:
            return None
        except (ValueError, KeyError, TypeError) as error:  # its writer died while writing it
            raise BadInput("bulk.job_damaged", file=job_url) from error
        return dict(begun)

    def _begin(self, what: str, inputs: Mapping[str, Any]) -> datetime:
        """Create or resume the job, and load the names of finished tasks. Return the time of its first start."""
        description = {"form": JOB_FORM, "what": what, "library": self._digest, **json.loads(json.dumps(inputs))}
        if self._shortest is not None:
            description["shortest"] = self._shortest
        job_url = join_url(self._out, JOB_FILE)
        before = self._read_begun()
        if before is None:
            before = {**description, "begun": datetime.now(UTC).isoformat()}
            write_whole_file(job_url, json.dumps(before, indent=1).encode())
        begun = datetime.fromisoformat(before.pop("begun"))
        if before.get("form") != JOB_FORM:
            raise BadInput("bulk.older_job", out=self._out, before=before.get("form"), now=JOB_FORM)
        if before != description:
            raise BadInput(
                "bulk.other_job", out=self._out, file=job_url, what=_describe_differences(before, description)
            )
        self._finished = list_names(join_url(self._out, DONE_FOLDER))
        return begun

    def _run(
        self, function: Callable[[Task], TaskResult], tasks: Sequence[Task], before: int, total: int
    ) -> dict[str, TaskResult]:
        """Run the tasks that are not finished. Return the results of all tasks by name."""
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

    def _mark(self, name: str) -> TaskResult | None:
        if name not in self._finished:
            return None
        try:
            mark: TaskResult = json.loads(read_whole_file(join_url(self._out, f"{DONE_FOLDER}/{name}")))
        except (ValueError, NotFound):  # its writer died while writing it
            return None
        return mark

    def _tell(self, done: int, total: int) -> None:
        if self._progress:
            self._progress(done, total)

    def _merge(self, name: str, done: Mapping[str, TaskResult], key: Callable[[Any], Any]) -> None:
        """Merge the results of all tasks into one sorted file. The order does not depend on the tasks."""
        found_urls = [
            join_url(self._out, f"{FOUND_FOLDER}/{name}.jsonl") for name, result in done.items() if result["found"]
        ]
        lines = merge_sorted_files(found_urls, lambda line: key(json.loads(line)))
        write_all_lines(join_url(self._out, name), lines)

    def _outcome(self, name: str, done: Mapping[str, TaskResult], looked_at: int) -> JobOutcome:
        troubled = [
            join_url(self._out, f"{PROBLEMS_FOLDER}/{name}.jsonl")
            for name, result in done.items()
            if result["problems"]
        ]
        write_all_lines(
            join_url(self._out, PROBLEMS_FILE), (line for file_url in troubled for line in read_lines(file_url))
        )
        passed, refused = (sum(mark.get(name, 0) for mark in done.values()) for name in ("passed", "refused"))
        return JobOutcome(
            records=looked_at + passed + refused,
            looked_at=looked_at,
            passed=passed,
            refused=refused,
            found=sum(result.get("found", 0) for result in done.values()),
            problems=sum(result["problems"] for result in done.values()),
            tasks=len(done),
            again=self._again,
            file=join_url(self._out, name),
        )


def _describe_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return what differs between the begun job and this one, by the names that people give.

    >>> _describe_differences({"shards": 3, "files": [["a.warc", 9]]}, {"shards": 4, "files": [["b.warc", 9]]})
    'a.warc (9 B) → –, – → b.warc (9 B), --shards 3 → 4'
    """
    kinds = [TRAINING_SET if COLUMNS in job else str(job.get("what")) for job in (before, now)]
    if kinds[0] != kinds[1]:
        return f"wenhen bulk {' → '.join(kinds)}"
    archives = [[f"{url} ({size:,} B)" for url, size in job.get("files", ())] for job in (before, now)]
    differences = [f"{one} → –" for one in archives[0] if one not in archives[1]]
    differences += [f"– → {one}" for one in archives[1] if one not in archives[0]]
    names = sorted(name for name in {*before, *now} - {"files"} if before.get(name) != now.get(name))
    differences += [
        f"{_OPTIONS.get(name, name)} {_format_value(before.get(name))} → {_format_value(now.get(name))}"
        for name in names
    ]
    return ", ".join(differences[:_MAX_DIFFERENCES]) or "archives in another order"


def _format_value(value: Any) -> str:
    return "–" if value in (None, []) else " ".join(value) if isinstance(value, list) else str(value)


def _find_shard_stretches(read: Mapping[str, TaskResult], shard: int) -> Iterator[tuple[str, int, int]]:
    for name, done in read.items():
        stretch = done["shards"].get(str(shard))
        if stretch is not None:
            yield name, *stretch


def _make_overlap_tasks(job: JobFiles, together: int) -> Iterator[OverlapTask]:
    library = open_library(job.library, job.digest, job.shortest)
    after, number = "", 0
    while ids := library.store.file.ids(after, together):
        yield OverlapTask(job, number, after, len(ids))
        after, number = ids[-1], number + 1
