"""How figures, times and addresses look on a page."""

import re
from datetime import datetime, timedelta
from typing import Final

from flask import Flask
from markupsafe import Markup, escape

from crawler.extract.posts.post import Precision
from dashboard.frame.context import services
from matcher.verdict.copied_shares import Side, copied
from store.records import Passage
from store.rules.cases.deadlines import overdue
from store.rules.china_time import CHINA, day_of, day_or_moment
from store.rules.percent import percent

NOTHING: Final = "—"
_WEB: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)


def local_time(at: datetime) -> str:
    """Beijing time to the second; the store keeps UTC."""
    return at.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S")


def when(at: datetime | None) -> Markup | str:
    """A time element, to the minute in Beijing time."""
    if at is None:
        return NOTHING
    local = at.astimezone(CHINA)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        local.isoformat(timespec="seconds"), local_time(at) + " UTC+8", local.strftime("%Y-%m-%d %H:%M")
    )


def day_or_when(at: datetime | None) -> Markup | str:
    """As `when`; the day alone where no hour is known."""
    if at is None or isinstance(day_or_moment(at), datetime):
        return when(at)
    return Markup('<time datetime="{0}">{0}</time>').format(on_day(at))


def about_when(at: datetime, precision: str | None) -> Markup | str:
    """When a post was written, as exactly as it is known."""
    if precision is None or precision == Precision.MINUTE:
        return when(at)
    return Markup('<time datetime="{}">{}</time>').format(on_day(at), about(at, precision))


def about(at: datetime, precision: str | None) -> str:
    """The same in words: a day where no more is known, and a sign before what is near enough.

    >>> about(datetime.fromisoformat("2026-05-01T01:20:00+00:00"), Precision.HOUR)
    '≈ 2026-05-01 09:20'
    """
    if precision == Precision.DAY:
        return on_day(at)
    return f"{'≈ ' if precision == Precision.HOUR else ''}{local_time(at)[:-3]}"


def on_day(at: datetime) -> str:
    """The day in China, as in the form that asked for it."""
    return day_of(at).isoformat()


def duration(span: timedelta) -> str:
    """Hours, minutes and seconds as h:mm:ss."""
    return str(timedelta(seconds=int(span.total_seconds())))


def grouped(number: int) -> str:
    """Thousands apart."""
    return f"{number:,}"


def file_size(count: int) -> str:
    """A number of bytes as B, KB or MB, never rounded down to nothing."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:,.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:,.1f} MB"


def copied_characters(passage: Passage) -> int:
    """How many characters of the page a passage copied."""
    return copied([passage], Side.PAGE)


def web_link(url: str) -> Markup:
    """A crawled address: a link only when it is plain http or https, else text."""
    if not _WEB.match(url):
        return Markup('<code class="address">{}</code>').format(url)
    return Markup('<a class="address" href="{0}" rel="noopener noreferrer nofollow" target="_blank">{0}</a>').format(
        escape(url)
    )


def install(app: Flask) -> None:
    """Offer these to templates."""
    for function in (
        when,
        day_or_when,
        about_when,
        on_day,
        duration,
        grouped,
        file_size,
        copied_characters,
        web_link,
    ):
        app.add_template_filter(function)
    app.add_template_filter(percent, "percent")
    app.add_template_test(lambda case: overdue(case, services().clock()), "overdue")
