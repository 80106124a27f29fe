"""What changes sites, and writes it into the audit log; the browser and the API share it."""

from dashboard import audit
from dashboard.frame.context import services
from store.records import Site


def crawl(id: str) -> Site:
    """Crawl a site now. NotFound, Conflict while it is being crawled."""
    site = services().store.sites.get(id)
    services().actions.crawl(site.id)
    audit.record("site.crawl", f"site:{site.id}")
    return site


def remove_site(id: str) -> Site:
    """Watch a site no longer; its pages and cases stay. NotFound."""
    site = services().store.sites.get(id)
    services().actions.remove_site(site.id)
    audit.record("site.remove", f"site:{site.id}", old=" ".join(site.start_urls))
    return site
