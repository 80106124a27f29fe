"""Format figures, times, addresses, statuses and match reasons for pages."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from flask import Flask
from markupsafe import Markup, escape

from crawler.addresses import host_of, readable_host
from crawler.extraction.model import Precision
from dashboard.frame.context import language, services, t, value_name
from matcher.alignment.aligned_span import Side, copied_length, count_characters
from matcher.model import Match, Passage
from wenhen.alerts.mentions import mention_pattern
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_deadlines import is_overdue
from wenhen.dossiers.service import NoPageReason
from wenhen.kit.clock import CHINA, day_or_moment
from wenhen.kit.text import character_count, percent, percent_parts
from wenhen.reports.wording import (
    NO_VALUE,
    catalogue,
    format_local_time,
    format_post_time,
    group_digits,
    on_day,
    reason_text_in,
)

_WEB_ADDRESS: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)


def when(moment: datetime | None) -> Markup | str:
    """Return a time element with the time in Beijing to the minute."""
    if moment is None:
        return NO_VALUE
    local = moment.astimezone(CHINA)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        local.isoformat(timespec="seconds"), format_local_time(moment) + " UTC+8", local.strftime("%Y-%m-%d %H:%M")
    )


def day_or_when(moment: datetime | None) -> Markup | str:
    """Return a time element as `when` does, or with the day alone if the hour is unknown."""
    if moment is None or isinstance(day_or_moment(moment), datetime):
        return when(moment)
    return Markup('<time datetime="{0}">{0}</time>').format(on_day(moment))


def day(moment: datetime) -> Markup:
    """Return a time element with the day in Beijing. Its tooltip has the minute."""
    return Markup('<time datetime="{}" title="{} UTC+8">{}</time>').format(
        moment.astimezone(CHINA).isoformat(timespec="seconds"), format_local_time(moment), on_day(moment)
    )


def about_when(moment: datetime, precision: str | None) -> Markup | str:
    """Return the time of a post with the precision that is known."""
    if precision is None or precision == Precision.MINUTE:
        return when(moment)
    return Markup('<time datetime="{}">{}</time>').format(on_day(moment), format_post_time(moment, precision))


def duration(span: timedelta) -> str:
    """Format a duration as h:mm:ss."""
    return str(timedelta(seconds=int(span.total_seconds())))


def file_size(count: int) -> str:
    """Format a number of bytes as B, KB or MB. It never rounds down to zero."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:,.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:,.1f} MB"


def copied_characters(passage: Passage) -> int:
    """Count the copied characters of a passage on the page, without white space."""
    counted = passage.page_characters
    return copied_length([passage], Side.PAGE) if counted is None else counted


def web_link(url: str, *, ascii_beside: bool = False) -> Markup:
    """Return a crawled address as a link if it is plain http or https, else as text.

    An internationalised host stands as people write it. ascii_beside: whether the address as it was fetched follows.
    """
    if not _WEB_ADDRESS.match(url):
        return Markup('<code class="address">{}</code>').format(url)
    host = host_of(url)
    shown = url.replace(f"//{host}", f"//{readable_host(host)}", 1) if host else url
    link = Markup('<a class="address" href="{}" rel="noopener noreferrer nofollow" target="_blank">{}</a>')
    beside = Markup(' <code class="address">{}</code>').format(url) if ascii_beside and shown != url else Markup()
    return link.format(url, shown) + beside


_REMARK_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'，。；、（）]+")


def remark(text: str, people: Sequence[str]) -> Markup:
    """Render a comment with its addresses as links and its mentioned users highlighted."""
    markup, offset = Markup(), 0
    for match in _REMARK_ADDRESS.finditer(text):
        markup += _mark_names(text[offset : match.start()], people) + web_link(match.group())
        offset = match.end()
    return markup + _mark_names(text[offset:], people)


