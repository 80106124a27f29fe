"""Addresses that a search found, of copies under no notice to a search engine: whether it still leads to them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from services.context import Product
from services.discover.engine_leads_to import look_for
from services.discover.engine_port import SearchEngine
from services.discover.engines import open_engine
from services.discover.page_found import page_found
from services.notices.platforms import platforms
from store.errors import Unavailable
from store.records import Case, Discovery
from store.rules.record_ids import page_id
from store.rules.web.still_listed import after_look, is_followed, says_nothing, within_budget

PHRASES: Final = 3  # that are asked for of an address, until one finds it
_DAY: Final = timedelta(days=1)
_AT_A_TIME: Final = 200  # addresses, of which most may be of no case


def look_again(product: Product) -> None:
    """Look up those that are due, the longest first, within the day's budget; an engine that does not answer ends it,
    until the next time.
    """
    settings = product.settings.discover
    if not settings.can_ask or not settings.relook_days or not settings.relook_found:
        return
    engine = open_engine(settings)
    try:
        while _some_looked_at(product, engine):
            pass
    except Unavailable:
        return
    finally:
        engine.close()


def _some_looked_at(product: Product, engine: SearchEngine) -> bool:
    """Look up some of those that are due, and put off those of no case that is followed; whether more may be due."""
    settings, found, now = product.settings.discover, product.store.discoveries, product.now()
    due = found.due(engine.name, now, limit=_AT_A_TIME)
    followed = list(_followed(product, due))
    found.put_off({one.id for one in due} - {one.id for one, _ in followed}, _next(product, now))
    chosen = within_budget(followed, most=settings.relook_found, asked=found.asked_since(now - _DAY))
    for one, case in chosen:
        found.note_look(_looked(product, one, case, engine))
    return len(due) == _AT_A_TIME and len(chosen) == len(followed)


def _next(product: Product, now: datetime) -> datetime:
    return now + timedelta(days=product.settings.discover.relook_days)


def _followed(product: Product, due: Iterable[Discovery]) -> Iterator[tuple[Discovery, Case]]:
    """Those whose page is a case that is followed."""
    pages = {one.id: page_id(page_found(one)) for one in due}
    cases = product.store.cases.of_pages(set(pages.values()))
    found = [(one, case) for one in due for case in cases.get(pages[one.id], ()) if case.work_id == one.work_id]
    noticed = _noticed(product, [case.number for _, case in found])
    yield from ((one, case) for one, case in found if is_followed(case, noticed=case.number in noticed))


def _noticed(product: Product, numbers: list[int]) -> set[int]:
    """The cases that a notice names which was sent to a search engine."""
    engines = {one.id for one in platforms(product) if one.delists}
    notices = product.store.notices.of_cases(numbers) if numbers else []
    return {
        number for one in notices if one.platform in engines for number in one.case_numbers if one.sent_at is not None
    }


def _looked(product: Product, one: Discovery, case: Case, engine: SearchEngine) -> Discovery:
    """The address after a look. Raises `Unavailable`."""
    settings, phrases = product.settings.discover, one.sentences[:PHRASES]
    look, now = look_for(engine, (one.url, case.page_url), phrases, of=None, delay=settings.delay), product.now()
    if look.hit is None and says_nothing(look.silent, one.found_by):
        return replace(one, asked_at=now, look_at=now + _DAY)
    listing = after_look(one.listing, case.number, phrases, now, listed=look.hit is not None, found_at=one.found_at)
    found_by = look.hit.engines if look.hit is not None and look.hit.engines else one.found_by
    return replace(one, listing=listing, found_by=found_by, asked_at=now, look_at=_next(product, now))
