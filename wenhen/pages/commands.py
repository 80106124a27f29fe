"""Define `wenhen pages`: list crawled pages and show what was read from them."""

from datetime import datetime, timedelta

import click

from wenhen.cli.console import Day, json_option, limit_option, print_json, print_table, to_plain
from wenhen.cli.opening import open_product


@click.group()
def pages() -> None:
    """The crawled pages: what was read from each, and which works came near it."""


@pages.command("list")
@click.option("--host", help="Of this host.")
@click.option("--title", help="How it begins.")
@click.option("--charset", help="Read in this one, such as gb18030.")
@click.option("--status", type=click.IntRange(0, 999), help="HTTP status of the newest capture; 0: no answer.")
@click.option("--since", type=Day(), help="First seen on this day or later.")
@click.option("--until", type=Day(), help="First seen on this day or earlier.")
@limit_option
@json_option
@click.pass_context
def list_pages(
    ctx: click.Context,
    host: str | None,
    title: str | None,
    charset: str | None,
    status: int | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the pages that meet all conditions, the last first seen first."""
    from wenhen.pages.model import PageFilter

    end = until and until + timedelta(days=1)
    wanted = PageFilter(host=host, title=title, charset=charset, status=status, since=since, until=end)
    with open_product(ctx) as app:
        found = app.store.pages.search(wanted, limit=limit)
    if as_json:
        print_json([to_plain(one) for one in found])
        return
    heads = ("编号 id", "标题 title", "域名 host", "状态 status", "编码 charset", "字数 length", "首次抓取 first seen")
    print_table(
        heads,
        [(one.id, one.title, one.host, one.capture.status, one.charset, one.length, one.first_seen) for one in found],
    )


@pages.command()
@click.argument("page")
@click.option("--text", "with_text", is_flag=True, help="Print the text as extracted, and nothing else.")
@click.option("--raw", is_flag=True, help="Print the beginning of the page as its server sent it, and nothing else.")
@json_option
@click.pass_context
def show(ctx: click.Context, page: str, with_text: bool, raw: bool, as_json: bool) -> None:
    """Show the works that came near a PAGE (id or address), and why each opened a case or none."""
    from wenhen.pages.service import find_page, load_raw_body, page_text

    with open_product(ctx) as app:
        found = find_page(app, page)
        if with_text:
            click.echo(page_text(app, found))
            return
        if raw:
            body = load_raw_body(app, found)
            if body is None:
                raise click.ClickException("the body is no text, or is no longer kept")
            click.echo(body.text)
            return
        from wenhen.pages.service import posts_of_page
        from wenhen.texts.source_lookup import find_near_works

        near, posts = find_near_works(app, found), posts_of_page(app, found)
    if as_json:
        print_json(to_plain(found) | {"near": to_plain(list(near)), "posts": to_plain(list(posts))})
        return
    facts = (found.id, found.url, found.title, found.capture.status, found.charset, found.length, found.captures)
    names = ("编号 id", "地址 url", "标题 title", "状态 status", "编码 charset", "字数 length", "抓取 captures")
    print_table(("", ""), list(zip(names, facts, strict=True)))
    rows = [(one.work_title, one.hits, one.share_of_page, one.longest_run, one.score, one.nearness) for one in near]
    if posts:
        told = [(post.floor, post.author, post.written_at, post.precision, post.end - post.start) for post in posts]
        print_table(("楼 post", "作者 author", "时间 written", "精度 precision", "字数 length"), told)
    print_table(("作品 work", "特征 hits", "占网页 share", "最长 longest", "可能 score", "结果 outcome"), rows)
