"""How an address is crawled that belongs to no watched site: as a site made for the occasion, within these bounds."""

from datetime import datetime

from store.records import Site

AD_HOC_PAGES = 200
AD_HOC_DEPTH = 3


def ad_hoc_site(url: str, host: str, now: datetime) -> Site:
    """A site made for the occasion, which no store knows."""
    return Site(
        id=url,
        name=url,
        start_urls=(url,),
        hosts=(host,),
        interval_hours=24,
        max_pages=AD_HOC_PAGES,
        max_depth=AD_HOC_DEPTH,
        added_at=now,
        due=now,
    )
