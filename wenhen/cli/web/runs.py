"""`wenhen runs`: what runs and ran, what waits in a crawl, and how one is paused, resumed and stopped."""

import click

from store.records import Run, RunKind, RunState, Subject
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, print_json, print_table


@click.group()
def runs() -> None:
    """Crawls and other runs."""


@runs.command("list")
@click.option("--kind", type=click.Choice([kind.value for kind in RunKind]), help="Only these.")
@click.option("--subject", help="Of this site alone.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="So many at most.")
@json_option
@click.pass_context
def list_(ctx: click.Context, kind: str | None, subject: str | None, limit: int, as_json: bool) -> None:
    """The runs that started last, with what they counted."""
    with opened(ctx) as app:
        found = app.store.runs.recent(kind=RunKind(kind) if kind else None, subject=_read(subject), limit=limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            *(run.id, run.kind, run.subject, run.started_at, run.ended_at, _state(run)),
            " ".join(f"{name} {count}" for name, count in run.counts.items()),
        )
        for run in found
    ]
    columns = ("运行 run", "任务 kind", "对象 subject", "开始 started", "结束 ended", "状态 state", "计数 counts")
    print_table(columns, rows)


@runs.command()
@click.argument("id_", metavar="RUN")
@json_option
@click.pass_context
def show(ctx: click.Context, id_: str, as_json: bool) -> None:
    """One run: what is another than in the one before, and which addresses gave nothing, by reason."""
    from services.crawls.missed_addresses import missed_by

    with opened(ctx) as app:
        run, missed = app.store.runs.get(id_), missed_by(app.store, id_)
    if as_json:
        print_json({"run": run, "missed": missed})
        return
    spent = (run.ended_at or run.heartbeat_at) - run.started_at
    rows: list[tuple[str, object]] = [
        *(("开始 started", run.started_at), ("状态 state", _state(run))),
        ("抓取 crawled", f"{run.crawled_seconds:.0f} s"),
        ("等待 waited", f"{spent.total_seconds() - run.crawled_seconds:.0f} s"),
        *(("与上次不同 other than before", str(one)) for one in run.noticed),
        *run.counts.items(),
    ]
    print_table(("项目 what", str(run.subject)), rows)
    if missed:
        of_each = [(kind, one.what, one.reason) for kind, those in missed.items() for one in those]
        print_table(("种类 kind", "地址 address", "原因 reason"), of_each)


@runs.command()
@click.argument("id_", metavar="RUN")
@click.option("--pattern", default="", help="Only addresses with this part (* for anything, re: for expressions).")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000), help="So many at most.")
@json_option
@click.pass_context
def waiting(ctx: click.Context, id_: str, pattern: str, limit: int, as_json: bool) -> None:
    """What a crawl has still to fetch, in its order."""
    from services.crawls.waiting_addresses import waiting as what_waits

    with opened(ctx) as app:
        found = what_waits(app, id_, pattern, limit)
    if as_json:
        print_json(found)
        return
    print_table(("地址 address",), [(url,) for url in found.first], title=str(found.count))


@runs.command()
@click.argument("id_", metavar="RUN")
@click.argument("pattern")
@click.pass_context
def drop(ctx: click.Context, id_: str, pattern: str) -> None:
    """Fetch nothing in this run of what waits and has this part in its address (* for anything, re: for expressions).

    The next run finds it again; what is never to be fetched is left out with `wenhen sites edit --exclude`.
    """
    from services.crawls.waiting_addresses import drop as drop_waiting

    with opened(ctx) as app:
        count = drop_waiting(acting_of(app), id_, pattern)
    click.echo(f"放弃 dropped {count}")


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@click.pass_context
def pause(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Let crawls rest until they are resumed; what is being fetched is still stored."""
    from services.crawls.steered_by_people import pause as pause_run

    with opened(ctx) as app:
        for id_ in ids:
            pause_run(acting_of(app), id_)


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@click.pass_context
def resume(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Go on with crawls where they were."""
    from services.crawls.steered_by_people import resume as resume_run

    with opened(ctx) as app:
        for id_ in ids:
            resume_run(acting_of(app), id_)


@runs.command()
@click.argument("ids", metavar="RUN...", nargs=-1, required=True)
@click.pass_context
def stop(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """End crawls within seconds; what they stored stays."""
    from services.crawls.steered_by_people import stop as stop_run

    with opened(ctx) as app:
        for id_ in ids:
            stop_run(acting_of(app), id_)


def _read(subject: str | None) -> Subject | None:
    return None if subject is None else Subject.read(subject)


def _state(run: Run) -> str:
    if run.problem or run.noticed:
        return "; ".join(map(str, filter(None, (run.problem, *run.noticed))))
    if run.ended_at is None:
        return str(run.state)
    return "停止 stopped" if run.state is RunState.STOPPING else ""
