"""Look up and keep the registrations of a site's domains."""

import secrets
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from crawler.addresses import ascii_host, registered_domain
from crawler.sandbox.pool import read_in_child
from crawler.sandbox.protocol import ReadingBounds
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.sites.model import Registration
from wenhen.sites.rdap import DomainQuery, DomainResponse

_RDAP_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=4, patience=90)
_MAX_DOMAINS: Final = 5  # domains of one site


def registered_domains(hosts: Iterable[str]) -> list[str]:
    """The names that were registered, of which hosts are: none of an address, or of a public suffix.

    >>> registered_domains(["www.a.com.cn", "m.a.com.cn", "127.0.0.1", "com.cn"])
    ['a.com.cn']
    """
    domains = (registered_domain(ascii_host(host).removeprefix("*.")) for host in hosts)
    return list(dict.fromkeys(filter(None, domains)))[:_MAX_DOMAINS]


def find_registrations(product: Product, hosts: Iterable[str]) -> list[Registration]:
    """What was answered of the domains of hosts, the last first."""
    domains = registered_domains(hosts)
    return product.store.registrations.of_domains(domains) if domains else []


@audited("site.look_up")
def query_registrations(acting: Acting, site_id: str) -> ChangeResult[list[Registration]]:
    """Ask who registered the domains of a site, through whom and since when. It tells the registry that we asked.

    Raises `NotFound`, also where nobody answers for such names; `BadInput` where the settings do not allow it, or a
    site has no domain; `Unavailable`; `Unreadable`; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product, settings = acting.product, acting.product.settings.dossier
    site = product.store.sites.get(site_id)
    if not settings.rdap:
        raise BadInput("rdap.not_allowed")
    domains = registered_domains(site.hosts)
    if not domains:
        raise BadInput("rdap.no_domain", site=site_id)
    registrations = [_query_registration(acting, domain) for domain in domains]
    subjects = [
        {"domain": registration.domain, "sha256": registration.digest, "from": registration.url}
        for registration in registrations
    ]
    return change_result(registrations, AuditLine(f"site:{site_id}", new={"registrations": subjects}))


def load_registration_file(product: Product, id: str) -> tuple[str, bytes]:
    """Name and content of an answer as it came. Raises `NotFound`."""
    registration = product.store.registrations.get(id)
    return f"rdap-{registration.domain}-{china_day(registration.asked_at):%Y%m%d}.json", product.store.blobs.get(
        registration.digest
    )


def _query_registration(acting: Acting, domain: str) -> Registration:
    product, settings = acting.product, acting.product.settings
    private = settings.dashboard.private_webhooks
    question = DomainQuery(domain, settings.dossier.rdap_bootstrap, settings.dossier.rdap_server, private)
    answer: DomainResponse = read_in_child("wenhen.sites.rdap:query_domain", question, bounds=_RDAP_BOUNDS)
    registration = Registration(
        **{**asdict(answer.said), "domain": domain},
        id=secrets.token_hex(8),
        asked_at=product.now(),
        asked_by=acting.who,
        url=answer.url,
        digest=product.store.blobs.put(answer.content),
    )
    product.store.registrations.put(registration)
    return registration
