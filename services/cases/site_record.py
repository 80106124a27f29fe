"""What else the site of a case, with its mirrors, has taken, and whether it went on after it was told."""

from dataclasses import dataclass
from typing import Final

from services.cases.repeat_offences import RepeatOffences, repeat_offences
from services.context import Product
from store.records import Case, CaseOrder
from store.rules.cases.case_path import noticed_at
from store.rules.web.mirror_counting import same_site

_LOOKED_AT: Final = 50  # confirmed cases, the oldest, among which the first notice is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRecord(RepeatOffences):
    """Figures of all cases of the site, this one with them."""

    hosts: tuple[str, ...]
    copies: int
    confirmed: int


def site_record(product: Product, case: Case) -> SiteRecord:
    """The record of the site that the case's page is on."""
    cases, hosts = product.store.cases, same_site(case.page_host, product.store.mirrors.mains())
    oldest = cases.find(hosts=hosts, confirmed=True, order=CaseOrder.OLDEST, limit=_LOOKED_AT)
    first = min((at for one in oldest if (at := noticed_at(one)) is not None), default=None)
    offences = repeat_offences(product, hosts, first)
    return SiteRecord(
        hosts=hosts,
        copies=cases.count(hosts=hosts, copies=True),
        confirmed=cases.count(hosts=hosts, confirmed=True),
        after_notice=offences.after_notice,
        returned=offences.returned,
    )
