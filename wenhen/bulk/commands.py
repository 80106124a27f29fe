"""Define `wenhen bulk`: match whole archives, or the library with itself."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from wenhen.cli.console import (
    ActingCommand,
    json_option,
    open_product,
    pass_acting,
    print_json,
    print_records,
    print_table,
    progress_bar,
    shortest_option,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.remote_files import join_url
from wenhen.kit.text import percent
from wenhen.texts.lookup_commands import wait_for_library

if TYPE_CHECKING:
    from wenhen.bulk.job import Engine, JobOutcome
    from wenhen.runtime.wiring import App

LIBRARY_FOLDER = "library"  # default folder of the library, in the folder of the job


@click.group()
def bulk() -> None:
    """Archives against the library, and the library against itself.

    Jobs need wenhen[bulk]. An address is a path, s3://bucket/key, https://… or whatever else fsspec knows. Each job has
    a folder of its own (--out). A job that was broken off goes on where it was when the same command is given again.
    """


def job_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the files of a job, and for the processes that run it."""
    for option in reversed(
        (
            click.option("--out", "-o", required=True, metavar="ADDRESS", help="Where this job keeps its files."),
            click.option(
                "--library",
                metavar="ADDRESS",
                help="A frozen library. Default: the library is frozen into the job's files.",
            ),
            click.option(
                "--workers",
                type=click.IntRange(0),
                help="Number of processes. Default: one for each core. 0: run in this process.",
            ),
            click.option(
                "--scheduler",
                metavar="ADDRESS",
                help="Address of a Dask cluster, instead of processes of this machine.",
            ),
            shortest_option,
            json_option,
            click.pass_context,
        )
    ):
        command = option(command)
    return command


