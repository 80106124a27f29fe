"""Message keys that came with the data, in words: why a match has its level, what a run counted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dashboard.frame.display import grouped
from dashboard.frame.language import catalogue, language, named, t
from services.sites.site_standing import Nothing
from store.records import Match
from store.rules.percent import percent

_AGAINST: Final = frozenset({"differing", "subject", "rival"})  # of `matcher.suspicion.reasons`


class Weighed(NamedTuple):
    """What speaks for a copy or a suspicion, and what against."""

    for_it: list[str]
    against: list[str]


def speaks_against(reason: str) -> bool:
    """Whether a message key with its figure is a doubt."""
    return reason.partition(":")[0] in _AGAINST


def weighed(reasons: Sequence[str]) -> Weighed:
    """Message keys in the reader's words."""
    return Weighed(
        [reason_text(one) for one in reasons if not speaks_against(one)],
        [reason_text(one) for one in reasons if speaks_against(one)],
    )


def reason_text(reason: str) -> str:
    """A message key with its figure in the reader's language."""
    return reason_text_in(language(), reason)


def reason_text_in(chosen: str, reason: str) -> str:
    """A message key with its figure (``share_of_page:0.83``) in a language; an unknown one as it is."""
    key, _, figure = reason.partition(":")
    found = catalogue().find(chosen, f"reason.{key}", figure=figure, percent=_percent(figure))
    return (found if figure else None) or reason


def worth_text(match: Match) -> str:
    """Why a case is worth a look: how much of which text, and how many letters that others do not have."""
    share, of = max((match.share_of_page, "page"), (match.share_of_work, "work"))
    return t(f"worth.of_{of}", share=percent(share), letters=grouped(round(max(0.0, match.weight))))


def counted(name: str) -> str:
    """What a run counted; a crawl tells refusals and failures by reason (``refused_robots``, ``failed_http_404``)."""
    outcome, _, reason = name.partition("_")
    if outcome not in {"refused", "failed"} or not reason:
        return named("count", name)
    return t(f"count.{outcome}_for", reason=missed_for(reason))


def missed_for(reason: str) -> str:
    """The word by which a crawl counts addresses that gave nothing."""
    return f"HTTP {reason[5:]}" if reason.startswith("http_") else named("fetch", reason)


def why_words(nothing: Nothing) -> str:
    """Why a site gave nothing and what to do about it; what happened there, where no advice is known."""
    found = catalogue().find(language(), f"why.{nothing.why}") if nothing.why else None
    return found or (nothing.said.text(language()) if nothing.said else t("sites.no_reason"))


def _percent(figure: str) -> str:
    try:
        return percent(float(figure))
    except ValueError:
        return figure
