"""The domains of a site looked up by RDAP, each answer kept with its day."""

import secrets
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from crawler.crawl.host_names import ascii_host, registered_name
from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.sites.rdap.domain_lookup import DomainAnswer, DomainQuestion
from store.errors import BadInput
from store.records import Registration
from store.rules.china_time import day_of
from store.rules.role_rights import Right

_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=4, patience=90)
_MOST: Final = 5  # domains of one site


def domains_of(hosts: Iterable[str]) -> list[str]:
    """The names that were registered, of which hosts are: none of an address, or of a public suffix.

    >>> domains_of(["www.a.com.cn", "m.a.com.cn", "127.0.0.1", "com.cn"])
    ['a.com.cn']
    """
    found = (registered_name(ascii_host(host).removeprefix("*.")) for host in hosts)
    return list(dict.fromkeys(filter(None, found)))[:_MOST]


def registrations_of(product: Product, hosts: Iterable[str]) -> list[Registration]:
    """What was answered of the domains of hosts, the last first."""
    domains = domains_of(hosts)
    return product.store.registrations.of_domains(domains) if domains else []


@audited("site.look_up")
def look_up(acting: Acting, site_id: str) -> Changed[list[Registration]]:
    """Ask who registered the domains of a site, through whom and since when. It tells the registry that we asked.

    Raises `NotFound`, also where nobody answers for such names; `BadInput` where the settings do not allow it, or a
    site has no domain; `Unavailable`; `Unreadable`; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product, settings = acting.product, acting.product.settings.dossier
    site = product.store.sites.get(site_id)
    if not settings.rdap:
        raise BadInput("rdap.not_allowed")
    domains = domains_of(site.hosts)
    if not domains:
        raise BadInput("rdap.no_domain", site=site_id)
    found = [_asked(acting, domain) for domain in domains]
    told = [{"domain": one.domain, "sha256": one.digest, "from": one.url} for one in found]
    return changed(found, Line(f"site:{site_id}", new={"registrations": told}))


def file_of(product: Product, id: str) -> tuple[str, bytes]:
    """Name and content of an answer as it came. Raises `NotFound`."""
    one = product.store.registrations.get(id)
    return f"rdap-{one.domain}-{day_of(one.asked_at):%Y%m%d}.json", product.store.blobs.get(one.digest)


def _asked(acting: Acting, domain: str) -> Registration:
    product, settings = acting.product, acting.product.settings
    private = settings.dashboard.private_webhooks
    question = DomainQuestion(domain, settings.dossier.rdap_bootstrap, settings.dossier.rdap_server, private)
    answer: DomainAnswer = read("services.sites.rdap.domain_lookup:ask", question, bounds=_BOUNDS)
    one = Registration(
        **{**asdict(answer.said), "domain": domain},
        id=secrets.token_hex(8),
        asked_at=product.now(),
        asked_by=acting.who,
        url=answer.url,
        digest=product.store.blobs.put(answer.content),
    )
    product.store.registrations.put(one)
    return one