def archive_options(shards_help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the archives to read, and the number of parts that their records are put into."""

    def add_options(command: Callable[..., Any]) -> Callable[..., Any]:
        shards = click.option("--shards", default=64, show_default=True, type=click.IntRange(1), help=shards_help)
        return click.argument("archives", metavar="ARCHIVE…", nargs=-1, required=True)(shards(command))

    return add_options


@bulk.command("freeze")
@click.argument("address")
@json_option
@pass_acting
def freeze_command(acting: ActingCommand, address: str) -> None:
    """Write the library as files to ADDRESS, for several jobs. They are never changed, and every worker maps them."""
    from wenhen.bulk.frozen_library import freeze_to_url

    _wait_for_works(acting.product)
    with progress_bar("冻结 freezing") as advance:
        frozen = freeze_to_url(acting.product, address, advance)
    row = (f"{frozen.works:,}", f"{frozen.postings:,}", f"{frozen.bytes / 2**20:,.1f}")
    print_records(to_plain(frozen), ("作品 works", "索引项 postings", "MiB"), [row])


@bulk.command("pages")
@archive_options("Number of partitions of the hosts.")
@job_options
def pages_command(ctx: click.Context, archives: tuple[str, ...], shards: int, **job_files: Any) -> None:
    """Look the pages of ARCHIVEs up among the works, and write their cases to cases.jsonl.

    An archive is WARC (.warc.gz, .warc.zst, .warc), WET, ARC (.arc.gz, .arc), WACZ, Parquet or JSON lines (.jsonl,
    .jsonl.gz; columns url, and html or text). Wildcards and folders will do.
    Every record is counted: looked at, passed because it holds no page, or refused with a problem. Status 1 when a
    record was refused.
    """
    with _open_job(ctx, **job_files) as job:
        outcome = job.pages([_absolute_address(archive) for archive in archives], shards=shards)
    _print_outcome(outcome, "网页 pages", "案件 cases")
    _fail_on_refused(outcome)


@bulk.command("training-set")
@click.option(
    "--text", "columns", multiple=True, metavar="COLUMN", help="Column of the text, e.g. messages.content; repeatable."
)
@archive_options("Parts that rows are put into.")
@job_options
def training_set_command(
    ctx: click.Context, archives: tuple[str, ...], columns: tuple[str, ...], shards: int, out: str, **job_files: Any
) -> None:
    """Report which works of the library stand in a training set, how much of each, and where.

    An ARCHIVE is WET, WARC, WACZ, Parquet or JSON lines, as for `wenhen bulk pages`. Each row of a table is a text,
    with or without an address. The report is report.html, works.csv and places.csv in the files of the job.
    """
    from wenhen.bulk.training_report import write_training_report

    with _open_job(ctx, out, **job_files) as job:
        outcome = job.training_set([_absolute_address(archive) for archive in archives], columns, shards=shards)
        report = write_training_report(job.library, _absolute_address(out), archives, outcome)
    if wants_json():
        print_json({**to_plain(outcome), **to_plain(report)})
    else:
        _print_outcome(outcome, "文本 texts", "案件 cases")
        rows = [
            (work.title, f"{work.places:,}", f"{work.passages:,}", f"{work.characters:,}", percent(work.share))
            for work in report.works
        ]
        print_table(
            ("作品 work", "文本 texts", "段落 passages", "字 characters", "占作品 of work"), rows, title=report.file
        )
    _fail_on_refused(outcome)


@bulk.command("works")
@job_options
def works_command(ctx: click.Context, **job_files: Any) -> None:
    """Look every work up among all the others, and write which hold text of which to overlaps.jsonl."""
    with _open_job(ctx, **job_files) as job:
        outcome = job.works()
    _print_outcome(outcome, "作品 works", "重合 overlaps")


@contextmanager
def _open_job(
    ctx: click.Context, out: str, library: str | None, workers: int | None, scheduler: str | None, shortest: int | None
) -> Iterator[Any]:
    from wenhen.bulk.job import BulkJob

    out = _absolute_address(out)
    where = _absolute_address(library) if library else join_url(out, LIBRARY_FOLDER)
    engine = _make_engine(workers, scheduler)
    try:
        if library is None:
            _freeze_once(ctx, where)
        with progress_bar("任务 tasks") as advance:
            yield BulkJob(engine, where, out, advance, shortest=shortest)
    finally:
        engine.close()


def _freeze_once(ctx: click.Context, where: str) -> None:
    """Freeze the library unless the job has one already: a resumed job keeps its library."""
    from wenhen.bulk.frozen_library import freeze_to_url, library_digest

    try:
        library_digest(where)
    except NotFound:
        with open_product(ctx) as app:
            _wait_for_works(app)
            with progress_bar("冻结 freezing") as advance:
                freeze_to_url(app, where, advance)


def _wait_for_works(app: "App") -> None:
    """Finish an import. Raises BadInput if there are no works: a job would keep the empty library for good."""
    if not app.store.works.count(most=1):
        raise BadInput("bulk.empty_library")
    wait_for_library(app)


def _make_engine(workers: int | None, scheduler: str | None) -> "Engine":
    from wenhen.bulk.job import DaskEngine, LocalEngine

    if workers == 0:
        return LocalEngine()
    return DaskEngine(workers or os.cpu_count() or 1, scheduler, tell=stderr_console().print)


def _absolute_address(address: str) -> str:
    """Return a path as an absolute path, because workers may have another working directory."""
    return address if "://" in address else os.path.abspath(address)  # noqa: PTH100  wildcards stay as they are


def _print_outcome(outcome: "JobOutcome", looked_at: str, found_file: str) -> None:
    figures = {
        "记录 records": outcome.records,
        looked_at: outcome.looked_at,
        "非网页 no page": outcome.passed,
        "拒绝 refused": outcome.refused,
        found_file: outcome.found,
        "问题 problems": outcome.problems,
        "任务 tasks": outcome.tasks,
        "此前已完成 done before": outcome.again,
    }
    print_records(
        to_plain(outcome), (*figures, "文件 file"), [(*(f"{figure:,}" for figure in figures.values()), outcome.file)]
    )


def _fail_on_refused(outcome: "JobOutcome") -> None:
    if outcome.refused:
        raise click.ClickException(f"{outcome.refused:,} of {outcome.records:,} records could not be read")
