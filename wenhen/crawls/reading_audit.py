"""Measure the recall of text extraction: render sampled pages of a site and compare their visible text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from crawler.capture import Capture
from crawler.rendering.browser import DocumentToRender
from wenhen.context.use_cases import Acting, Product
from wenhen.kit.errors import NotFound, SetupError, TooLarge, Unreadable
from wenhen.kit.rights import Right
from wenhen.pages.model import Page
from wenhen.sites.model import Site


def document_to_render(product: Product, capture: Capture, site: Site | None) -> DocumentToRender:
    """Return the captured body with the settings to render it.

    site: None if no watched site contains the page.

    Raises `NotFound` if the store has lost the body.
    """
    rules = product.settings.crawler
    internal = site is not None and (site.internal or set(site.hosts) <= set(rules.host_map))
    return DocumentToRender(
        url=capture.url,
        document=product.store.blobs.get(capture.body_digest),
        content_type=capture_content_type(capture),
        user_agent=rules.user_agent,
        internal=internal,
        host_map=rules.host_map if internal else {},
    )


def capture_content_type(capture: Capture) -> str:
    """Return the Content-Type header of the capture, by default text/html."""
    return next((value for name, value in capture.headers if name.lower() == "content-type"), "text/html")


# Recall of extraction: the share of visible prose that the extracted text contains.


GRAM_CHARACTERS: Final = 6  # length of the character n-grams that count as extracted if both texts contain them
_MIN_PROSE_CHARACTERS: Final = 20  # characters of a line that counts as prose if it also has clause punctuation
_CLAUSE_END: Final = re.compile(r"[，。！？；：、,.!?;…]")
_WHITESPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ReadShare:
    """Recall of extraction on one page.

    visible: number of characters of visible prose.
    read: how many of them the extracted text contains.
    unread: the longest run of prose that is missing.
    """

    visible: int
    read: int
    unread: str

    @property
    def share(self) -> float:
        """Return the recall from 0 to 1. It is 1 for a page without prose."""
        return self.read / self.visible if self.visible else 1.0


def measure_read_share(visible: str, text: str) -> ReadShare:
    """Compare visible and extracted text, ignoring whitespace.

    visible: one paragraph per line.
    """
    plain = _WHITESPACE.sub("", text)
    known = {plain[start : start + GRAM_CHARACTERS] for start in range(len(plain) - GRAM_CHARACTERS + 1)}
    lines = [line for line in (_WHITESPACE.sub("", raw_line) for raw_line in visible.splitlines()) if _is_prose(line)]
    held = [_covered_characters(line, known) for line in lines]
    unread = max(
        (run for line, marks in zip(lines, held, strict=True) for run in _unread_runs(line, marks)), key=len, default=""
    )
    return ReadShare(sum(map(len, lines)), sum(map(sum, held)), unread)


def _is_prose(line: str) -> bool:
    return len(line) >= _MIN_PROSE_CHARACTERS and _CLAUSE_END.search(line) is not None


def _covered_characters(line: str, known: set[str]) -> list[bool]:
    """Return for each character whether the extracted text contains it."""
    held = [False] * len(line)
    for start in range(len(line) - GRAM_CHARACTERS + 1):
        if line[start : start + GRAM_CHARACTERS] in known:
            held[start : start + GRAM_CHARACTERS] = [True] * GRAM_CHARACTERS
    return held


def _unread_runs(line: str, held: list[bool]) -> Iterator[str]:
    begin = 0
    for index, is_read in enumerate([*held, True]):
        if is_read:
            if index > begin:
                yield line[begin:index]
            begin = index + 1


# Recall of a site: sampled pages are rendered and compared with their extracted text. Lines that most of the pages show
# do not count.


AUDIT_SAMPLE_PAGES: Final = 20  # pages of a site
AUDIT_INTERVAL: Final = timedelta(days=7)
MAX_AUDIT_DURATION: Final = timedelta(minutes=5)  # no further site is started after this time
_SAMPLE_FACTOR: Final = 10  # pages to load per sampled page, because many have no text or are gone
_MIN_SHARED_PAGES: Final = 3  # pages needed to detect recurring lines
_MAX_BODY_BYTES: Final = 16 << 20  # bytes of a rendered page
_MAX_REPORTED_CHARACTERS: Final = 200  # characters of reported missing prose


@dataclass(frozen=True, slots=True)
class AuditedPage:
    """Recall of extraction on a page: characters of visible prose, extracted ones, and the longest missing run."""

    url: str
    visible: int
    read: int
    unread: str

    @property
    def share(self) -> float:
        """Return the recall from 0 to 1."""
        return self.read / self.visible if self.visible else 1.0


@dataclass(frozen=True)
class ReadingAudit:
    """Results for a site, worst page first.

    not_shown: number of pages that could not be rendered.
    """

    site_id: str
    at: datetime
    pages: tuple[AuditedPage, ...]
    not_shown: int

    @cached_property
    def share(self) -> float | None:
        """Return the recall over all characters of prose. None if there are none."""
        visible = sum(page.visible for page in self.pages)
        return sum(page.read for page in self.pages) / visible if visible else None


def audit_reading(acting: Acting, id: str, *, most: int = AUDIT_SAMPLE_PAGES) -> ReadingAudit:
    """Audit sampled pages of a site, and store the result.

    Raises `NotFound`, and `SetupError` without a browser.
    """
    acting.require(Right.SITES)
    return _audit_site(acting.product, acting.product.store.sites.get(id), most)


def audit_due_sites(product: Product) -> None:
    """Audit sites whose last audit is older than `AUDIT_INTERVAL`, for at most `MAX_AUDIT_DURATION`.

    Paused sites are skipped. Nothing happens without a browser.
    """
    from crawler.rendering.browser import find_browser  # slow import, not needed to read results

    try:
        find_browser(product.settings.crawler.browser)
    except SetupError:
        return
    until = product.now() + MAX_AUDIT_DURATION
    for site in product.store.sites.all():
        if site.paused or product.now() > until:
            continue
        if product.store.marks.claim(f"{_audit_mark(site.id)}:due", product.now(), AUDIT_INTERVAL):
            _audit_site(product, site, AUDIT_SAMPLE_PAGES)


def last_audit(product: Product, id: str) -> ReadingAudit | None:
    """Return the last result for a site. None if it was never audited."""
    mark: Mapping[str, Any] | None = product.store.marks.get(_audit_mark(id))
    if mark is None:
        return None
    return ReadingAudit(id, mark["at"], tuple(AuditedPage(**page) for page in mark["pages"]), mark["not_shown"])


def _audit_site(product: Product, site: Site, most: int) -> ReadingAudit:
    shown, not_shown = _visible_texts(product, site, most)
    recurring = _recurring_lines(list(shown.values()))
    pages = [_audit_page(product, page, _drop_lines(text, recurring)) for page, text in shown.items()]
    reading_audit = ReadingAudit(site.id, product.now(), tuple(sorted(pages, key=lambda page: page.share)), not_shown)
    kept = {"at": reading_audit.at, "pages": [asdict(page) for page in reading_audit.pages], "not_shown": not_shown}
    product.store.marks.set(_audit_mark(site.id), kept)
    return reading_audit


def _visible_texts(product: Product, site: Site, most: int) -> tuple[dict[Page, str], int]:
    """Return the visible text of sampled pages, and the number of pages that could not be rendered."""
    from crawler.rendering.browser_page import read_visible_text  # slow import, as above

    shown: dict[Page, str] = {}
    not_shown = 0
    for page in _sample_pages(product, site, most):
        try:
            shown[page] = read_visible_text(
                document_to_render(product, page.capture, site),
                browser=product.settings.crawler.browser,
                seconds=product.settings.crawler.browser_seconds,
                most_bytes=_MAX_BODY_BYTES,
            )
        except (Unreadable, TooLarge, NotFound):
            not_shown += 1
    return shown, not_shown


def _sample_pages(product: Product, site: Site, most: int) -> list[Page]:
    pages = [page for host in site.hosts for page in product.store.pages.of_host(host, most * _SAMPLE_FACTOR)]
    return [page for page in pages if _is_whole_page(page)][:most]


def _is_whole_page(page: Page) -> bool:
    """Return whether the page is fetched HTML with its own complete text."""
    plain = page.text_digest is not None and page.note is None and page.part is None and page.gone_at is None
    return plain and page.capture.brought is None and "html" in capture_content_type(page.capture).lower()


def _recurring_lines(shown: Sequence[str]) -> set[str]:
    """Return the lines that more than half of the pages show."""
    if len(shown) < _MIN_SHARED_PAGES:
        return set()
    lines = Counter(line for text in shown for line in set(text.splitlines()))
    return {line for line, count in lines.items() if 2 * count > len(shown)}


def _drop_lines(text: str, recurring: set[str]) -> str:
    return "\n".join(line for line in text.splitlines() if line not in recurring)


def _audit_page(product: Product, page: Page, visible: str) -> AuditedPage:
    read_share: ReadShare = measure_read_share(visible, product.store.blobs.get_text(page.text_digest or ""))
    return AuditedPage(page.url, read_share.visible, read_share.read, read_share.unread[:_MAX_REPORTED_CHARACTERS])


def _audit_mark(id: str) -> str:
    return f"reading:{id}"
