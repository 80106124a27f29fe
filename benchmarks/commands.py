"""Measure speed, size and recall: the commands of `wenhen bench`."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from benchmarks.report import BenchReport
from wenhen.cli.console import (
    command_settings,
    json_option,
    print_json,
    print_table,
    progress_bar,
    stderr_console,
    wants_json,
)

suites_argument = click.argument(
    "paths", metavar="SUITE...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False, exists=True)
)


def works_option(default: int) -> Callable[[Any], Any]:
    """Return the option for the number of generated works."""
    return click.option(
        "--works", default=default, show_default=True, type=click.IntRange(1), help="Generated works, at this number."
    )


@click.group()
def bench() -> None:
    """Speed and size against peers in the same run, and what each part of the method carries.

    Each figure stands beside the limit that it must keep. Peers that are not installed are named as absent. Servers are
    started for the run and thrown away.
    """


@bench.command()
@click.option("--documents", default=1000, show_default=True, type=click.IntRange(1), help="Texts to read.")
@json_option
def letters(documents: int) -> None:
    """Time raw text to letters and fingerprints, beside pypinyin, datasketch, simhash, rensa and memcpy."""
    from benchmarks.text_processing import measure_letters

    _print_reports([measure_letters(documents)])


@bench.command()
@click.argument(
    "folders", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option("--pages", default=200, show_default=True, type=click.IntRange(1), help="Generated pages.")
@json_option
def extract(folders: tuple[Path, ...], pages: int) -> None:
    """Time pages to their main text, by kinds, beside trafilatura; FOLDER: of pages, each a kind of its own."""
    from benchmarks.text_processing import measure_extraction

    _print_reports([measure_extraction(pages, folders)])


@bench.command()
@click.argument(
    "folders",
    metavar="FOLDER...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
)
@json_option
def pages(folders: tuple[Path, ...]) -> None:
    """Score main text on public sets of pages with gold text, beside trafilatura; nothing is fetched.

    FOLDER is a checkout of mozilla/readability, codelucas/newspaper, AndyTheFactory/newspaper4k, adbar/trafilatura or
    GeneralNewsExtractor, or a suite with gold.jsonl.
    """
    from benchmarks.public_pages import measure_public_pages

    _print_reports([measure_public_pages(folders)])


@bench.command()
@works_option(50_000)
@json_option
def index(works: int) -> None:
    """Measure the index in Redis: memory, bulk load, look-up; beside PING, datasketch and one SET a feature."""
    from benchmarks.inverted_index import measure_index

    _print_reports([measure_index(works)])


@bench.command()
@json_option
def align() -> None:
    """Time the close comparison beside rapidfuzz and difflib, and see how it grows on texts that tempt it."""
    from benchmarks.text_processing import measure_alignment

    _print_reports([measure_alignment()])


@bench.command()
@works_option(5_000)
@json_option
@click.pass_context
def scan(ctx: click.Context, works: int) -> None:
    """Time a page looked up among many works, all in, and where the time goes."""
    from benchmarks.lookup import measure_scan
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("作品入库 works") as advance:
        report = measure_scan(app, works, advance)
    _print_reports([report])


@bench.command()
@works_option(20_000)
@json_option
@click.pass_context
def storage(ctx: click.Context, works: int) -> None:
    """Weigh a library in MongoDB, bytes a work by collection and index; and captured bodies, beside gzip."""
    from benchmarks.scaling import measure_bodies, measure_storage
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("作品入库 works") as advance:
        library = measure_storage(app, works, advance)
    with throwaway_app(command_settings(ctx)) as app:
        bodies = measure_bodies(app)
    _print_reports([library, bodies])


@bench.command()
@click.option("--pages", default=10_000, show_default=True, type=click.IntRange(20), help="Pages of the site.")
@json_option
@click.pass_context
def crawl(ctx: click.Context, pages: int) -> None:
    """Crawl a generated site on loopback, stored and archived, beside Scrapy that only fetches."""
    from benchmarks.crawl_speed import measure_crawl
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("抓取 pages") as advance:
        report = measure_crawl(app, pages, advance)
    _print_reports([report])


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Captured pages.")
@works_option(900)
@click.option("--host-pages", default=200, show_default=True, type=click.IntRange(1), help="Pages of each host.")
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The cases, JSON lines.")
@json_option
@click.pass_context
def chain(ctx: click.Context, pages: int, works: int, host_pages: int, out: Path | None) -> None:
    """Send captured pages through the queues to their cases, beside the same work in one loop with no database."""
    from benchmarks.pipeline_throughput import measure_pipeline
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("网页 pages") as advance:
        report = measure_pipeline(app, pages, works, out, advance, host_pages)
    _print_reports([report])


@bench.command()
@click.option("--pages", default=3_000, show_default=True, type=click.IntRange(20), help="Stored pages.")
@works_option(2_000)
@click.option("--changed", default=10, show_default=True, type=click.IntRange(1), help="Works that change.")
@click.option("--full/--no-full", default=True, help="Also look up everything, and change all works.")
@json_option
@click.pass_context
def rematch(ctx: click.Context, pages: int, works: int, changed: int, full: bool) -> None:
    """Time the nightly re-match of stored pages: nothing changed, some works changed, all works changed."""
    from benchmarks.pipeline_throughput import measure_rematch
    from wenhen.runtime.wiring import throwaway_app

    if changed >= min(works, pages):
        raise click.UsageError(f"--changed {changed} must be less than --works {works} and --pages {pages}")
    with throwaway_app(command_settings(ctx)) as app, progress_bar("网页 pages") as advance:
        report = measure_rematch(app, works, pages, changed, full=full, progress=advance)
    _print_reports([report])


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Archived pages.")
@works_option(900)
@click.option(
    "--workers",
    multiple=True,
    default=(1, 2),
    show_default=True,
    type=click.IntRange(1),
    help="Processes of a job; repeatable, a job for each.",
)
@json_option
@click.pass_context
def bulk(ctx: click.Context, pages: int, works: int, workers: tuple[int, ...]) -> None:
    """Run bulk jobs over archived pages, with one worker and with two, on a library that is frozen first.

    It tells cost and memory, the copies that were found, and cases of pages that copy nothing.
    """
    from benchmarks.bulk_job import measure_bulk
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("作品入库 works") as advance:
        report = measure_bulk(app, pages, works, workers, advance)
    _print_reports([report])


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Captured pages.")
@works_option(10_000)
@json_option
@click.pass_context
def scaling(ctx: click.Context, pages: int, works: int) -> None:
    """Tell what works and pages cost in a library of one size: MongoDB, index, look-ups, queues and bulk job."""
    from benchmarks.scaling import measure_scaling
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("作品入库 works") as advance:
        reports = measure_scaling(app, works, pages, advance)
    _print_reports(reports)


@bench.command()
@works_option(400)
@click.option("--passages", default=4, show_default=True, type=click.IntRange(1), help="Of each trick and strength.")
@click.option("--only", metavar="NAME[,...]", help="Tricks or families of tricks.  [default: all]")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Keep the suite in this folder, for wenhen detect."
)
@click.option("--peers/--no-peers", default=True, help="Run the field's other fingerprints, too.")
@json_option
@click.pass_context
def tricks(ctx: click.Context, works: int, passages: int, only: str | None, out: Path | None, peers: bool) -> None:
    """Disguise passages by every trick of the catalogue, and tell what is found of each, beside the peers."""
    from benchmarks.tricks.measurement import run_tricks

    with progress_bar("检索 suspects") as advance:
        report = run_tricks(command_settings(ctx), works, passages, only, out, peers, advance)
    _print_reports([report])


@bench.command()
@click.option("--copies", default=1000, show_default=True, type=click.IntRange(1), help="Marked copies of the text.")
@click.option("--repeats", default=4, show_default=True, type=click.IntRange(1), help="Of each trick and strength.")
@click.option("--only", metavar="NAME[,...]", help="Tricks or families of tricks.  [default: all]")
@json_option
def marks(copies: int, repeats: int, only: str | None) -> None:
    """Name the copy that a leaked excerpt stems from, after every trick of the catalogue, among many copies."""
    from benchmarks.copy_tracing import measure_copy_tracing
    from benchmarks.tricks.measurement import select_tricks

    _print_reports([measure_copy_tracing(copies, repeats, select_tricks(only))])


@bench.command()
@click.option("--documents", default=100_000, show_default=True, type=click.IntRange(20), help="Generated documents.")
@click.option(
    "--seconds", default=600, show_default=True, type=click.IntRange(1), help="That a run of a tool may take."
)
@json_option
@click.pass_context
def field(ctx: click.Context, documents: int, seconds: int) -> None:
    """Find copies among documents, beside datasketch, text-dedup, datatrove and a suffix array.

    Each tool is given more and more documents, four times as many after each run that is done in time.
    Tools that cannot live in this environment are installed in ones of their own, kept in the data folder.
    """
    from benchmarks.peer_tools.comparison import measure_tools

    with progress_bar("工具 tools") as advance:
        report = measure_tools(documents, command_settings(ctx).data / "bench-environments", seconds, advance)
    _print_reports([report])


@bench.command()
@click.option("--pages", default=1_000_000, show_default=True, type=click.IntRange(1), help="Pages in the store.")
@works_option(100_000)
@click.option("--cases", default=50_000, show_default=True, type=click.IntRange(1), help="Cases in the store.")
@json_option
@click.pass_context
def dashboard(ctx: click.Context, pages: int, works: int, cases: int) -> None:
    """Time every list of the dashboard over a full store: server time at p95."""
    from benchmarks.dashboard_latency import measure_dashboard
    from wenhen.runtime.wiring import throwaway_app

    with throwaway_app(command_settings(ctx)) as app, progress_bar("入库 records") as advance:
        report = measure_dashboard(app, pages=pages, works=works, cases=cases, progress=advance)
    _print_reports([report])


@bench.command()
@suites_argument
@json_option
@click.pass_context
def ablation(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    """Find each SUITE's copies by frequency features alone, by the others alone, and by both.

    A SUITE is a folder with library.jsonl, suspects.jsonl and truth.jsonl, or a folder of such.
    """
    from benchmarks.corpora import find_suites
    from benchmarks.feature_ablation import measure_ablation
    from wenhen.runtime.wiring import throwaway_app

    reports = []
    for suite in find_suites(paths):
        with throwaway_app(command_settings(ctx)) as app, progress_bar(suite.name) as advance:
            reports.append(measure_ablation(app, suite, advance))
    _print_reports(reports)


@bench.command()
@suites_argument
@json_option
def sampling(paths: tuple[Path, ...]) -> None:
    """Show how much of a page must be looked up: cost against recall, for each SUITE (as of `ablation`)."""
    from benchmarks.corpora import find_suites
    from benchmarks.feature_ablation import measure_sampling

    _print_reports([measure_sampling(suite) for suite in find_suites(paths)])


@bench.command()
@suites_argument
@json_option
def windows(paths: tuple[Path, ...]) -> None:
    """Try frequency windows of other sizes, several at once, and multi-probing: recall against cost, for each SUITE."""
    from benchmarks.corpora import find_suites
    from benchmarks.window_sizes import measure_windows

    _print_reports([measure_windows(suite) for suite in find_suites(paths)])


@bench.command()
@click.argument("path", metavar="SUITE", type=click.Path(path_type=Path, file_okay=False, exists=True))
@works_option(20_000)
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Detections, JSON lines.")
@json_option
@click.pass_context
def haystack(ctx: click.Context, path: Path, works: int, out: Path | None) -> None:
    """Hide a SUITE's works among generated ones, all through the whole path, and look its suspects up."""
    from benchmarks.corpora import find_suites
    from benchmarks.lookup import measure_haystack
    from wenhen.runtime.wiring import throwaway_app

    (suite, *_) = find_suites((path,))
    with throwaway_app(command_settings(ctx)) as app, progress_bar(f"{suite.name}, {works:,}") as advance:
        report = measure_haystack(app, suite, works, out, advance)
    _print_reports([report])


