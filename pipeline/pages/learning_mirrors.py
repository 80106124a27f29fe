"""Which hosts are mirrors of each other, learned from what crawls bring; said by people where they know."""

from collections.abc import Sequence

from pipeline.context import Context
from store.errors import BadInput
from store.records import Page, Site
from store.rules.record_ids import page_id
from store.rules.web.is_mirror import SAMPLE, equal_pages, moved, same_place

TWINS = 10  # pages with the same body that are looked at


def learn_mirrors(context: Context, pages: Sequence[Page]) -> None:
    """Compare the hosts of new pages with those that have the very same page at the same path."""
    first = context.store.pages.first_with_body({page.capture.body_digest for page in pages}) if pages else {}
    for page in pages:
        if first.get(page.capture.body_digest, page.id) != page.id:
            _learn_mirror(context, page)


def _learn_mirror(context: Context, page: Page) -> None:
    mains = context.store.mirrors.mains()
    own = mains.get(page.host, page.host)
    for twin in context.store.pages.same_body(page.capture.body_digest, TWINS):
        if mains.get(twin.host, twin.host) == own or not same_place(page.url, twin.url):
            continue
        if equal := _equal_pages(context, page, twin):
            context.store.mirrors.join(page.host, twin.host, pages=equal, at=context.now())
            return


def declare_mirrors(context: Context, site_id: str, hosts: Sequence[str]) -> Site:
    """These hosts carry the same as the site's first host: counted as it, and fetched only there.

    Raises `NotFound`, and `BadInput` for what is no host name.
    """
    site = context.store.sites.get(site_id)
    for host in hosts:
        if not host or any(sign in host for sign in "/:@* "):
            raise BadInput("sites.host_name", host=repr(host))
    mirrors = tuple(dict.fromkeys(host.lower() for host in hosts if host.lower() != site.hosts[0]))
    for host in set(site.mirrors) - set(mirrors):
        context.store.mirrors.part(host)
    for host in mirrors:
        context.store.mirrors.join(host, site.hosts[0], pages=0, at=context.now())
    return context.store.sites.change(site_id, {"mirrors": mirrors})


def _equal_pages(context: Context, page: Page, twin: Page) -> int:
    found = context.store.pages.of_host(page.host, SAMPLE)
    there = {page.id: page_id(moved(page.url, twin.url)) for page in found}
    others = context.store.pages.many(list(there.values()))
    pairs = [
        (page.capture.body_digest, others[there[page.id]].capture.body_digest)
        for page in found
        if there[page.id] in others
    ]
    return equal_pages(pairs)
