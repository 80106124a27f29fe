"""Check whether search engines still list pages that were noticed or discovered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.discovery.engines import SearchEngine, discovered_url, look_for_urls
from wenhen.discovery.model import (
    Discovery,
    ListingState,
    PageListing,
    is_followed,
    is_inconclusive,
    take_within_budget,
    update_listing,
)
from wenhen.discovery.service import distinctive_queries, open_metered_engine
from wenhen.kit.errors import BadInput, NotFound, Unavailable
from wenhen.kit.progress import page_id
from wenhen.kit.rights import Right
from wenhen.notices.model import Notice, Platform
from wenhen.notices.platforms import all_platforms

LOOKUP_ACTOR: Final = "wenhen"  # user name of scheduled checks
PHRASES_PER_NOTICE: Final = 3  # phrases queried per page, until one finds it
MAX_LOOKED_UP_PAGES: Final = 100  # pages checked per notice
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_NOTICES_AT_ONCE: Final = 20  # notices per scheduled check
_FOLLOW_UP_TIME: Final = timedelta(days=365)  # how long after sending a notice is checked


@audited("notice.look_up")
def check_delisting(acting: Acting, id: str) -> ChangeResult[Notice]:
    """Query the search engine for phrases of each page of a notice, and store whether it lists the page.

    A check before sending proves that a page was listed. Results are stored even if a later query fails.

    Raises `NotFound`, `BadInput` for another kind of receiver, `SetupError`, `Unavailable` and `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product = acting.product
    to = _notice_engine(product, product.store.notices.get(id))
    engine = open_metered_engine(product, fresh=True)
    try:
        listings = _look_up_pages(product, product.store.notices.get(id), to, engine)
    finally:
        engine.close()
    old = product.store.notices.get(id)  # reload, because queries take time and an answer may have arrived
    new = replace(old, listings=_merge_listings(old.listings, listings))
    product.store.notices.change(old, new)
    counts = {str(state): sum(listing.state is state for listing in listings) for state in ListingState}
    return change_result(new, AuditLine(f"notice:{id}", new=counts))


def check_due_delistings(product: Product) -> None:
    """Check notices sent to search engines within a year, least recently checked first."""
    settings, now = product.settings.discover, product.now()
    if not settings.relook_days:
        return
    engines = {
        platform.id for platform in all_platforms(product) if platform.delists and settings.answers_for(platform.engine)
    }
    due = [
        notice
        for notice in product.store.notices.sent_to(engines, since=now - _FOLLOW_UP_TIME)
        if _last_look(notice) <= now - timedelta(days=settings.relook_days)
    ]
    for notice in sorted(due, key=_last_look)[:_MAX_NOTICES_AT_ONCE]:
        try:
            check_delisting(Acting(product, LOOKUP_ACTOR, frozenset({Right.PROCEED})), notice.id)
        except (BadInput, NotFound):
            continue  # nothing to query, or deleted meanwhile


def _notice_engine(product: Product, notice: Notice) -> Platform:
    engine = next((platform for platform in all_platforms(product) if platform.id == notice.platform), None)
    if engine is None or not engine.delists:
        raise BadInput("discover.no_delisting", id=notice.id)
    return engine


def _last_look(notice: Notice) -> datetime:
    return min((listing.looked_at for listing in notice.listings), default=_NEVER)


def _look_up_pages(product: Product, notice: Notice, to: Platform, engine: SearchEngine) -> list[PageListing]:
    """Query the engine for each page, and return the results until it stops responding."""
    before = {listing.case: listing for listing in notice.listings}
    page_listings: list[PageListing] = []
    without: list[int] = []
    for number in sorted(product.store.cases.many(notice.case_numbers))[:MAX_LOOKED_UP_PAGES]:
        case = product.store.cases.get(str(number))  # including its passages
        phrases = _search_phrases(product, case)
        if not phrases:
            without.append(case.number)
            continue
        try:
            listed = _is_page_listed(product, case, to, engine, phrases)
        except Unavailable:
            if page_listings:
                break
            raise
        page_listings.append(
            update_listing(before.get(case.number), case.number, phrases, product.now(), listed=listed)
        )
    if without and not page_listings:
        raise BadInput("discover.no_words", number=without[0])
    return page_listings


def _is_page_listed(product: Product, case: Case, to: Platform, engine: SearchEngine, phrases: Sequence[str]) -> bool:
    urls, delay = (case.page_url, case.capture.url), product.settings.discover.delay
    return look_for_urls(engine, urls, phrases, of=to.engine, delay=delay).hit is not None


def _search_phrases(product: Product, case: Case) -> tuple[str, ...]:
    """Return phrases that found the page before, then its most distinctive copied sentences."""
    known = product.store.discoveries.find(work_id=case.work_id, limit=1_000)
    by = [
        sentence
        for discovery in known
        if discovered_url(discovery) == case.page_url
        for sentence in discovery.sentences
    ]
    return tuple(dict.fromkeys((*by, *_telling_sentences(product, case))))[:PHRASES_PER_NOTICE]


def _telling_sentences(product: Product, case: Case) -> Iterator[str]:
    try:
        text = product.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return
    yield from distinctive_queries(
        "\n".join(text[passage.page_start : passage.page_end] for passage in case.match.passages)
    )


def _merge_listings(old: Sequence[PageListing], new: Sequence[PageListing]) -> tuple[PageListing, ...]:
    kept = {listing.case: listing for listing in (*old, *new)}
    return tuple(kept[case] for case in sorted(kept))


# Discovered URLs of copies without a notice to a search engine are checked for delisting.


PHRASES_PER_DISCOVERY: Final = 3  # phrases queried per URL, until one finds it
_ONE_DAY: Final = timedelta(days=1)
_CHECK_BATCH_SIZE: Final = 200  # URLs per batch; most of them may have no case


def check_discovered_listings(product: Product) -> None:
    """Check discovered URLs that are due, longest due first, within the daily budget.

    If the engine does not respond, the check ends until the next time.
    """
    settings = product.settings.discover
    if not settings.can_ask or not settings.relook_days or not settings.relook_found:
        return
    engine = open_metered_engine(product, fresh=True)
    try:
        while _check_batch(product, engine):
            pass
    except Unavailable:
        return
    finally:
        engine.close()


def _check_batch(product: Product, engine: SearchEngine) -> bool:
    """Check a batch of due URLs, and postpone those without a followed case. Returns whether more may be due."""
    settings, discoveries, now = product.settings.discover, product.store.discoveries, product.now()
    due = discoveries.due(engine.name, now, limit=_CHECK_BATCH_SIZE)
    followed = list(_followed_discoveries(product, due))
    discoveries.put_off(
        {discovery.id for discovery in due} - {discovery.id for discovery, _ in followed}, _next_check(product, now)
    )
    chosen = take_within_budget(followed, most=settings.relook_found, asked=discoveries.asked_since(now - _ONE_DAY))
    for discovery, case in chosen:
        discoveries.note_look(_check_discovery(product, discovery, case, engine))
    return len(due) == _CHECK_BATCH_SIZE and len(chosen) == len(followed)


def _next_check(product: Product, now: datetime) -> datetime:
    return now + timedelta(days=product.settings.discover.relook_days)


def _followed_discoveries(product: Product, due: Iterable[Discovery]) -> Iterator[tuple[Discovery, Case]]:
    """Yield the discovered URLs whose page has a followed case."""
    pages = {discovery.id: page_id(discovered_url(discovery)) for discovery in due}
    cases = product.store.cases.of_pages(set(pages.values()))
    pairs = [
        (discovery, case)
        for discovery in due
        for case in cases.get(pages[discovery.id], ())
        if case.work_id == discovery.work_id
    ]
    noticed = _noticed_cases(product, [case.number for _, case in pairs])
    yield from ((discovery, case) for discovery, case in pairs if is_followed(case, noticed=case.number in noticed))


def _noticed_cases(product: Product, numbers: list[int]) -> set[int]:
    """Return the cases with a notice that was sent to a search engine."""
    engines = {platform.id for platform in all_platforms(product) if platform.delists}
    notices = product.store.notices.of_cases(numbers) if numbers else []
    return {
        number
        for notice in notices
        if notice.platform in engines
        for number in notice.case_numbers
        if notice.sent_at is not None
    }


def _check_discovery(product: Product, discovery: Discovery, case: Case, engine: SearchEngine) -> Discovery:
    """Return the discovered URL after a check. Raises `Unavailable`."""
    settings, phrases = product.settings.discover, discovery.sentences[:PHRASES_PER_DISCOVERY]
    look, now = (
        look_for_urls(engine, (discovery.url, case.page_url), phrases, of=None, delay=settings.delay),
        product.now(),
    )
    if look.hit is None and is_inconclusive(look.silent, discovery.found_by):
        return replace(discovery, asked_at=now, look_at=now + _ONE_DAY)
    listing = update_listing(
        discovery.listing, case.number, phrases, now, listed=look.hit is not None, found_at=discovery.found_at
    )
    found_by = look.hit.engines if look.hit is not None and look.hit.engines else discovery.found_by
    return replace(discovery, listing=listing, found_by=found_by, asked_at=now, look_at=_next_check(product, now))
