"""Whether a search engine that was asked to delist pages still leads to them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.discover.engine_leads_to import look_for
from services.discover.engine_port import SearchEngine
from services.discover.engines import open_engine
from services.discover.page_found import page_found
from services.discover.telling_sentences import distinctive
from services.notices.platforms import platforms
from store.errors import BadInput, NotFound, Unavailable
from store.records import Case, ListingState, Notice, PageListing, Platform
from store.rules.role_rights import Right
from store.rules.web.still_listed import after_look

OWN_NAME: Final = "wenhen"  # who looks by itself
PHRASES: Final = 3  # that are asked for of a page, until one finds it
MOST: Final = 100  # pages of one notice that are looked for
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_AT_ONCE: Final = 20  # notices of one look by itself
_LOOKED_AFTER: Final = timedelta(days=365)  # how long after a notice was sent


@audited("notice.look_up")
def look_up(acting: Acting, id: str) -> Changed[Notice]:
    """Ask the engine for sentences of each page of a notice, and keep whether it leads there: before it is sent, too,
    so that what is missing later is known to have been there.

    Raises `NotFound`; `BadInput` for a notice to anybody else; `SetupError`, `Unavailable` where nothing can be asked;
    `Forbidden`. What was found until then is kept.
    """
    acting.require(Right.PROCEED)
    product = acting.product
    to = _engine_of(product, product.store.notices.get(id))
    engine = open_engine(product.settings.discover)
    try:
        found = _found(product, product.store.notices.get(id), to, engine)
    finally:
        engine.close()
    old = product.store.notices.get(id)  # to ask takes a while, in which an answer may have come
    new = replace(old, listings=_with(old.listings, found))
    product.store.notices.change(old, new)
    counts = {str(state): sum(one.state is state for one in found) for state in ListingState}
    return changed(new, Line(f"notice:{id}", new=counts))


def look_up_due(product: Product) -> None:
    """Look again by itself for what was sent to search engines within a year, those looked for longest ago first."""
    settings, now = product.settings.discover, product.now()
    if not settings.relook_days:
        return
    engines = {one.id for one in platforms(product) if one.delists and settings.answers_for(one.engine)}
    due = [
        one
        for one in product.store.notices.sent_to(engines, since=now - _LOOKED_AFTER)
        if _last_look(one) <= now - timedelta(days=settings.relook_days)
    ]
    for one in sorted(due, key=_last_look)[:_AT_ONCE]:
        try:
            look_up(Acting(product, OWN_NAME, frozenset({Right.PROCEED})), one.id)
        except (BadInput, NotFound):
            continue  # nothing to ask for, or taken away meanwhile


def _engine_of(product: Product, notice: Notice) -> Platform:
    found = next((one for one in platforms(product) if one.id == notice.platform), None)
    if found is None or not found.delists:
        raise BadInput("discover.no_delisting", id=notice.id)
    return found


def _last_look(notice: Notice) -> datetime:
    return min((one.looked_at for one in notice.listings), default=_NEVER)


def _found(product: Product, notice: Notice, to: Platform, engine: SearchEngine) -> list[PageListing]:
    """What the engine says of each page, as far as it answers."""
    before = {one.case: one for one in notice.listings}
    found: list[PageListing] = []
    without: list[int] = []
    for number in sorted(product.store.cases.many(notice.case_numbers))[:MOST]:
        case = product.store.cases.get(str(number))  # with its passages
        phrases = _phrases(product, case)
        if not phrases:
            without.append(case.number)
            continue
        try:
            listed = _is_listed(product, case, to, engine, phrases)
        except Unavailable:
            if found:
                break
            raise
        found.append(after_look(before.get(case.number), case.number, phrases, product.now(), listed=listed))
    if without and not found:
        raise BadInput("discover.no_words", number=without[0])
    return found


def _is_listed(product: Product, case: Case, to: Platform, engine: SearchEngine, phrases: Sequence[str]) -> bool:
    urls, delay = (case.page_url, case.capture.url), product.settings.discover.delay
    return look_for(engine, urls, phrases, of=to.engine, delay=delay).hit is not None


def _phrases(product: Product, case: Case) -> tuple[str, ...]:
    """What an engine found the page by, else the most telling sentences of what it copied, as it writes them."""
    known = product.store.discoveries.find(work_id=case.work_id, limit=1_000)
    by = [sentence for one in known if page_found(one) == case.page_url for sentence in one.sentences]
    return tuple(dict.fromkeys((*by, *_telling(product, case))))[:PHRASES]


def _telling(product: Product, case: Case) -> Iterator[str]:
    try:
        text = product.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return
    yield from distinctive("\n".join(text[one.page_start : one.page_end] for one in case.match.passages))


def _with(old: Sequence[PageListing], new: Sequence[PageListing]) -> tuple[PageListing, ...]:
    kept = {one.case: one for one in (*old, *new)}
    return tuple(kept[case] for case in sorted(kept))