@bench.command()
@click.argument("path", metavar="SUITE", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--works",
    "sizes",
    multiple=True,
    default=(1_000, 20_000, 100_000),
    show_default=True,
    type=click.IntRange(1),
    help="Generated works, at each of these numbers.",
)
@click.option("--pages", default=100, show_default=True, type=click.IntRange(1), help="Suspects that are looked up.")
@json_option
@click.pass_context
def suspicions(ctx: click.Context, path: Path, sizes: tuple[int, ...], pages: int) -> None:
    """Weigh the second look at a page, for suspicions, against the first, as the library grows."""
    from benchmarks.corpora import find_suites
    from benchmarks.lookup import measure_suspicions
    from wenhen.runtime.wiring import throwaway_app

    (suite, *_) = find_suites((path,))
    settings = command_settings(ctx)
    settings = settings.model_copy(update={"matcher": settings.matcher.model_copy(update={"suspicions": True})})
    with throwaway_app(settings) as app, progress_bar(f"{suite.name}, {max(sizes):,}") as advance:
        report = measure_suspicions(app, suite, sizes, pages, advance)
    _print_reports([report])


def _print_reports(reports: Iterable[BenchReport]) -> None:
    if wants_json():
        print_json([report.as_dict() for report in reports])
        return
    for report in reports:
        figures = [*report.figures.items(), *((f"同类 peer: {name}", figure) for name, figure in report.peers.items())]
        print_table(("项目 what", "数值 figure"), [(n, _format_figure(f)) for n, f in figures], title=report.name)
        if report.rows:
            print_table(list(report.rows[0]), [[_format_cell(value) for value in row.values()] for row in report.rows])
        limits = [
            (limit.what, _format_figure(limit.figure), limit.must, "✓" if limit.is_reached else "✗")
            for limit in report.limits
        ]
        if limits:
            print_table(("指标 limit", "数值 figure", "须达 must", "达到 reached"), limits)
        if report.busy:
            stderr_console().print(
                f"机器繁忙 the machine was busy (load {report.load:.1f} a core): times are worth little"
            )
        for name in report.absent:
            stderr_console().print(f"未安装 absent: {name}")


def _format_cell(value: object) -> str:
    if value is None:
        return "–"
    return _format_figure(value) if isinstance(value, float) else str(value)


def _format_figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
