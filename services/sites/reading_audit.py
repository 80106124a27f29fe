"""How much of a watched site is read: of pages chosen as good as by chance, what a browser shows of each against the
text that was extracted, less what the site shows on most of them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from services.acting import Acting
from services.context import Product
from services.crawls.capture_for_browser import content_type_of, page_to_look_at
from services.sites.read_share import ReadShare, read_share
from store.errors import NotFound, SetupError, TooLarge, Unreadable
from store.records import Page, Site
from store.rules.role_rights import Right

SAMPLE: Final = 20  # pages of a site
EVERY: Final = timedelta(days=7)
LONGEST: Final = timedelta(minutes=5)  # after which no further site is begun
_CHOSEN_OF: Final = 10  # pages looked through for one of the sample: many have no text, or are gone
_LEAST_PAGES: Final = 3  # of which a line may be found to recur
_MOST: Final = 16 << 20  # bytes of a page as the browser has it
_TOLD: Final = 200  # characters of what was not read


@dataclass(frozen=True, slots=True)
class AuditedPage:
    """A page, with the characters of prose that it shows, how many of these were read, and the longest that was not."""

    url: str
    visible: int
    read: int
    unread: str

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.read / self.visible if self.visible else 1.0


@dataclass(frozen=True)
class ReadingAudit:
    """What was found on a site, the worst page first. not_shown: pages that the browser could not show."""

    site_id: str
    at: datetime
    pages: tuple[AuditedPage, ...]
    not_shown: int

    @cached_property
    def share(self) -> float | None:
        """Of all characters of prose on the pages; None without any."""
        visible = sum(page.visible for page in self.pages)
        return sum(page.read for page in self.pages) / visible if visible else None


def audit_reading(acting: Acting, id: str, *, most: int = SAMPLE) -> ReadingAudit:
    """Look at a site's pages anew, and keep what was found. Raises `NotFound`, and `SetupError` where there is no
    browser.
    """
    acting.require(Right.SITES)
    return _audit(acting.product, acting.product.store.sites.get(id), most)


def audit_due(product: Product) -> None:
    """Look at sites that nobody has looked at for a week, for some minutes; those that are paused rest, and so do all
    where there is no browser.
    """
    from crawler.fetch.rendering.browser import find_browser  # slow to import, and of no use to who reads an audit

    try:
        find_browser(product.settings.crawler.browser)
    except SetupError:
        return
    until = product.now() + LONGEST
    for site in product.store.sites.all():
        if site.paused or product.now() > until:
            continue
        if product.store.marks.claim(f"{_mark(site.id)}:due", product.now(), EVERY):
            _audit(product, site, SAMPLE)


def last_audit(product: Product, id: str) -> ReadingAudit | None:
    """What was found the last time; None where nobody has looked."""
    mark: Mapping[str, Any] | None = product.store.marks.get(_mark(id))
    if mark is None:
        return None
    return ReadingAudit(id, mark["at"], tuple(AuditedPage(**page) for page in mark["pages"]), mark["not_shown"])


def _audit(product: Product, site: Site, most: int) -> ReadingAudit:
    shown, not_shown = _shown(product, site, most)
    recurring = _recurring(list(shown.values()))
    pages = [_audited(product, page, _without(text, recurring)) for page, text in shown.items()]
    found = ReadingAudit(site.id, product.now(), tuple(sorted(pages, key=lambda one: one.share)), not_shown)
    kept = {"at": found.at, "pages": [asdict(one) for one in found.pages], "not_shown": not_shown}
    product.store.marks.set(_mark(site.id), kept)
    return found


def _shown(product: Product, site: Site, most: int) -> tuple[dict[Page, str], int]:
    """Of pages with a text, what a browser shows; and how many it cannot show."""
    from crawler.fetch.rendering.visible_text import visible_text  # as above

    shown: dict[Page, str] = {}
    not_shown = 0
    for page in _sample(product, site, most):
        try:
            shown[page] = visible_text(
                page_to_look_at(product, page.capture, site),
                browser=product.settings.crawler.browser,
                seconds=product.settings.crawler.browser_seconds,
                most_bytes=_MOST,
            )
        except (Unreadable, TooLarge, NotFound):
            not_shown += 1
    return shown, not_shown


def _sample(product: Product, site: Site, most: int) -> list[Page]:
    found = [page for host in site.hosts for page in product.store.pages.of_host(host, most * _CHOSEN_OF)]
    return [page for page in found if _is_whole(page)][:most]


def _is_whole(page: Page) -> bool:
    """Whether it is markup that a server sent and that has a text of its own."""
    plain = page.text_digest is not None and page.note is None and page.part is None and page.gone_at is None
    return plain and page.capture.brought is None and "html" in content_type_of(page.capture).lower()


def _recurring(shown: Sequence[str]) -> set[str]:
    """The lines that more than half of the pages show."""
    if len(shown) < _LEAST_PAGES:
        return set()
    lines = Counter(line for text in shown for line in set(text.splitlines()))
    return {line for line, count in lines.items() if 2 * count > len(shown)}


def _without(text: str, recurring: set[str]) -> str:
    return "\n".join(line for line in text.splitlines() if line not in recurring)


def _audited(product: Product, page: Page, visible: str) -> AuditedPage:
    found: ReadShare = read_share(visible, product.store.blobs.get_text(page.text_digest or ""))
    return AuditedPage(page.url, found.visible, found.read, found.unread[:_TOLD])


def _mark(id: str) -> str:
    return f"reading:{id}"
