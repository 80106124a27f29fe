"""A crawl beside the one before it: what is another now, before anybody misses a text."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from crawler.crawl.address_counts import MEANT, Found
from services.context import Product
from store.messages import Message, message
from store.records import Run, RunKind, RunState

LEAST: Final = 10  # addresses, or pages, below which nothing is concluded
FEWER: Final = 0.5  # of the pages of before
MORE: Final = 0.2  # by which the share of the addresses that gave nothing grows
LIKE: Final = 0.5  # classes that two templates share, of those that either has
MOST_OF: Final = 0.6  # of the pages, in whose language the site is
LOOKED_BACK: Final = 10  # runs
_MISSED: Final = ("refused", "failed")


def differences(product: Product, run: Run, counts: Mapping[str, int]) -> list[Message]:
    """What is another than in the last whole crawl of the same site; nothing of a run that was stopped, or is of
    single pages.
    """
    if run.recrawl or run.kind is not RunKind.CRAWL or run.state is RunState.STOPPING:
        return []
    before = _before(product, run)
    return [] if before is None else [*_in_numbers(before.counts, counts), *_in_looks(before, run)]


def _before(product: Product, run: Run) -> Run | None:
    recent = product.store.runs.recent(kind=RunKind.CRAWL, subject=run.subject, limit=LOOKED_BACK)
    whole = (one for one in recent if one.ended_at and not one.recrawl and one.state is not RunState.STOPPING)
    return next((one for one in whole if one.started_at < run.started_at), None)


def _in_numbers(before: Mapping[str, int], now: Mapping[str, int]) -> Iterator[Message]:
    there, here = _pages(before), _pages(now)
    if there >= LEAST and here < FEWER * there:
        yield message("crawls.fewer_pages", before=there, count=here)
    missed = _missed(now)
    if missed >= LEAST and _share(now) > _share(before) + MORE:
        reasons, earlier = _by_reason(now), _by_reason(before)
        most = max(reasons, key=lambda reason: reasons[reason] - earlier[reason])
        yield message("crawls.more_missed", before=_missed(before), count=missed, reason=most)


def _in_looks(before: Run, run: Run) -> Iterator[Message]:
    pages = sum(run.languages.values())
    if pages < LEAST or sum(before.languages.values()) < LEAST:
        return
    one, other = set(before.template), set(run.template)
    if len(one & other) < LIKE * len(one | other):
        gone = sorted(one - other) or ["–"]
        yield message("crawls.other_template", classes=" ".join(gone[:5]))
    was, now = _language(before.languages), _language(run.languages)
    if was and now and was != now:
        yield message("crawls.other_language", before=was, now=now)


def _pages(counts: Mapping[str, int]) -> int:
    return counts.get("fetched", 0) + counts.get(Found.RESTED, 0)


def _missed(counts: Mapping[str, int]) -> int:
    return sum(_by_reason(counts).values())


def _by_reason(counts: Mapping[str, int]) -> Counter[str]:
    """How many addresses gave no page, but for those that somebody wanted left out."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        outcome, _, reason = name.partition("_")
        if outcome in _MISSED and reason and reason not in MEANT:
            found[reason] += count
    return found


def _share(counts: Mapping[str, int]) -> float:
    return _missed(counts) / max(1, _missed(counts) + _pages(counts))


def _language(languages: Mapping[str, int]) -> str | None:
    """The one of most of the pages, without its region; None where it is none."""
    spoken: dict[str, int] = {}
    for tag, pages in languages.items():
        name = tag.partition("-")[0].lower()
        spoken[name] = spoken.get(name, 0) + pages
    most = max(spoken, key=lambda name: spoken[name], default="")
    return most if most and spoken[most] >= MOST_OF * sum(spoken.values()) else None
