"""Capture a page through proxies in several regions, and compare what each of them shows.

The captures stand side by side and apart from the history of the page, which changes by none of them.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final

from crawler.fetch.proxy_pool import parse_proxy
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.job import site_of_url
from wenhen.crawls.model import RegionalCapture, RegionalCopy, RegionalState
from wenhen.kit.errors import BadInput, Conflict, NotFound, Unavailable, Unreadable, WenhenError, message
from wenhen.kit.rights import Right
from wenhen.pages.model import Page
from wenhen.pages.service import find_page, page_text
from wenhen.sites.schedule import current_quiet_end

if TYPE_CHECKING:  # imports numpy
    from matcher.attribution.align_pair import Comparison

DIRECT: Final = "-"  # in place of a region: as crawls fetch the page
MAX_WAIT: Final = timedelta(hours=1)  # a capture that no worker took up by then is lost
MAX_RUN: Final = timedelta(minutes=15)  # longer than a fetch with the comparison of its text
MAX_CASES: Final = 20  # of one page whose works are compared
MAX_SHOWN: Final = 200  # captures of one page
FetchCapture = Callable[[RegionalCapture], None]  # fetches a page in another process and stores the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionalRound:
    """Captures of a page that were asked for together."""

    captures: tuple[RegionalCapture, ...]

    @property
    def is_open(self) -> bool:
        """Return whether one of them waits or runs."""
        return any(capture.is_open for capture in self.captures)

    @property
    def is_copy_regional(self) -> bool:
        """Return whether some regions show copied passages and others do not."""
        shown = {bool(capture.copies) for capture in self.captures if capture.state is RegionalState.DONE}
        return len(shown) > 1


def known_regions(product: Product) -> list[str]:
    """Return the names of the regions that have a proxy."""
    return list(product.settings.crawler.regions)


def find_target(product: Product, reference: str) -> Page:
    """Return the page with this id or address, or that of a case by its number. Raises `NotFound`."""
    number = reference.removeprefix("#")
    if number.isascii() and number.isdigit():
        return product.store.pages.get(product.store.cases.get(number).page_id)
    return find_page(product, reference)


@audited("page.regions")
def request_regional_captures(
    acting: Acting, page_id: str, regions: Sequence[str] = (), *, queued: bool = True
) -> ChangeResult[RegionalRound]:
    """Ask for captures of a page through the proxies of these regions, and as crawls fetch it.

    regions: all that are known if none is named. `DIRECT` is always among them.
    queued: a worker fetches them. Otherwise the caller runs them one by one.

    Raises `NotFound`, `BadInput` for an unknown region, a proxy that is no address, and without any region, `Conflict`
    in quiet hours and while such captures of the page are open, and `Unavailable`.
    """
    acting.require(Right.CRAWL)
    product = acting.product
    page = product.store.pages.get(page_id)
    names = [*_require_regions(product, regions), None]
    if till := current_quiet_end(product, site_of_url(product, page.url)):
        raise Conflict("regions.quiet", till=f"{till:%H:%M}")
    if any(capture.is_open for capture in captures_of_page(product, page.id)):
        raise Conflict("regions.open", url=page.url)
    now = product.now()
    made = tuple(
        RegionalCapture(
            id=secrets.token_hex(8), page_id=page.id, url=page.url, region=name, by=acting.who, asked_at=now
        )
        for name in names
    )
    product.store.regional_captures.add_all(made)
    if queued:
        _queue_captures(product, made)
    named = " ".join(name or DIRECT for name in names)
    return change_result(RegionalRound(captures=made), AuditLine(f"page:{page.id}", new=named))


def _queue_captures(product: Product, made: Sequence[RegionalCapture]) -> None:
    """Call a worker for each capture. If the queue is silent, they have failed at once, so that one may ask again."""
    try:
        for _ in made:
            product.queue.regions()
    except Unavailable as error:
        for capture in made:
            ended = replace(capture, state=RegionalState.FAILED, reason=error.message, ended_at=product.now())
            product.store.regional_captures.put(ended)
        raise


def _require_regions(product: Product, regions: Sequence[str]) -> list[str]:
    known = product.settings.crawler.regions
    if not known:
        raise BadInput("regions.none")
    wanted = [name for name in dict.fromkeys(regions or known) if name != DIRECT]
    if not wanted:
        raise BadInput("regions.choose")
    for name in wanted:
        if name not in known:
            raise BadInput("regions.unknown", name=name[:40], known=", ".join(known))
        try:
            parse_proxy(known[name])
        except BadInput as error:
            raise BadInput("regions.bad_proxy", name=name, problem=error.message) from None
    return wanted


def captures_of_page(product: Product, page_id: str) -> list[RegionalCapture]:
    """Return the captures of a page from regions, those asked for last first. One whose worker died has failed."""
    captures = product.store.regional_captures.of_page(page_id, MAX_SHOWN)
    return [_end_if_lost(product, capture) for capture in captures]


def rounds_of_page(product: Product, page_id: str) -> list[RegionalRound]:
    """Return the captures of a page from regions side by side, the last round first."""
    order = {name: number for number, name in enumerate(known_regions(product))}

    def place(capture: RegionalCapture) -> tuple[int, str]:
        name = capture.region or ""
        return (order.get(name, len(order)) if name else -1), name

    return [
        RegionalRound(captures=tuple(sorted(group, key=place)))
        for _, group in groupby(captures_of_page(product, page_id), key=lambda one: one.asked_at)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionalView:
    """What a screen shows of a page: its captures from regions, and the regions that can be asked."""

    page_id: str
    rounds: tuple[RegionalRound, ...]
    regions: tuple[str, ...]


def regional_view(product: Product, page_id: str) -> RegionalView:
    """Return what a screen shows of a page in several regions."""
    rounds = tuple(rounds_of_page(product, page_id))
    return RegionalView(page_id=page_id, rounds=rounds, regions=tuple(known_regions(product)))


def find_regional_capture(product: Product, page_id: str, id: str) -> RegionalCapture:
    """Return one capture of a page. Raises `NotFound`."""
    capture = product.store.regional_captures.get(id)
    if capture.page_id != page_id:
        raise NotFound("regions.no_capture", id=id)
    return _end_if_lost(product, capture)


def _end_if_lost(product: Product, capture: RegionalCapture) -> RegionalCapture:
    waits_since = capture.asked_at + MAX_WAIT
    until = waits_since if capture.started_at is None else capture.started_at + MAX_RUN
    if capture.is_open and product.now() > until:
        return replace(capture, state=RegionalState.FAILED, reason=message("regions.lost"), ended_at=until)
    return capture


# A worker, or the command, runs captures one by one.


def run_next_regional_capture(product: Product, fetch: FetchCapture, id: str | None = None) -> bool:
    """Fetch and compare a capture that waits, this one or any. Return whether there was one.

    Whatever goes wrong with it stands in its record.
    """
    now = product.now()
    capture = product.store.regional_captures.claim(now, now - MAX_WAIT, id)
    if capture is None:
        return False
    problem = None
    try:
        _require_time_and_proxy(product, capture)
        fetch(capture)
        capture = product.store.regional_captures.get(capture.id)
    except WenhenError as error:
        problem = error.message
    state = RegionalState.FAILED if problem or capture.status is None else RegionalState.DONE
    ended = replace(capture, state=state, reason=problem or capture.reason, ended_at=product.now())
    if state is RegionalState.DONE:
        ended = _compare_text(product, ended)
    product.store.regional_captures.put(ended)
    return True


def _require_time_and_proxy(product: Product, capture: RegionalCapture) -> None:
    """Raise if it must not, or cannot, be fetched any more."""
    if capture.region is not None:
        _require_regions(product, [capture.region])
    if till := current_quiet_end(product, site_of_url(product, capture.url)):
        raise Conflict("regions.quiet", till=f"{till:%H:%M}")


def _compare_text(product: Product, capture: RegionalCapture) -> RegionalCapture:
    """Read the text of an answer, and compare it with that of the page and with the works of its cases."""
    from crawler.extraction.sandbox_calls import read_page
    from matcher.alignment.aligned_span import count_characters

    if capture.capture is None:
        return capture
    body = product.store.blobs.get(capture.capture.read_digest)
    try:
        extracted = read_page(body, capture.capture.read_headers, capture.capture.url)
    except Unreadable as error:
        return replace(capture, reason=capture.reason or error.message)
    page = product.store.pages.get(capture.page_id)
    own, text = page_text(product, page), extracted.text
    return replace(
        capture,
        title=extracted.title,
        text_digest=product.store.blobs.put_text(text) if text else None,
        length=count_characters(text),
        page_text_digest=page.text_digest,
        share_of_page=_share_of(own, text) if own and text else None,
        copies=tuple(_find_copies(product, page, text)) if text else (),
    )


def _share_of(own: str, text: str) -> float:
    """Return the share of the page's own text that stands in another text."""
    if own == text:
        return 1.0
    comparison = _align(text, own)
    return comparison.verdict.share_of_work if comparison else 0.0


def _find_copies(product: Product, page: Page, text: str) -> list[RegionalCopy]:
    from matcher.alignment.aligned_span import Side, copied_length, count_text

    copies = []
    for case in product.store.cases.of_pages([page.id]).get(page.id, [])[:MAX_CASES]:
        try:
            work_text = product.store.blobs.get_text(case.work_text_digest)
        except NotFound:
            continue
        if (comparison := _align(text, work_text)) and comparison.accuse:
            copies.append(
                RegionalCopy(
                    work_id=case.work_id,
                    work_title=case.work_title,
                    case_number=case.number,
                    share_of_work=comparison.verdict.share_of_work,
                    passages=len(comparison.passages),
                    characters=copied_length(comparison.passages, Side.PAGE, count_text(text)),
                )
            )
    return copies


def _align(text: str, other: str) -> "Comparison | None":
    from matcher.attribution.align_pair import align_pair
    from wenhen.fingerprints.reading import TextReading

    first, second = TextReading(text), TextReading(other)
    return align_pair(first.text, first.letters, second.text, second.letters, thorough=True, kept=first.screen.kept)
