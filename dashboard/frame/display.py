"""Format figures, times, addresses, statuses and match reasons for pages."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from flask import Flask
from markupsafe import Markup, escape

from crawler.addresses import readable_host
from crawler.extraction.model import Precision
from dashboard.frame.context import services
from dashboard.frame.language import language, named, t
from matcher.alignment.aligned_span import Side, copied_length, count_characters
from matcher.model import Match, Passage
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_requirements import is_overdue
from wenhen.dossiers.standing import NoPageReason
from wenhen.kit.clock import CHINA, day_or_moment
from wenhen.kit.text import percent
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
    """A time element, to the minute in Beijing time."""
    if moment is None:
        return NO_VALUE
    local = moment.astimezone(CHINA)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        local.isoformat(timespec="seconds"), format_local_time(moment) + " UTC+8", local.strftime("%Y-%m-%d %H:%M")
    )


def day_or_when(moment: datetime | None) -> Markup | str:
    """As `when`; the day alone where no hour is known."""
    if moment is None or isinstance(day_or_moment(moment), datetime):
        return when(moment)
    return Markup('<time datetime="{0}">{0}</time>').format(on_day(moment))


def day(moment: datetime) -> Markup:
    """A time element with the day in Beijing, and the minute as its tooltip."""
    return Markup('<time datetime="{}" title="{} UTC+8">{}</time>').format(
        moment.astimezone(CHINA).isoformat(timespec="seconds"), format_local_time(moment), on_day(moment)
    )


def about_when(moment: datetime, precision: str | None) -> Markup | str:
    """When a post was written, as exactly as it is known."""
    if precision is None or precision == Precision.MINUTE:
        return when(moment)
    return Markup('<time datetime="{}">{}</time>').format(on_day(moment), format_post_time(moment, precision))


def duration(span: timedelta) -> str:
    """Hours, minutes and seconds as h:mm:ss."""
    return str(timedelta(seconds=int(span.total_seconds())))


def file_size(count: int) -> str:
    """A number of bytes as B, KB or MB, never rounded down to nothing."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:,.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:,.1f} MB"


def copied_characters(passage: Passage) -> int:
    """How many characters of the page a passage copied, without white space."""
    counted = passage.page_characters
    return copied_length([passage], Side.PAGE) if counted is None else counted


def web_link(url: str) -> Markup:
    """A crawled address: a link only when it is plain http or https, else text."""
    if not _WEB_ADDRESS.match(url):
        return Markup('<code class="address">{}</code>').format(url)
    return Markup('<a class="address" href="{0}" rel="noopener noreferrer nofollow" target="_blank">{0}</a>').format(
        escape(url)
    )


_REMARK_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'，。；、（）]+")


def remark(text: str, people: Sequence[str]) -> Markup:
    """A comment with its addresses as links, and with the names that it mentions marked."""
    said, offset = Markup(), 0
    for match in _REMARK_ADDRESS.finditer(text):
        said += _mark_names(text[offset : match.start()], people) + web_link(match.group())
        offset = match.end()
    return said + _mark_names(text[offset:], people)


def _mark_names(text: str, people: Sequence[str]) -> Markup:
    marks = sorted((f"@{name}" for name in people), key=len, reverse=True)
    if not marks:
        return escape(text)
    pieces = re.split(f"({'|'.join(map(re.escape, marks))})", text)
    return Markup().join(
        Markup("<b>{}</b>").format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def install_formats(app: Flask) -> None:
    """Offer these to templates."""
    for function in (
        when,
        day_or_when,
        day,
        about_when,
        on_day,
        duration,
        file_size,
        copied_characters,
        web_link,
        remark,
    ):
        app.add_template_filter(function)
    app.add_template_filter(group_digits, "grouped")
    app.add_template_filter(percent, "percent")
    app.add_template_filter(readable_host, "host")
    app.add_template_filter(count_characters, "characters")
    app.add_template_test(lambda case: is_overdue(case, services().clock()), "overdue")


# Which statuses a screen counts: those of every day, and others where a case stands at one.


EVERYDAY_STATUSES: Final = frozenset(
    {CaseStatus.LEAD, CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT, CaseStatus.REMOVED}
)


def statuses_to_show(counts: Mapping[CaseStatus, int], chosen: CaseStatus | None = None) -> dict[CaseStatus, int]:
    """The counts to show, in the order of the way of a case. chosen: the one that the reader looks at.

    >>> statuses_to_show({CaseStatus.LEAD: 0, CaseStatus.SETTLED: 0, CaseStatus.CLOSED: 2})
    {<CaseStatus.LEAD: 'lead'>: 0, <CaseStatus.CLOSED: 'closed'>: 2}
    """
    return {
        status: counts[status]
        for status in CaseStatus
        if status in counts and (counts[status] or status in EVERYDAY_STATUSES or status == chosen)
    }


# Message keys that came with the data, in words: why a match has its level, what a run counted.


_REASONS_AGAINST: Final = frozenset({"differing", "subject", "rival"})  # of `matcher.paraphrase.suspicions`


class WeighedReasons(NamedTuple):
    """What speaks for a copy or a suspicion, and what against."""

    for_it: list[str]
    against: list[str]


def speaks_against(reason: str) -> bool:
    """Whether a message key with its figure is a doubt."""
    return reason.partition(":")[0] in _REASONS_AGAINST


def weigh_reasons(reasons: Sequence[str]) -> WeighedReasons:
    """Message keys in the reader's words."""
    return WeighedReasons(
        [reason_text(reason) for reason in reasons if not speaks_against(reason)],
        [reason_text(reason) for reason in reasons if speaks_against(reason)],
    )


def reason_text(reason: str) -> str:
    """A message key with its figure in the reader's language."""
    return reason_text_in(language(), reason)


def worth_text(match: Match) -> str:
    """Why a case is worth a look: how much of which text, and how many letters that others do not have."""
    share, of = max((match.share_of_page, "page"), (match.share_of_work, "work"))
    return t(f"worth.of_{of}", share=percent(share), letters=group_digits(round(max(0.0, match.weight))))


def counter_text(name: str) -> str:
    """What a run counted; a crawl tells refusals and failures by reason (``refused_robots``, ``failed_http_404``)."""
    outcome, _, reason = name.partition("_")
    if outcome not in {"refused", "failed"} or not reason:
        return named("count", name)
    return t(f"count.{outcome}_for", reason=miss_text(reason))


def miss_text(reason: str) -> str:
    """The word by which a crawl counts addresses that gave nothing."""
    return f"HTTP {reason[5:]}" if reason.startswith("http_") else named("fetch", reason)


def why_words(nothing: NoPageReason) -> str:
    """Why a site gave nothing and what to do about it; what happened there, where no advice is known."""
    text = catalogue().find(language(), f"why.{nothing.why}") if nothing.why else None
    return text or (nothing.said.text(language()) if nothing.said else t("sites.no_reason"))
