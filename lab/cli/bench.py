"""`wenhen bench`: speed, size and recall, measured here and now."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from lab.bench.report import BenchReport
from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import err, json_option, print_json, print_table, progress

suites_argument = click.argument(
    "paths", metavar="SUITE...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False, exists=True)
)


def works_option(default: int) -> Callable[[Any], Any]:
    """How many generated works."""
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
def letters(documents: int, as_json: bool) -> None:
    """Time raw text to letters and fingerprints, beside pypinyin, datasketch, simhash, rensa and memcpy."""
    from lab.bench.letters import measure

    _show([measure(documents)], as_json)


@bench.command()
@click.argument(
    "folders", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option("--pages", default=200, show_default=True, type=click.IntRange(1), help="Generated pages.")
@json_option
def extract(folders: tuple[Path, ...], pages: int, as_json: bool) -> None:
    """Time pages to their main text, by kinds, beside trafilatura; FOLDER: of pages, each a kind of its own."""
    from lab.bench.extract import measure

    _show([measure(pages, folders)], as_json)


@bench.command()
@works_option(50_000)
@json_option
def index(works: int, as_json: bool) -> None:
    """Measure the index in Redis: memory, bulk load, look-up; beside PING, datasketch and one SET a feature."""
    from lab.bench.index import measure

    _show([measure(works)], as_json)


@bench.command()
@json_option
def align(as_json: bool) -> None:
    """Time the close comparison beside rapidfuzz and difflib, and see how it grows on texts that tempt it."""
    from lab.bench.align import measure

    _show([measure()], as_json)


@bench.command()
@works_option(5_000)
@json_option
@click.pass_context
def scan(ctx: click.Context, works: int, as_json: bool) -> None:
    """Time a page looked up among many works, all in, and where the time goes."""
    from lab.bench.scan import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("作品入库 works") as advance:
        report = measure(app, works, advance)
    _show([report], as_json)


@bench.command()
@works_option(20_000)
@json_option
@click.pass_context
def storage(ctx: click.Context, works: int, as_json: bool) -> None:
    """Weigh a library in MongoDB, bytes a work by collection and index; and captured bodies, beside gzip."""
    from lab.bench.storage import measure, measure_bodies
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("作品入库 works") as advance:
        library = measure(app, works, advance)
    with throwaway_app(settings_of(ctx)) as app:
        bodies = measure_bodies(app)
    _show([library, bodies], as_json)


@bench.command()
@click.option("--pages", default=10_000, show_default=True, type=click.IntRange(20), help="Pages of the site.")
@json_option
@click.pass_context
def crawl(ctx: click.Context, pages: int, as_json: bool) -> None:
    """Crawl a generated site on loopback, stored and archived, beside Scrapy that only fetches."""
    from lab.bench.crawl import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("抓取 pages") as advance:
        report = measure(app, pages, advance)
    _show([report], as_json)


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Captured pages.")
@works_option(900)
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The cases, JSON lines.")
@json_option
@click.pass_context
def chain(ctx: click.Context, pages: int, works: int, out: Path | None, as_json: bool) -> None:
    """Send captured pages through the queues to their cases, beside the same work in one loop with no database."""
    from lab.bench.chain.measure import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("网页 pages") as advance:
        report = measure(app, pages, works, out, advance)
    _show([report], as_json)


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Archived pages.")
@works_option(900)
@json_option
@click.pass_context
def bulk(ctx: click.Context, pages: int, works: int, as_json: bool) -> None:
    """Run a bulk job over archived pages with one worker and with two, on a library that is frozen first."""
    from lab.bench.bulk import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("作品入库 works") as advance:
        report = measure(app, pages, works, advance)
    _show([report], as_json)


@bench.command()
@click.option("--pages", default=2_000, show_default=True, type=click.IntRange(20), help="Captured pages.")
@works_option(10_000)
@json_option
@click.pass_context
def scaling(ctx: click.Context, pages: int, works: int, as_json: bool) -> None:
    """Tell what works and pages cost in a library of one size: MongoDB, index, look-ups, queues and bulk job."""
    from lab.bench.scaling import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("作品入库 works") as advance:
        reports = measure(app, works, pages, advance)
    _show(reports, as_json)


@bench.command()
@click.option("--documents", default=100_000, show_default=True, type=click.IntRange(20), help="Generated documents.")
@click.option(
    "--seconds", default=600, show_default=True, type=click.IntRange(1), help="That a run of a tool may take."
)
@json_option
@click.pass_context
def field(ctx: click.Context, documents: int, seconds: int, as_json: bool) -> None:
    """Find copies among documents, beside datasketch, text-dedup, datatrove and a suffix array.

    Each tool is given more and more documents, four times as many after each run that is done in time.
    Tools that cannot live in this environment are installed in ones of their own, kept in the data folder.
    """
    from lab.bench.field.measure import measure

    with progress("工具 tools") as advance:
        report = measure(documents, settings_of(ctx).data / "bench-environments", seconds, advance)
    _show([report], as_json)


@bench.command()
@click.option("--pages", default=1_000_000, show_default=True, type=click.IntRange(1), help="Pages in the store.")
@works_option(100_000)
@click.option("--cases", default=50_000, show_default=True, type=click.IntRange(1), help="Cases in the store.")
@json_option
@click.pass_context
def dashboard(ctx: click.Context, pages: int, works: int, cases: int, as_json: bool) -> None:
    """Time every list of the dashboard over a full store: server time at p95."""
    from lab.bench.dashboard import measure
    from wenhen.processes.throwaway_product import throwaway_app

    with throwaway_app(settings_of(ctx)) as app, progress("入库 records") as advance:
        report = measure(app, pages=pages, works=works, cases=cases, progress=advance)
    _show([report], as_json)


@bench.command()
@suites_argument
@json_option
@click.pass_context
def ablation(ctx: click.Context, paths: tuple[Path, ...], as_json: bool) -> None:
    """Find each SUITE's copies by frequency features alone, by the others alone, and by both.

    A SUITE is a folder with library.jsonl, suspects.jsonl and truth.jsonl, or a folder of such.
    """
    from lab.bench.method.ablation import measure
    from lab.bench.suites import suites_in
    from wenhen.processes.throwaway_product import throwaway_app

    reports = []
    for suite in suites_in(paths):
        with throwaway_app(settings_of(ctx)) as app, progress(suite.name) as advance:
            reports.append(measure(app, suite, advance))
    _show(reports, as_json)


@bench.command()
@suites_argument
@json_option
def sampling(paths: tuple[Path, ...], as_json: bool) -> None:
    """Show how much of a page must be looked up: cost against recall, for each SUITE (as of `ablation`)."""
    from lab.bench.method.sampling import measure
    from lab.bench.suites import suites_in

    _show([measure(suite) for suite in suites_in(paths)], as_json)


@bench.command()
@suites_argument
@json_option
def windows(paths: tuple[Path, ...], as_json: bool) -> None:
    """Try frequency windows of other sizes, several at once, and multi-probing: recall against cost, for each SUITE."""
    from lab.bench.method.windows import measure
    from lab.bench.suites import suites_in

    _show([measure(suite) for suite in suites_in(paths)], as_json)


@bench.command()
@click.argument("path", metavar="SUITE", type=click.Path(path_type=Path, file_okay=False, exists=True))
@works_option(20_000)
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Detections, JSON lines.")
@json_option
@click.pass_context
def haystack(ctx: click.Context, path: Path, works: int, out: Path | None, as_json: bool) -> None:
    """Hide a SUITE's works among generated ones, all through the whole path, and look its suspects up."""
    from lab.bench.haystack import measure
    from lab.bench.suites import suites_in
    from wenhen.processes.throwaway_product import throwaway_app

    (suite, *_) = suites_in((path,))
    with throwaway_app(settings_of(ctx)) as app, progress(f"{suite.name}, {works:,}") as advance:
        report = measure(app, suite, works, out, advance)
    _show([report], as_json)


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
def suspicions(ctx: click.Context, path: Path, sizes: tuple[int, ...], pages: int, as_json: bool) -> None:
    """Weigh the second look at a page, for suspicions, against the first, as the library grows."""
    from lab.bench.suites import suites_in
    from lab.bench.suspicions import measure
    from wenhen.processes.throwaway_product import throwaway_app

    (suite, *_) = suites_in((path,))
    settings = settings_of(ctx)
    settings = settings.model_copy(update={"matcher": settings.matcher.model_copy(update={"suspicions": True})})
    with throwaway_app(settings) as app, progress(f"{suite.name}, {max(sizes):,}") as advance:
        report = measure(app, suite, sizes, pages, advance)
    _show([report], as_json)


def _show(reports: Iterable[BenchReport], as_json: bool) -> None:
    if as_json:
        print_json([report.as_dict() for report in reports])
        return
    for report in reports:
        figures = [*report.figures.items(), *((f"同类 peer: {name}", figure) for name, figure in report.peers.items())]
        print_table(("项目 what", "数值 figure"), [(n, _figure(f)) for n, f in figures], title=report.name)
        if report.rows:
            print_table(list(report.rows[0]), [[_cell(value) for value in row.values()] for row in report.rows])
        limits = [(one.what, _figure(one.figure), one.must, "✓" if one.reached else "✗") for one in report.limits]
        if limits:
            print_table(("指标 limit", "数值 figure", "须达 must", "达到 reached"), limits)
        if report.busy:
            err().print(f"机器繁忙 the machine was busy (load {report.load:.1f} a core): times are worth little")
        for name in report.absent:
            err().print(f"未安装 absent: {name}")


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return _figure(value) if isinstance(value, float) else str(value)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
