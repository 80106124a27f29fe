"""A captured page as a browser is given it, to be looked at by the rules of its site's crawl."""

from crawler.fetch.rendering.page_to_look_at import PageToLookAt
from services.context import Product
from store.records import Capture, Site


def page_to_look_at(product: Product, capture: Capture, site: Site | None) -> PageToLookAt:
    """The captured body, with what may be fetched for it. site: None where nobody watches it. Raises `NotFound` where
    the store has lost the body.
    """
    rules = product.settings.crawler
    internal = site is not None and (site.internal or set(site.hosts) <= set(rules.host_map))
    return PageToLookAt(
        url=capture.url,
        document=product.store.blobs.get(capture.body_digest),
        content_type=content_type_of(capture),
        user_agent=rules.user_agent,
        internal=internal,
        host_map=rules.host_map if internal else {},
    )


def content_type_of(capture: Capture) -> str:
    """As its server told it; HTML where it told none."""
    return next((value for name, value in capture.headers if name.lower() == "content-type"), "text/html")
