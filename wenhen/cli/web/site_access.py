"""How a site is reached: the part of `wenhen sites` that concerns robots.txt, sessions, proxies, headers, browsers."""

import dataclasses
from typing import TYPE_CHECKING, TextIO

import click

from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, plain, print_json, print_table

if TYPE_CHECKING:
    from services.acting import Acting
    from wenhen.wiring import App


by_option = click.option("--by", help="Who decided it, if it was not you.")


def _decided(app: "App", by: str | None) -> "Acting":
    """Whoever decided it; the log says as well who wrote it down."""
    acting = acting_of(app)
    return dataclasses.replace(acting, who=f"{by} ({acting.who})") if by else acting


@click.command()
@click.argument("id_", metavar="ID")
@json_option
@click.pass_context
def show(ctx: click.Context, id_: str, as_json: bool) -> None:
    """Show a site's settings and how it is reached: of cookies the names, of proxies no passwords."""
    from store.rules.web.shown_access import without_secrets

    with opened(ctx) as app:
        site = app.store.sites.get(id_)
        access = without_secrets(app.store.accesses.get(id_))
    shown = {**plain(site), "cookies": plain(access.cookies), "proxies": list(access.proxies)}
    if as_json:
        print_json(shown)
        return
    words = dataclasses.asdict(site) | {
        "interval_hours": f"{site.interval_hours:g}",
        "delay": None if site.delay is None else f"{site.delay:g}",
        "cookies": [f"{cookie.name}@{cookie.domain}" for cookie in access.cookies],
        "proxies": access.proxies,
    }
    rows = [(name, " ".join(value) if isinstance(value, list | tuple) else value) for name, value in words.items()]
    print_table(("设置 setting", "值 value"), rows, title=site.name)


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("file", type=click.File(encoding="utf-8"), required=False)
@click.option("--forget", is_flag=True, help="End the session: forget the cookies.")
@by_option
@click.pass_context
def cookies(ctx: click.Context, id_: str, file: TextIO | None, forget: bool, by: str | None) -> None:
    """Bring a session along: FILE (- for standard input) is a cookies.txt, or a Cookie header as a browser shows it.

    The cookies are kept for the site and follow what it sets while it is crawled.
    """
    from services.sites.site_access import begin_session, end_session

    if (file is None) != forget:
        raise click.UsageError("give a FILE with cookies, or --forget")
    with opened(ctx) as app:
        if file is None:
            end_session(_decided(app, by), id_)
        else:
            click.echo(" ".join(cookie.name for cookie in begin_session(_decided(app, by), id_, file.read())))


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("urls", nargs=-1)
@by_option
@click.pass_context
def proxies(ctx: click.Context, id_: str, urls: tuple[str, ...], by: str | None) -> None:
    """Fetch a site through these proxies alone (http://user:password@host:port); without any, as the settings say.

    A password written as *** stays as it is.
    """
    from services.sites.site_access import set_proxies

    with opened(ctx) as app:
        set_proxies(_decided(app, by), id_, urls)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--ignore", "reason", metavar="REASON", help="Fetch what robots.txt forbids; why.")
@click.option("--obey", is_flag=True, help="Obey robots.txt again.")
@by_option
@click.pass_context
def robots(ctx: click.Context, id_: str, reason: str | None, obey: bool, by: str | None) -> None:
    """Override a site's robots.txt, or obey it again; the decision is kept with its reason."""
    from services.sites.site_access import obey_robots, override_robots

    if (reason is None) != obey:
        raise click.UsageError("give --ignore REASON, or --obey")
    with opened(ctx) as app:
        if reason is None:
            obey_robots(_decided(app, by), id_)
        else:
            override_robots(_decided(app, by), id_, reason=reason)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--decipher", "reason", metavar="REASON", help="Read its pages as their fonts show them; why.")
@click.option("--leave", is_flag=True, help="Decipher its fonts no more.")
@by_option
@click.pass_context
def fonts(ctx: click.Context, id_: str, reason: str | None, leave: bool, by: str | None) -> None:
    """Decipher fonts that show other characters than a site's pages hold; the decision is kept with its reason."""
    from services.sites.site_access import decipher_fonts, leave_fonts

    if (reason is None) != leave:
        raise click.UsageError("give --decipher REASON, or --leave")
    with opened(ctx) as app:
        if reason is None:
            leave_fonts(_decided(app, by), id_)
        else:
            decipher_fonts(_decided(app, by), id_, reason=reason)


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("mode", type=click.Choice(["on", "off", "unlearn", "learn"]))
@click.pass_context
def render(ctx: click.Context, id_: str, mode: str) -> None:
    """Read all pages of a site after their scripts have run in a browser (needs wenhen[browser] and a Chromium): on, or
    off. What a crawl has learned, to render the empty ones: unlearn it, or let crawls learn it again.
    """
    from services.crawls.learned_rendering import try_rendering, unlearn_rendering
    from services.sites.sites import edit

    with opened(ctx) as app:
        if mode == "unlearn":
            unlearn_rendering(acting_of(app), id_)
        elif mode == "learn":
            try_rendering(acting_of(app), id_)
        else:
            edit(acting_of(app), id_, {"render": mode})


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("profile")
@click.pass_context
def headers(ctx: click.Context, id_: str, profile: str) -> None:
    """Ask a site with another set of headers: default, traditional, compatible, mobile; all name the crawler."""
    from services.sites.sites import edit

    with opened(ctx) as app:
        edit(acting_of(app), id_, {"headers": profile})


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.argument("hosts", nargs=-1)
@json_option
@click.pass_context
def mirrors(ctx: click.Context, id_: str | None, hosts: tuple[str, ...], as_json: bool) -> None:
    """List the hosts that carry the same pages as another, as crawls found them; or declare those of a site: HOSTS are
    counted as its first host, and fetched only there.
    """
    from services.sites.sites import edit

    with opened(ctx) as app:
        if id_ is not None:
            edit(acting_of(app), id_, {"mirrors": " ".join(hosts)})
        found = app.store.mirrors.all()
    if as_json:
        print_json(found)
        return
    print_table(
        ("主机 host", "镜像自 mirror of", "相同页面 equal pages", "始于 since"),
        [(one.id, one.main, one.pages or "", one.known_since) for one in found],
        title=str(len(found)),
    )


COMMANDS = (show, cookies, proxies, robots, fonts, render, headers, mirrors)
