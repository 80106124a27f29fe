"""Query and store the registrations of the domains of a site."""

import secrets
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from crawler.addresses import ascii_host, registered_domain
from crawler.sandbox.pool import read_in_child
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import REGISTRATION_BOUNDS
from wenhen.sites.model import Registration
from wenhen.sites.rdap import DomainQuery, DomainResponse

_MAX_DOMAINS: Final = 5  # domains per site


def registered_domains(hosts: Iterable[str]) -> list[str]:
    """Return the registered domains of hosts. IP addresses and public suffixes have none.

    >>> registered_domains(["www.a.com.cn", "m.a.com.cn", "127.0.0.1", "com.cn"])
    ['a.com.cn']
    """
    domains = (registered_domain(ascii_host(host).removeprefix("*.")) for host in hosts)
    return list(dict.fromkeys(filter(None, domains)))[:_MAX_DOMAINS]


def find_registrations(product: Product, hosts: Iterable[str]) -> list[Registration]:
    """Return the stored registrations for the domains of hosts, newest first."""
    domains = registered_domains(hosts)
    return product.store.registrations.of_domains(domains) if domains else []


@audited("site.look_up")
def query_registrations(acting: Acting, site_id: str) -> ChangeResult[list[Registration]]:
    """Query RDAP for the registrations of the domains of a site. The registry learns of the query.

    Raises `NotFound`, also if no server is responsible, `BadInput` if the settings forbid it or the site has no domain,
    `Unavailable`, `Unreadable` and `Forbidden`.
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
    """Return the file name and content of a raw response. Raises `NotFound`."""
    registration = product.store.registrations.get(id)
    return f"rdap-{registration.domain}-{china_day(registration.asked_at):%Y%m%d}.json", product.store.blobs.get(
        registration.digest
    )


def _query_registration(acting: Acting, domain: str) -> Registration:
    product, settings = acting.product, acting.product.settings
    private = settings.dashboard.private_webhooks
    question = DomainQuery(domain, settings.dossier.rdap_bootstrap, settings.dossier.rdap_server, private)
    answer: DomainResponse = read_in_child("wenhen.sites.rdap:query_domain", question, bounds=REGISTRATION_BOUNDS)
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
