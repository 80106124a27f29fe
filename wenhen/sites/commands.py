"""Define `wenhen sites`: add, find, change, list and remove watched sites."""

from collections.abc import Callable
from typing import Any, BinaryIO

import click

from wenhen.cli.console import (
    ActingCommand,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_record,
    print_records,
    stderr_console,
)
from wenhen.kit.errors import NotFound
from wenhen.kit.text import percent
from wenhen.sites.access_commands import ACCESS_COMMANDS
from wenhen.sites.service import (
    add_site,
    choose_site_ids,
    edit_site,
    find_watched_sites,
    pause_site,
    resume_site,
    survey_site,
)

# The keys are the names in wenhen.sites.site_settings.SETTINGS.
SETTING_HELP = {
    "name": "Name for people; the first host otherwise.",
    "layout": "news (lists of articles), novel, sitemap, feed, or host (all of it).",
    "kind": "What it carries, as the kind of works: news, novel ... (see matcher.same_kind).",
    "every": "Hours between two crawls.  [default: 24]",
    "cron": "Instead: minute hour day month weekday, Asia/Shanghai, as in '30 3 * * *'.",
    "quiet": "Hours in which nothing is fetched, Asia/Shanghai: 07:30-22:00.",
    "include": "Fetch only addresses with one of these parts (* for anything, re: for expressions).",
    "exclude": "Fetch none with one of these.",
    "max_pages": "Pages a crawl, at most.  [default: 1000]",
    "max_depth": "Links from the start.  [default: 5]",
    "delay": "Seconds between two requests; as crawler.delay otherwise.",
    "concurrency": "Requests at a time; as crawler.concurrency otherwise.",
    "text_at": "Where the text of its pages stands, as a CSS selector: '#content'; found by itself otherwise.",
    "spider": "Crawl by a Scrapy spider of your own: module:Class, in the folder crawler.spiders or installed.",
    "render": "Read pages after their scripts have run in a browser: yes or no.",
    "headers": "Set of request headers: default, traditional, compatible, mobile; all name the crawler.",
    "mirrors": "Hosts with the same pages, fetched only at the first host.",
    "tags": "Words to choose sites by.",
    "notes": "For people.",
}
REGISTRATION_HEADINGS = (
    *("域名 domain", "注册商 registrar", "注册人 registrant", "投诉 abuse", "域名服务器 name servers"),
    *("注册 registered", "到期 expires"),
)
AUDIT_HEADINGS = ("站点 site", "已读 read", "显示字数 shown", "网页 page", "未读最长一段 longest unread")
tag_option = click.option("--tag", help="All sites with this tag.")


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add every setting as a text option to the command."""
    for name, about in reversed(SETTING_HELP.items()):
        command = click.option(f"--{name.replace('_', '-')}", name, help=about)(command)
    return command


@click.group()
def sites() -> None:
    """Manage watched sites."""


@sites.command()
@click.argument("urls", nargs=-1, required=True)
@click.option("--id", "id_", help="Id for commands. Default: the first host.")
@click.option("--host", "hosts", multiple=True, help="A further host that belongs to the site; may be repeated.")
@settings_options
@click.option("--internal", is_flag=True, help="Allow a private address.")
@json_option
@pass_acting
def add(
    acting: ActingCommand,
    /,
    urls: tuple[str, ...],
    id_: str | None,
    hosts: tuple[str, ...],
    internal: bool,
    **settings: str | None,
) -> None:
    """Watch a site with these start URLs. Its first crawl is due now, or run `wenhen crawl ID`."""
    written = {"urls": " ".join(urls), "hosts": " ".join(hosts), "internal": "yes" if internal else "no"}
    site = add_site(acting, written | _given_settings(settings), id=id_)
    print_record(site, f"{site.id}: {', '.join(site.hosts)}")


@sites.command()
@click.argument("ids", metavar="ID...", nargs=-1)
@tag_option
@click.option("--urls", help="Start addresses. They replace the present ones.")
@click.option("--hosts", help="Hosts that belong to the site beside those of its start addresses.")
@settings_options
@click.option("--internal", help="Whether a private address is allowed: yes or no.")
@pass_acting
def edit(acting: ActingCommand, /, ids: tuple[str, ...], tag: str | None, **settings: str | None) -> None:
    """Change sites. '' resets a setting. A running crawl adopts the new settings within seconds and drops waiting URLs
    that are now excluded.
    """
    for id_ in choose_site_ids(acting.product, ids, tag):
        edit_site(acting, id_, _given_settings(settings))


@sites.command("import")
@click.argument("file", type=click.File("rb"))
@json_option
@click.pass_context
def import_(ctx: click.Context, file: BinaryIO) -> None:
    """Add the sites of a CSV file (- for standard input) whose first line names the columns.

    The columns are urls, id and the options of `add`, with _ for -. Lists are separated by spaces. A JSON file of book
    sources of a reading app (Legado, 阅读) is also accepted: novel sites with their text selectors. Unusable lines are
    reported with a reason, and the others are added.
    """
    from wenhen.sites.import_export import import_sites

    with open_product(ctx) as app:
        done = import_sites(command_acting(app), file.read())
    for refused in done.refused:
        stderr_console().print(f"{refused.place.text('zh')} {refused.place}: {refused.reason}")
    print_record(done, f"添加 added {len(done.added)} · 拒绝 refused {len(done.refused)}")
    if done.refused and not done.added:
        ctx.exit(1)


@sites.command()
@click.argument("file", type=click.File("wb"))
@tag_option
@pass_acting
def export(acting: ActingCommand, file: BinaryIO, tag: str | None) -> None:
    """Export the sites with all settings as a CSV file (- for standard output) that `import` accepts.

    Cookies, and proxies with a password, are left out.
    """
    from wenhen.sites.import_export import export_sites_csv

    file.write(export_sites_csv(acting, tag))


@sites.command()
@click.argument("url")
@click.option("--add", "is_added", is_flag=True, help="Add the suggested site.")
@click.option("--internal", is_flag=True, help="Allow a private address.")
@json_option
@pass_acting
def find(acting: ActingCommand, url: str, is_added: bool, internal: bool) -> None:
    """Suggest how to crawl a site: by its sitemaps, its feeds, or its links."""
    surveyed = survey_site(acting, url, internal=internal)
    if is_added:
        add_site(acting, {**surveyed.setting_values(), "internal": "yes" if internal else "no"})
    rows = [("站点地图 sitemap", sitemap) for sitemap in surveyed.sitemaps] + [
        ("订阅源 feed", feed) for feed in surveyed.feeds
    ]
    print_records(surveyed, ("类型 type", "地址 address"), rows, title=f"{surveyed.name} · {surveyed.layout}")


@sites.command()
@click.argument("id_", metavar="ID")
@json_option
@pass_acting
def registration(acting: ActingCommand, id_: str) -> None:
    """Query RDAP for the registrants of the domains of a site, if the settings allow it. Every response is stored."""
    from wenhen.sites.registrations import query_registrations

    registrations = query_registrations(acting, id_)
    rows = (
        (
            x.domain,
            x.registrar,
            x.registrant,
            " ".join(x.abuse),
            " ".join(x.name_servers),
            x.registered_at,
            x.expires_at,
        )
        for x in registrations
    )
    print_records(registrations, REGISTRATION_HEADINGS, rows)


@sites.command("try")
@click.argument("id_", metavar="ID")
@json_option
@pass_acting
def try_(acting: ActingCommand, id_: str) -> None:
    """Show which URLs a crawl of a site would request, in order. 20 pages are fetched for their links, none is
    stored.
    """
    from wenhen.crawls.service import try_site

    tried = try_site(acting, id_)
    outcomes = dict.fromkeys(tried.pages, "网页 page") | {url: str(why) for url, why in tried.missed}
    rows = [(url, outcomes.get(url, "")) for url in tried.asked]
    rows += [(url, why) for url, why in outcomes.items() if url not in set(tried.asked)]
    print_records(tried._asdict(), ("地址 address", "结果 outcome"), rows, title=str(len(rows)))


@sites.command()
@click.argument("ids", metavar="ID...", nargs=-1)
@tag_option
@click.option(
    "--pages", type=click.IntRange(1, 200), default=20, show_default=True, help="Maximum number for each site."
)
@click.option("--last", is_flag=True, help="Show the last result instead.")
@json_option
@pass_acting
def audit(acting: ActingCommand, ids: tuple[str, ...], tag: str | None, pages: int, last: bool) -> None:
    """Measure how much of the visible text of sites is extracted: some stored pages are rendered, the worst come first.

    Lines that a site shows on most pages do not count. Workers with a browser do this once a week.
    """
    from wenhen.crawls.reading_audit import audit_reading, last_audit

    named = choose_site_ids(acting.product, ids, tag)
    looked = [last_audit(acting.product, id_) if last else audit_reading(acting, id_, most=pages) for id_ in named]
    audits = sorted(
        (site_audit for site_audit in looked if site_audit),
        key=lambda site_audit: 1 if site_audit.share is None else site_audit.share,
    )
    rows = (
        (site_audit.site_id, page.share, page.visible, page.url, page.unread)
        for site_audit in audits
        for page in site_audit.pages
    )
    shares = [
        f"{site_audit.site_id} {'—' if site_audit.share is None else percent(site_audit.share)}"
        for site_audit in audits
    ]
    print_records(audits, AUDIT_HEADINGS, rows, title=" · ".join(shares))


@sites.command()
@click.argument("ids", metavar="ID...", nargs=-1)
@tag_option
@pass_acting
def pause(acting: ActingCommand, ids: tuple[str, ...], tag: str | None) -> None:
    """Pause the scheduled crawls of sites. A running crawl continues (see `wenhen runs pause`)."""
    for id_ in choose_site_ids(acting.product, ids, tag):
        pause_site(acting, id_)


@sites.command()
@click.argument("ids", metavar="ID...", nargs=-1)
@tag_option
@pass_acting
def resume(acting: ActingCommand, ids: tuple[str, ...], tag: str | None) -> None:
    """Resume the scheduled crawls of paused sites."""
    for id_ in choose_site_ids(acting.product, ids, tag):
        resume_site(acting, id_)


def _given_settings(settings: dict[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in settings.items() if text is not None}


@sites.command("list")
@tag_option
@json_option
@pass_acting
def list_(acting: ActingCommand, tag: str | None) -> None:
    """List the sites with their last and next crawl."""
    watched_sites = find_watched_sites(acting.product, tag)
    last = {}
    for site in watched_sites:
        if site.last_run_id:
            try:
                last[site.id] = acting.product.store.runs.get(site.last_run_id)
            except NotFound:
                continue
    rows = [
        (
            *(s.id, s.name, " ".join(s.hosts), s.layout, s.cron or f"{s.interval_hours:g} h"),
            "暂停 paused" if s.paused else s.due,
            last[s.id].ended_at if s.id in last else None,
            " ".join((*s.tags, *(["内部 internal"] if s.internal else []))),
        )
        for s in watched_sites
    ]
    columns = ("编号 id", "名称 name", "主机 hosts", "方式 layout", "周期 every", "下次 next", "上次 last", "标签 tags")
    print_records(watched_sites, columns, rows, title=str(len(rows)))


@sites.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Remove watched sites. Their pages and cases stay."""
    from wenhen.crawls.service import remove_site

    for id_ in ids:
        remove_site(acting, id_)


for command in ACCESS_COMMANDS:
    sites.add_command(command)
