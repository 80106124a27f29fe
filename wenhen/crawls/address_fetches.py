"""Fetch addresses that somebody pasted, once, and say what became of each."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from crawler.addresses import (
    MAX_ADDRESS_CHARACTERS,
    canonical_url,
    complete_address,
    host_of,
    other_scheme_url,
)
from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.comparison import MAX_MISSED_ADDRESSES
from wenhen.crawls.job import site_of_url
from wenhen.crawls.model import Run
from wenhen.crawls.service import start_crawl
from wenhen.kit.errors import BadInput, Message, TooLarge
from wenhen.kit.progress import Step, Subject, SubjectKind, page_id
from wenhen.kit.rights import Right
from wenhen.pages.model import Page
from wenhen.steps.problems import Problem

# Addresses in a pasted text: in full, or without a scheme as people read them out.


MAX_ADDRESSES: Final = 200  # of one request
_FULL_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'，。；、！？（）《》「」【】]+", re.IGNORECASE)
_CLOSING_SIGNS: Final = ".,;:!?)]}"


class NoAddress(NamedTuple):
    """A word, or a line without any address. line: its number in the pasted text, from 1."""

    line: int
    words: str


def find_addresses(text: str) -> tuple[list[str], list[NoAddress]]:
    r"""Return the addresses in a pasted text in their order, and what is none.

    Lines with an address in full may have other words around it. In other lines, every word is an address. One without
    a scheme is completed with `https://`.

    >>> find_addresses("看这里：https://a.test/x?id=1。\nb.test/2 一词\n\n又 一行")  # doctest: +NORMALIZE_WHITESPACE
    (['https://a.test/x?id=1', 'https://b.test/2'],
     [NoAddress(line=2, words='一词'), NoAddress(line=4, words='又 一行')])
    """
    addresses: dict[str, None] = {}
    refused = []
    for number, line in enumerate(text.splitlines(), 1):
        full = [match.group().rstrip(_CLOSING_SIGNS) for match in _FULL_ADDRESS.finditer(line)]
        found = {word: complete_address(word) for word in full or line.split()}
        addresses |= dict.fromkeys(filter(None, found.values()))
        none = [word for word, address in found.items() if address is None]
        refused += [NoAddress(number, words) for words in ([line.strip()] if none == [*found] else none) if words]
    return list(addresses), refused


# The request. Each watched site is asked by its own settings, and all other addresses together.


@audited("capture.fetch")
def fetch_addresses(acting: Acting, urls: Sequence[str], *, follow: bool = False) -> ChangeResult[list[Run]]:
    """Fetch these addresses once, and compare their pages with the library.

    The next pages of a text are fetched too. follow: also fetch what the pages link to within their hosts, which makes
    each address a crawl of its own.

    Raises `BadInput` for none or for an incomplete address, `TooLarge` for too many, and `Conflict` if one of them is
    being crawled with its links.
    """
    acting.require(Right.CRAWL)
    addresses = list(dict.fromkeys(canonical_url(_require_address(url)) for url in urls))
    if not addresses:
        raise BadInput("bringing.no_address")
    if len(addresses) > MAX_ADDRESSES:
        raise TooLarge("bringing.too_many_addresses", count=len(addresses), most=MAX_ADDRESSES)
    product = acting.product
    if follow:
        runs = [start_crawl(product, Subject(SubjectKind.ADDRESS, url), addresses=[url]) for url in addresses]
    else:
        runs = [
            start_crawl(product, Subject(SubjectKind.LIST, secrets.token_hex(6)), addresses=group)
            for group in _by_site(product, addresses)
        ]
    lines = [AuditLine(f"address:{url}", new=f"run:{run.id}") for run in runs for url in run.addresses]
    return change_result(runs, *lines)


def _require_address(url: str) -> str:
    address = complete_address(url.strip())
    if address is None:
        raise BadInput("crawls.not_in_full", url=url[:MAX_ADDRESS_CHARACTERS])
    return address


def _by_site(product: Product, addresses: Iterable[str]) -> list[list[str]]:
    """Group addresses by watched site. Those of mapped hosts are apart from those of other unwatched hosts."""
    groups: dict[str, list[str]] = {}
    for url in addresses:
        site = site_of_url(product, url)
        mapped = host_of(url) in product.settings.crawler.host_map
        group = site.id if site.id != url else f" mapped={mapped}"
        groups.setdefault(group, []).append(url)
    return list(groups.values())


# The outcome of each address.


class OutcomeState(StrEnum):
    """What became of a requested address."""

    WAITING = "waiting"  # to be fetched
    MISSED = "missed"  # it gave no page, for the reason of its problem
    MATCHING = "matching"
    SET_ASIDE = "set_aside"  # the page failed in a step
    NO_TEXT = "no_text"  # the page cannot be compared, for the reason of its note
    NO_CASE = "no_case"
    CASE = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressOutcome:
    """A requested address with its state, its page and its cases. reason: why there is no page or no comparison."""

    url: str
    state: OutcomeState
    run_id: str
    page_id: str | None = None
    page_url: str | None = None  # of the page, if it is another than `url`
    title: str | None = None
    note: str | None = None
    reason: Message | None = None
    cases: tuple[int, ...] = ()

    @property
    def is_final(self) -> bool:
        """Return whether nothing more will come of it."""
        return self.state not in (OutcomeState.WAITING, OutcomeState.MATCHING)


NOTHING_CAME: Final = Message("fetch.nothing_came")


def find_outcomes(product: Product, runs: Sequence[Run]) -> list[AddressOutcome]:
    """Return the outcomes of the requested addresses of these runs, in the order of the request."""
    targets = {redirect.url: redirect.page_url for run in runs for redirect in run.redirects}
    ids = {url: _page_ids(targets.get(url, url)) for run in runs for url in run.addresses}
    pages = product.store.pages.many([id for page_ids in ids.values() for id in page_ids])
    cases = product.store.cases.of_pages(list(pages))
    outcomes = []
    for run in runs:
        problems = _problems_by_url(product, run)
        for url in run.addresses:
            page = next((page for id in ids[url] if (page := _page_since(run, pages.get(id)))), None)
            outcomes.append(_outcome(run, url, page, cases.get(page.id, []) if page else [], problems))
    return outcomes


def _page_ids(url: str) -> list[str]:
    """Return the ids of the page under both schemes. A page is stored under the one by which it was first seen."""
    return [page_id(address) for address in (url, other_scheme_url(url)) if address]


def _problems_by_url(product: Product, run: Run) -> Mapping[str, Problem]:
    problems = product.store.problems.of_run(run.id, MAX_MISSED_ADDRESSES)
    return {canonical_url(problem.what): problem for problem in problems}


def _page_since(run: Run, page: Page | None) -> Page | None:
    """Return the page if this run captured it. What an earlier crawl captured says nothing of this request."""
    return page if page is not None and page.capture.fetched_at >= run.started_at else None


def _outcome(
    run: Run, url: str, page: Page | None, cases: Sequence[Case], problems: Mapping[str, Problem]
) -> AddressOutcome:
    if page is None:
        problem = problems.get(url)
        if problem is None and run.ended_at is None:
            return AddressOutcome(url=url, state=OutcomeState.WAITING, run_id=run.id)
        reason = problem.reason if problem else run.problem or NOTHING_CAME
        return AddressOutcome(url=url, state=OutcomeState.MISSED, run_id=run.id, reason=reason)
    return AddressOutcome(
        url=url,
        state=_page_state(page, cases),
        run_id=run.id,
        page_id=page.id,
        page_url=page.url if page.url != url else None,
        title=page.title,
        note=page.note,
        reason=page.progress.problem,
        cases=tuple(case.number for case in cases),
    )


def _page_state(page: Page, cases: Sequence[Case]) -> OutcomeState:
    if page.progress.step is Step.SET_ASIDE:
        return OutcomeState.SET_ASIDE
    if page.progress.step is not Step.DONE:
        return OutcomeState.MATCHING
    if cases:
        return OutcomeState.CASE
    return OutcomeState.NO_TEXT if page.note is not None else OutcomeState.NO_CASE
