"""A site that is watched."""

from typing import Any

from wenhen.runtime.wiring import App
from wenhen.sites.model import Site


def watch(app: App, host: str, *, max_pages: int, max_depth: int, **more: Any) -> Site:
    """Watch a site from its first page on; a crawl of it is due now."""
    site = Site(
        id=host,
        name=host,
        start_urls=(f"http://{host}/",),
        hosts=(host,),
        interval_hours=24,
        max_pages=max_pages,
        max_depth=max_depth,
        added_at=app.now(),
        due=app.now(),
        **more,
    )
    app.store.sites.put(site)
    return site
