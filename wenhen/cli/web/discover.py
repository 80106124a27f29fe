"""`wenhen discover` and `wenhen discovered`: copies outside the watched sites, found by a search engine."""

from collections.abc import Sequence

import click

from store.errors import Unavailable
from store.records import Discovery, DiscoveryStatus, Run
from wenhen.cli.shared.naming import work_named
from wenhen.cli.shared.opening import acting_of, opened, opened_with_indexes
from wenhen.cli.shared.output import err, json_option, limit_option, plain, print_json, print_table, progress
from wenhen.wiring import App

_COLUMNS = (
    "编号 id",
    "作品 work",
    "状态 status",
    "网址 address",
    "标题 title",
    "句子 sentences",
    "找到 found",
    "收录 listed",
)


@click.command()
@click.argument("work")
@click.option("--crawl", is_flag=True, help="Fetch the new addresses at once, as single addresses, and match them.")
@json_option
@click.pass_context
def discover(ctx: click.Context, work: str, crawl: bool, as_json: bool) -> None:
    """Ask a search engine (settings discover.*) for the most telling sentences of WORK.

    Sentences of rare words that stand in no other work are asked for, each as a phrase. New addresses go on the review
    list (wenhen discovered); pages that are stored already are left out.
    """
    from services.discover.engines import open_engine
    from services.discover.review import accept
    from services.discover.work_searches import discover as search
    from wenhen.cli.library.scan import wait_for_library

    run = None
    with opened_with_indexes(ctx) as app:
        engine = open_engine(app.settings.discover)
        try:
            wait_for_library(app)
            with progress("搜索 searching") as advance:
                found = search(app, work_named(app, work), engine, advance)
        finally:
            engine.close()
        if crawl and found.new:
            run = _worked_off(app, accept(acting_of(app), [one.id for one in found.new]))
    if as_json:
        print_json(plain(found) | {"run": plain(run)})
    else:
        _print(found.new)
        err().print(f"{len(found.asked)} 句 asked, {found.on_list} 已在清单 on the list, {found.known} 已存 known")
    if run is not None and run.problem:
        raise Unavailable(run.problem.code, **run.problem.figures)


@click.group()
def discovered() -> None:
    """The review list of addresses that `wenhen discover` found."""


@discovered.command("list")
@click.option("--work", help="Only those for this work.")
@click.option("--status", type=click.Choice([str(one) for one in DiscoveryStatus]), help="Only those.")
@limit_option
@json_option
@click.pass_context
def list_(ctx: click.Context, work: str | None, status: str | None, limit: int, as_json: bool) -> None:
    """List the addresses, the last found first."""
    with opened(ctx) as app:
        wanted = DiscoveryStatus(status) if status else None
        work = work_named(app, work) if work else None
        found = app.store.discoveries.find(work_id=work, status=wanted, limit=limit)
    if as_json:
        print_json(found)
    else:
        _print(found)


@discovered.command("accept")
@click.argument("ids", nargs=-1, required=True)
@click.option("--no-wait", is_flag=True, help="Return when the crawl is queued.")
@json_option
@click.pass_context
def accept_(ctx: click.Context, ids: tuple[str, ...], no_wait: bool, as_json: bool) -> None:
    """Let the crawler fetch these addresses, by its rules, and nothing that they link to; then they are matched."""
    from services.discover.review import accept

    with opened_with_indexes(ctx) as app:
        run = accept(acting_of(app), ids)
        if not no_wait:
            run = _worked_off(app, run)
    if as_json:
        print_json(run)
    else:
        print_table(("运行 run", *run.counts), [(run.id, *run.counts.values())])
    if run.problem:
        raise Unavailable(run.problem.code, **run.problem.figures)


@discovered.command("refuse")
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def refuse_(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Leave these addresses alone, also when they are found again."""
    from services.discover.review import refuse

    with opened(ctx) as app:
        refuse(acting_of(app), ids)


def _worked_off(app: App, run: Run) -> Run:
    from wenhen.processes.working_off import work_off

    with progress("抓取与比对 crawling") as advance:
        work_off(app, advance)
    return app.store.runs.get(run.id)


def _print(found: Sequence[Discovery]) -> None:
    rows = [
        (x.id, x.work_id, x.status, x.url, x.title, "；".join(x.sentences), x.found_at, x.listing and x.listing.state)
        for x in found
    ]
    print_table(_COLUMNS, rows)
