"""Define `wenhen pages`: list crawled pages and show what was read from them."""

from datetime import datetime, timedelta

import click

from wenhen.cli.console import (
    HOST_NAME,
    ActingCommand,
    Day,
    json_option,
    limit_option,
    pass_acting,
    print_json,
    print_records,
    print_table,
    to_plain,
    wants_json,
)
from wenhen.kit.text import character_count
from wenhen.pages.model import PageFilter
from wenhen.pages.service import find_page, load_raw_body, page_text, posts_of_page


@click.group()
def pages() -> None:
    """Show crawled pages, the text extracted from them, and their candidate works."""


@pages.command("list")
@click.option("--host", type=HOST_NAME, help="Only pages of this host.")
@click.option("--title", help="Beginning of the title.")
@click.option("--charset", help="Encoding to read the page in, such as gb18030.")
@click.option("--status", type=click.IntRange(0, 999), help="HTTP status of the newest capture; 0: no answer.")
@click.option("--since", type=Day(), help="First seen on this day or later.")
@click.option("--until", type=Day(), help="First seen on this day or earlier.")
@limit_option
@json_option
@pass_acting
def list_pages(
    acting: ActingCommand,
    host: str | None,
    title: str | None,
    charset: str | None,
    status: int | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> None:
    """List the pages that meet all conditions, most recently discovered first."""
    end = until and until + timedelta(days=1)
    wanted = PageFilter(host=host, title=title, charset=charset, status=status, since=since, until=end)
    pages = acting.product.store.pages.search(wanted, limit=limit)
    heads = ("编号 id", "标题 title", "域名 host", "状态 status", "编码 charset", "字数 length", "首次抓取 first seen")
    print_records(
        [to_plain(page) for page in pages],
        heads,
        (
            (page.id, page.title, page.host, page.capture.status, page.charset, character_count(page), page.first_seen)
            for page in pages
        ),
    )


@pages.command()
@click.argument("page")
@click.option("--text", "with_text", is_flag=True, help="Print the text as extracted, and nothing else.")
@click.option("--raw", is_flag=True, help="Print the beginning of the page as its server sent it, and nothing else.")
@json_option
@pass_acting
def show(acting: ActingCommand, page: str, with_text: bool, raw: bool) -> None:
    """Show the candidate works of a PAGE (id or URL), and why each did or did not open a case."""
    app = acting.product
    found_page = find_page(app, page)
    if with_text:
        click.echo(page_text(app, found_page))
        return
    if raw:
        body = load_raw_body(app, found_page)
        if body is None:
            raise click.ClickException("the body is no text, or is no longer kept")
        click.echo(body.text)
        return
    from wenhen.texts.source_lookup import find_near_works

    near, posts = find_near_works(app, found_page), posts_of_page(app, found_page)
    if wants_json():
        print_json(to_plain(found_page) | {"near": to_plain(list(near)), "posts": to_plain(list(posts))})
        return
    facts = (
        found_page.id,
        found_page.url,
        found_page.title,
        found_page.capture.status,
        found_page.charset,
        character_count(found_page),
        found_page.captures,
    )
    names = ("编号 id", "地址 url", "标题 title", "状态 status", "编码 charset", "字数 length", "抓取 captures")
    print_table(("", ""), list(zip(names, facts, strict=True)))
    rows = [
        (
            near_work.work_title,
            near_work.hits,
            near_work.share_of_page,
            near_work.longest_run,
            near_work.score,
            near_work.nearness,
        )
        for near_work in near
    ]
    if posts:
        post_rows = [
            (post.floor, post.author, post.written_at, post.precision, post.end - post.start) for post in posts
        ]
        print_table(("楼 post", "作者 author", "时间 written", "精度 precision", "字数 length"), post_rows)
    print_table(("作品 work", "特征 hits", "占网页 share", "最长 longest", "可能 score", "结果 outcome"), rows)
