"""Compare a crawl with the previous one, and list the URLs that gave no page or still wait."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

from crawler.job import is_url_match
from crawler.ports import FrontierEntry, PageChange, entry_url
from crawler.skip_reasons import INTENDED_REASONS
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.kit.errors import BadInput, Conflict, Message, message
from wenhen.kit.rights import Right
from wenhen.steps.problems import Problem

# Differences between a crawl and the previous one show early that a site changed and texts may be missed.


MIN_COMPARED_PAGES: Final = 10  # URLs, or pages, below which nothing is reported
FEWER_PAGES_SHARE: Final = 0.5  # of the pages of the previous run
MORE_MISSED_SHARE: Final = 0.2  # increase of the share of URLs that gave no page
LIKENESS_SHARE: Final = 0.5  # Jaccard similarity of the CSS classes of two templates
MAJORITY_SHARE: Final = 0.6  # share of pages that determines the language of a site
MAX_EARLIER_RUNS: Final = 10  # runs
_MISSED_COUNTS: Final = ("refused", "failed")


def run_differences(product: Product, run: Run, counts: Mapping[str, int]) -> list[Message]:
    """Return the differences between a run and the previous complete crawl of the same site.

    The list is empty for a recrawl, a stopped run, or a run that is no crawl.
    """
    if run.recrawl or run.kind is not RunKind.CRAWL or run.state is RunState.STOPPING:
        return []
    before = _previous_run(product, run)
    return (
        [] if before is None else [*_number_differences(before.counts, counts), *_appearance_differences(before, run)]
    )


def _previous_run(product: Product, run: Run) -> Run | None:
    recent = product.store.runs.recent(kind=RunKind.CRAWL, subject=run.subject, limit=MAX_EARLIER_RUNS)
    whole = (
        earlier
        for earlier in recent
        if earlier.ended_at and not earlier.recrawl and earlier.state is not RunState.STOPPING
    )
    return next((earlier for earlier in whole if earlier.started_at < run.started_at), None)


def _number_differences(before: Mapping[str, int], now: Mapping[str, int]) -> Iterator[Message]:
    previous, current = _count_pages(before), _count_pages(now)
    if previous >= MIN_COMPARED_PAGES and current < FEWER_PAGES_SHARE * previous:
        yield message("crawls.fewer_pages", before=previous, count=current)
    missed = _count_missed(now)
    if missed >= MIN_COMPARED_PAGES and _missed_share(now) > _missed_share(before) + MORE_MISSED_SHARE:
        reasons, earlier = _count_by_reason(now), _count_by_reason(before)
        most = max(reasons, key=lambda reason: reasons[reason] - earlier[reason])
        yield message("crawls.more_missed", before=_count_missed(before), count=missed, reason=most)


def _appearance_differences(before: Run, run: Run) -> Iterator[Message]:
    pages = sum(run.languages.values())
    if pages < MIN_COMPARED_PAGES or sum(before.languages.values()) < MIN_COMPARED_PAGES:
        return
    old, other = set(before.template), set(run.template)
    if len(old & other) < LIKENESS_SHARE * len(old | other):
        gone = sorted(old - other) or ["–"]
        yield message("crawls.other_template", classes=" ".join(gone[:5]))
    was, now = _main_language(before.languages), _main_language(run.languages)
    if was and now and was != now:
        yield message("crawls.other_language", before=was, now=now)


def _count_pages(counts: Mapping[str, int]) -> int:
    return counts.get("fetched", 0) + counts.get(PageChange.RESTED, 0)


def _count_missed(counts: Mapping[str, int]) -> int:
    return sum(_count_by_reason(counts).values())


def _count_by_reason(counts: Mapping[str, int]) -> Counter[str]:
    """Return the number of URLs that gave no page by reason, without those excluded on purpose."""
    count_by_reason: Counter[str] = Counter()
    for name, count in counts.items():
        outcome, _, reason = name.partition("_")
        if outcome in _MISSED_COUNTS and reason and reason not in INTENDED_REASONS:
            count_by_reason[reason] += count
    return count_by_reason


def _missed_share(counts: Mapping[str, int]) -> float:
    return _count_missed(counts) / max(1, _count_missed(counts) + _count_pages(counts))


def _main_language(languages: Mapping[str, int]) -> str | None:
    """Return the primary language of most pages, without its region. None if there is none."""
    spoken: dict[str, int] = {}
    for tag, pages in languages.items():
        name = tag.partition("-")[0].lower()
        spoken[name] = spoken.get(name, 0) + pages
    most = max(spoken, key=lambda name: spoken[name], default="")
    return most if most and spoken[most] >= MAJORITY_SHARE * sum(spoken.values()) else None


MAX_MISSED_ADDRESSES: Final = 1_000  # of one run


def find_missed_addresses(store: Store, run_id: str) -> dict[str, list[Problem]]:
    """Return the URLs of a run that gave no page by kind of problem, most frequent kind first.

    A problem that recurred later is listed under the later run. Crawler traps and unreachable hosts are listed by their
    first URL only.
    """
    problems = store.problems.of_run(run_id, MAX_MISSED_ADDRESSES)
    by_kind = {kind or "": list(group) for kind, group in groupby(problems, key=lambda problem: problem.kind)}
    return dict(sorted(by_kind.items(), key=lambda pair: -len(pair[1])))


# The frontier of a running crawl: list the waiting URLs, and drop some of them.


MAX_PATTERN_CHARACTERS: Final = 500  # characters of a pattern
SHOWN_WAITING_ADDRESSES: Final = 100  # URLs, unless more are requested
DROP_BATCH_SIZE: Final = 1_000  # URLs dropped per request


@dataclass(frozen=True, slots=True)
class Waiting:
    """The number of waiting URLs, and the first ones in their order."""

    count: int
    first: tuple[str, ...]


def find_waiting(product: Product, run_id: str, pattern: str = "", most: int = SHOWN_WAITING_ADDRESSES) -> Waiting:
    """Return the waiting URLs of a run that match a pattern (`crawler.job.is_url_match`), or all without one.

    URLs that crawlers have already claimed are not included.

    Raises `NotFound`, `Unavailable`, and `BadInput` for an invalid pattern.
    """
    count, first = 0, list[str]()
    for entry in _matching_entries(product, run_id, pattern):
        count += 1
        if len(first) < most:
            first.append(entry_url(entry))
    return Waiting(count, tuple(first))


@audited("run.drop")
def drop_waiting_addresses(acting: Acting, id: str, pattern: str) -> ChangeResult[int]:
    """Drop the waiting URLs of this run that match a pattern, and return their number.

    The next run finds them again. The settings of a site exclude URLs for good.

    Raises `NotFound`, `Unavailable`, `BadInput` for a missing or invalid pattern, and `Conflict` if the run has ended.
    """
    acting.require(Right.CRAWL)
    product, pattern = acting.product, pattern.strip()
    if not pattern:
        raise BadInput("crawls.drop_what")
    run = product.store.runs.get(id)
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        raise Conflict("crawls.not_now", id=id, state=Message("crawls.ended"))
    frontier, ids, dropped = (
        product.frontier(run, None),
        (entry.id for entry in _matching_entries(product, id, pattern)),
        0,
    )
    while part := tuple(islice(ids, DROP_BATCH_SIZE)):
        dropped += frontier.drop(part)
    return change_result(dropped, AuditLine(f"run:{id}", new={"pattern": pattern, "count": str(dropped)}))


def _matching_entries(product: Product, run_id: str, pattern: str) -> Iterator[FrontierEntry]:
    run = product.store.runs.get(run_id)
    pattern = _check_pattern(pattern)
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        return
    for entry in product.frontier(run, None).iter_waiting():
        if not pattern or is_url_match(pattern, entry_url(entry)):
            yield entry


def _check_pattern(pattern: str) -> str:
    if len(pattern := pattern.strip()) > MAX_PATTERN_CHARACTERS:
        raise BadInput("crawls.pattern_length", most=MAX_PATTERN_CHARACTERS)
    is_url_match(pattern, "")
    return pattern
