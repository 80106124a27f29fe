"""`wenhen sites`: add, list, remove; how they are reached is in site_access."""

import click

from store.errors import NotFound
from wenhen.cli.opening import opened
from wenhen.cli.output import json_option, print_json, print_table
from wenhen.cli.site_access import COMMANDS


@click.group()
def sites() -> None:
    """The websites that are watched."""


@sites.command()
@click.argument("urls", nargs=-1, required=True)
@click.option("--name", help="Name for people; the first host otherwise.")
@click.option("--id", "id_", help="Id for commands; the first host otherwise.")
@click.option("--host", "hosts", multiple=True, help="A further host that belongs to the site; may be repeated.")
@click.option("--every", default=24.0, show_default=True, type=click.FloatRange(0.1), help="Hours between two crawls.")
@click.option("--max-pages", default=1000, show_default=True, type=click.IntRange(1), help="Pages a crawl, at most.")
@click.option("--max-depth", default=5, show_default=True, type=click.IntRange(0), help="Links from the start.")
@click.option("--kind", help="What it carries, as the kind of works: news, novel ... (see matcher.same_kind).")
@click.option("--internal", is_flag=True, help="The site may be at a private address.")
@json_option
@click.pass_context
def add(
    ctx: click.Context,
    urls: tuple[str, ...],
    name: str | None,
    id_: str | None,
    hosts: tuple[str, ...],
    every: float,
    max_pages: int,
    max_depth: int,
    kind: str | None,
    internal: bool,
    as_json: bool,
) -> None:
    """Watch a site from these start addresses; its first crawl is due now, or with `wenhen crawl ID`."""
    from wenhen.watching import watch

    with opened(ctx) as app:
        site = watch(
            app,
            urls,
            name=name,
            id=id_,
            hosts=hosts,
            every=every,
            max_pages=max_pages,
            max_depth=max_depth,
            internal=internal,
            kind=kind,
        )
    if as_json:
        print_json(site)
    else:
        click.echo(f"{site.id}: {', '.join(site.hosts)}")


@sites.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the sites with their last and next crawl."""
    with opened(ctx) as app:
        found = app.store.sites.all()
        last = {}
        for site in found:
            if site.last_run_id:
                try:
                    last[site.id] = app.store.runs.get(site.last_run_id)
                except NotFound:
                    continue
    if as_json:
        print_json(found)
        return
    rows = [
        (s.id, s.name, " ".join(s.hosts), s.due, last[s.id].ended_at if s.id in last else None, s.internal or "")
        for s in found
    ]
    print_table(
        ("编号 id", "名称 name", "主机 hosts", "下次 next", "上次 last", "内部 internal"), rows, title=str(len(rows))
    )


@sites.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Stop watching sites; their pages and cases stay."""
    with opened(ctx) as app:
        for id_ in ids:
            app.store.sites.remove(id_)
            app.store.accesses.remove(id_)


for command in COMMANDS:
    sites.add_command(command)
