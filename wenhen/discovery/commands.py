"""Define `wenhen discover`, `wenhen discovered` and `wenhen continued`."""

from collections.abc import Sequence

import click

from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    find_work_id,
    finish_queued_steps,
    json_option,
    limit_option,
    pass_acting,
    pass_acting_with_indexes,
    print_json,
    print_records,
    print_table,
    progress_bar,
    stderr_console,
    to_plain,
    wants_json,
)
from wenhen.crawls.model import Run
from wenhen.discovery.model import Discovery, DiscoveryStatus
from wenhen.kit.errors import NotFound, Unavailable
from wenhen.runtime.wiring import App

_DISCOVERY_HEADINGS = (
    "编号 id",
    "作品 work",
    "状态 status",
    "网址 address",
    "标题 title",
    "句子 sentences",
    "找到 found",
    "收录 listed",
)
_CONTINUATION_HEADINGS = (
    "书址 book",
    "抄袭章 copied",
    "续写始于 goes on from",
    "续写章数 chapters",
    "与作品不同 differing",
)


@click.command()
@click.argument("work")
@click.option("--crawl", is_flag=True, help="Fetch the new addresses at once, as single addresses, and match them.")
@json_option
@pass_acting_with_indexes
def discover(acting: ActingCommand, work: str, crawl: bool) -> None:
    """Ask a search engine (settings discover.*) for the most telling sentences of WORK.

    Sentences of rare words that stand in no other work are asked for, each as a phrase. New addresses go on the review
    list (wenhen discovered); pages that are stored already are left out.
    """
    from wenhen.discovery.service import accept_discoveries, open_metered_engine, search_for_work
    from wenhen.texts.lookup_commands import wait_for_library

    run = None
    app = acting.product
    engine = open_metered_engine(app)
    try:
        wait_for_library(app)
        with progress_bar("搜索 searching") as advance:
            result = search_for_work(app, find_work_id(app, work), engine, advance)
    finally:
        engine.close()
    if crawl and result.new:
        run = _finish_crawl(app, accept_discoveries(acting, [discovery.id for discovery in result.new]))
    if wants_json():
        print_json(to_plain(result) | {"run": to_plain(run)})
    else:
        print_table(_DISCOVERY_HEADINGS, _discovery_rows(result.new))
        stderr_console().print(
            f"{len(result.asked)} 句 asked, {result.on_list} 已在清单 on the list, {result.known} 已存 known"
        )
    if run is not None and run.problem:
        raise Unavailable(run.problem.code, **run.problem.figures)


@click.group("discovered")
def review_discoveries() -> None:
    """The review list of addresses that `wenhen discover` found."""


@review_discoveries.command("list")
@click.option("--work", help="Only entries of this work.")
@click.option("--status", type=EnumChoice(DiscoveryStatus), help="Only entries of this status.")
@limit_option
@json_option
@pass_acting
def list_(acting: ActingCommand, work: str | None, status: DiscoveryStatus | None, limit: int) -> None:
    """List the addresses, the last found first."""
    work = find_work_id(acting.product, work) if work else None
    discoveries = acting.product.store.discoveries.find(work_id=work, status=status, limit=limit)
    print_records(discoveries, _DISCOVERY_HEADINGS, _discovery_rows(discoveries))


@review_discoveries.command("accept")
@click.argument("ids", nargs=-1, required=True)
@click.option("--no-wait", is_flag=True, help="Return when the crawl is queued.")
@json_option
@pass_acting_with_indexes
def accept_(acting: ActingCommand, ids: tuple[str, ...], no_wait: bool) -> None:
    """Let the crawler fetch these addresses, by its rules, and nothing that they link to; then they are matched."""
    from wenhen.discovery.service import accept_discoveries

    run = accept_discoveries(acting, ids)
    if not no_wait:
        run = _finish_crawl(acting.product, run)
    print_records(run, ("运行 run", *run.counts), [(run.id, *run.counts.values())])
    if run.problem:
        raise Unavailable(run.problem.code, **run.problem.figures)


@review_discoveries.command("refuse")
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def refuse_(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Leave these addresses alone, also when they are found again."""
    from wenhen.discovery.service import refuse_discoveries

    refuse_discoveries(acting, ids)


@click.command()
@click.argument("series")
@json_option
@pass_acting
def continued(acting: ActingCommand, series: str) -> None:
    """List books that copy SERIES and go on with chapters of somebody else, as far as their pages are stored."""
    from wenhen.discovery.continuations import find_continuations

    if not acting.product.store.works.count(series=series, most=1):
        raise NotFound("discover.no_series", series=series)
    found = find_continuations(acting.product, series)
    if wants_json():
        print_json(found)
        return
    print_table(
        _CONTINUATION_HEADINGS,
        [(x.address, f"{x.copied_from}–{x.copied_to}", x.continued_from, len(x.chapters), x.differing) for x in found],
    )
    for book in found:
        rows = [(chapter.number, chapter.title, chapter.url, chapter.first_seen) for chapter in book.chapters]
        print_table(("章 chapter", "标题 title", "网址 address", "首见 first seen"), rows)


def _finish_crawl(app: App, run: Run) -> Run:
    finish_queued_steps(app, "抓取与比对 crawling")
    return app.store.runs.get(run.id)


def _discovery_rows(discoveries: Sequence[Discovery]) -> list[tuple[object, ...]]:
    return [
        (x.id, x.work_id, x.status, x.url, x.title, "；".join(x.sentences), x.found_at, x.listing and x.listing.state)
        for x in discoveries
    ]
