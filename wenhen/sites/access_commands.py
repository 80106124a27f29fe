"""Define the commands of `wenhen sites` that set the access to a site."""

import dataclasses
from typing import TextIO

import click

from crawler.site_access import mask_access
from wenhen.cli.console import (
    ActingCommand,
    command_acting,
    json_option,
    open_product,
    pass_acting,
    print_records,
    to_plain,
)
from wenhen.sites.access import (
    clear_session_cookies,
    disable_font_deciphering,
    enable_font_deciphering,
    forget_rendering,
    override_robots,
    respect_robots,
    retry_rendering,
    set_proxies,
    set_session_cookies,
)
from wenhen.sites.service import edit_site

by_option = click.option("--by", help="Who decided it, if it was not you.")


def _acting_for(acting: ActingCommand, by: str | None) -> ActingCommand:
    """Return an `Acting` for the person who decided. The audit log also names the user who entered it."""
    return dataclasses.replace(acting, who=f"{by} ({acting.who})") if by else acting


@click.command()
@click.argument("id_", metavar="ID")
@json_option
@pass_acting
def show(acting: ActingCommand, id_: str) -> None:
    """Show the settings of a site and its access, without the values of cookies and the passwords of proxies."""
    site = acting.product.store.sites.get(id_)
    access = mask_access(acting.product.store.accesses.get(id_))
    shown = {**to_plain(site), "cookies": to_plain(access.cookies), "proxies": list(access.proxies)}
    words = dataclasses.asdict(site) | {
        "interval_hours": f"{site.interval_hours:g}",
        "delay": None if site.delay is None else f"{site.delay:g}",
        "cookies": [f"{cookie.name}@{cookie.domain}" for cookie in access.cookies],
        "proxies": access.proxies,
    }
    rows = ((name, " ".join(value) if isinstance(value, list | tuple) else value) for name, value in words.items())
    print_records(shown, ("设置 setting", "值 value"), rows, title=site.name)


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("file", type=click.File(encoding="utf-8"), required=False)
@click.option("--forget", is_flag=True, help="End the session: forget the cookies.")
@by_option
@click.pass_context
def cookies(ctx: click.Context, id_: str, file: TextIO | None, forget: bool, by: str | None) -> None:
    """Set the cookies of a session. FILE (- for standard input) is a cookies.txt or a Cookie header from a browser.

    The cookies are stored for the site and updated while it is crawled.
    """
    if (file is None) != forget:
        raise click.UsageError("give a FILE with cookies, or --forget")
    with open_product(ctx) as app:
        acting = _acting_for(command_acting(app), by)
        if file is None:
            clear_session_cookies(acting, id_)
        else:
            click.echo(" ".join(cookie.name for cookie in set_session_cookies(acting, id_, file.read())))


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("urls", nargs=-1)
@by_option
@pass_acting
def proxies(acting: ActingCommand, id_: str, urls: tuple[str, ...], by: str | None) -> None:
    """Fetch a site only through these proxies (http://user:password@host:port), or without any as the settings say.

    A password written as *** stays unchanged.
    """
    set_proxies(_acting_for(acting, by), id_, urls)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--ignore", "reason", metavar="REASON", help="Fetch what robots.txt forbids. Give the reason.")
@click.option("--obey", is_flag=True, help="Obey robots.txt again.")
@by_option
@click.pass_context
def robots(ctx: click.Context, id_: str, reason: str | None, obey: bool, by: str | None) -> None:
    """Ignore the robots.txt of a site, or obey it again. The decision is stored with its reason."""
    if (reason is None) != obey:
        raise click.UsageError("give --ignore REASON, or --obey")
    with open_product(ctx) as app:
        acting = _acting_for(command_acting(app), by)
        if reason is None:
            respect_robots(acting, id_)
        else:
            override_robots(acting, id_, reason=reason)


@click.command()
@click.argument("id_", metavar="ID")
@click.option(
    "--decipher", "reason", metavar="REASON", help="Read its pages as their fonts show them. Give the reason."
)
@click.option("--leave", is_flag=True, help="Stop deciphering its fonts.")
@by_option
@click.pass_context
def fonts(ctx: click.Context, id_: str, reason: str | None, leave: bool, by: str | None) -> None:
    """Decipher obfuscated fonts of a site, or stop it. The decision is stored with its reason."""
    if (reason is None) != leave:
        raise click.UsageError("give --decipher REASON, or --leave")
    with open_product(ctx) as app:
        acting = _acting_for(command_acting(app), by)
        if reason is None:
            disable_font_deciphering(acting, id_)
        else:
            enable_font_deciphering(acting, id_, reason=reason)


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("mode", type=click.Choice(["on", "off", "unlearn", "learn"]))
@pass_acting
def render(acting: ActingCommand, id_: str, mode: str) -> None:
    """Render all pages of a site in a browser (needs wenhen[browser] and a Chromium): on or off.

    A crawl may have learned to render the empty pages: unlearn this, or let crawls learn it again.
    """
    if mode == "unlearn":
        forget_rendering(acting, id_)
    elif mode == "learn":
        retry_rendering(acting, id_)
    else:
        edit_site(acting, id_, {"render": mode})


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("profile")
@pass_acting
def headers(acting: ActingCommand, id_: str, profile: str) -> None:
    """Choose the request headers for a site: default, traditional, compatible, mobile. All name the crawler."""
    edit_site(acting, id_, {"headers": profile})


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.argument("hosts", nargs=-1)
@json_option
@pass_acting
def mirrors(acting: ActingCommand, id_: str | None, hosts: tuple[str, ...]) -> None:
    """List the mirror hosts that crawls found, or declare the mirrors of a site.

    HOSTS count as the first host of the site, and pages are fetched only there.
    """
    if id_ is not None:
        edit_site(acting, id_, {"mirrors": " ".join(hosts)})
    mirror_list = acting.product.store.mirrors.all()
    print_records(
        mirror_list,
        ("主机 host", "镜像自 mirror of", "相同页面 equal pages", "始于 since"),
        ((mirror.id, mirror.main, mirror.pages or "", mirror.known_since) for mirror in mirror_list),
        title=str(len(mirror_list)),
    )


ACCESS_COMMANDS = (show, cookies, proxies, robots, fonts, render, headers, mirrors)