def _mark_names(text: str, people: Sequence[str]) -> Markup:
    markup, offset = Markup(), 0
    for match in mention_pattern(people).finditer(text):
        markup += escape(text[offset : match.start()]) + Markup("<b>{}</b>").format(match.group())
        offset = match.end()
    return markup + escape(text[offset:])


def install_formats(app: Flask) -> None:
    """Register these functions for templates."""
    for function in (
        when,
        day_or_when,
        day,
        about_when,
        on_day,
        duration,
        file_size,
        copied_characters,
        character_count,
        web_link,
        remark,
    ):
        app.add_template_filter(function)
    app.add_template_filter(format_local_time, "local_time")  # plain, for the middle of a sentence
    app.add_template_filter(group_digits, "grouped")
    app.add_template_filter(percent, "percent")
    app.add_template_global(percent_parts, "percent_parts")
    app.add_template_filter(readable_host, "host")
    app.add_template_filter(count_characters, "characters")
    app.add_template_test(lambda case: is_overdue(case, services().clock()), "overdue")


# The statuses that a screen counts: the everyday ones, and others if a case has them.


EVERYDAY_STATUSES: Final = frozenset(
    {CaseStatus.LEAD, CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT, CaseStatus.REMOVED}
)


def statuses_to_show(counts: Mapping[CaseStatus, int], chosen: CaseStatus | None = None) -> dict[CaseStatus, int]:
    """Return the counts to show, in the order of a case's path. `chosen` is the status in the filter.

    >>> statuses_to_show({CaseStatus.LEAD: 0, CaseStatus.SETTLED: 0, CaseStatus.CLOSED: 2})
    {<CaseStatus.LEAD: 'lead'>: 0, <CaseStatus.CLOSED: 'closed'>: 2}
    """
    return {
        status: counts[status]
        for status in CaseStatus
        if status in counts and (counts[status] or status in EVERYDAY_STATUSES or status == chosen)
    }


# Message keys of stored records in words: the reasons of a match, the counts of a run.


_REASONS_AGAINST: Final = frozenset({"differing", "subject", "rival"})  # reasons of `matcher.paraphrase.suspicions`


class WeighedReasons(NamedTuple):
    """The reasons for a copy or a suspicion, and the reasons against it."""

    for_it: list[str]
    against: list[str]


def speaks_against(reason: str) -> bool:
    """Return whether a message key with its figure is a reason against the suspicion."""
    return reason.partition(":")[0] in _REASONS_AGAINST


def weigh_reasons(reasons: Sequence[str]) -> WeighedReasons:
    """Translate message keys, and split them into reasons for and against."""
    return WeighedReasons(
        [reason_text(reason) for reason in reasons if not speaks_against(reason)],
        [reason_text(reason) for reason in reasons if speaks_against(reason)],
    )


def reason_text(reason: str) -> str:
    """Translate a message key with its figure to the reader's language."""
    return reason_text_in(language(), reason)


def worth_text(match: Match) -> str:
    """Say why a case matters: the copied share of page or work, and the number of distinctive letters."""
    share, owner = max((match.share_of_page, "page"), (match.share_of_work, "work"))
    return t(f"worth.of_{owner}", share=percent(share), letters=group_digits(round(max(0.0, match.weight))))


def counter_text(name: str) -> str:
    """Name a counter of a run.

    A crawl counts refusals and failures by reason (``refused_robots``, ``failed_http_404``).
    """
    outcome, _, reason = name.partition("_")
    if outcome not in {"refused", "failed"} or not reason:
        return value_name("count", name)
    return t(f"count.{outcome}_for", reason=miss_text(reason))


def miss_text(reason: str) -> str:
    """Name the reason by which a crawl counts missed addresses."""
    return f"HTTP {reason[5:]}" if reason.startswith("http_") else value_name("fetch", reason)


def why_words(nothing: NoPageReason) -> str:
    """Explain why a site gave no page, with advice. Without known advice, say what happened."""
    text = catalogue().find(language(), f"why.{nothing.why}") if nothing.why else None
    return text or (nothing.said.text(language()) if nothing.said else t("sites.no_reason"))
