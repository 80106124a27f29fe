"""Find books that copy a series and go on with chapters of somebody else (冒名续写).

A pirate publishes the first chapters under the author's title and pen name, and others write the rest. The copied
chapters have cases. The others copy nothing, so only the book as a whole shows what they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median_low
from typing import Final, NamedTuple
from urllib.parse import urljoin

from crawler.extraction.links import CHAPTER_NUMBER, find_number
from wenhen.cases.rules import NON_COPY_STATUSES
from wenhen.context.use_cases import Product
from wenhen.discovery.service import fold_name
from wenhen.kit.progress import Step
from wenhen.pages.model import Page
from wenhen.works.model import Work

MIN_COPIED_CHAPTERS: Final = 3  # chapters of a series that a book copies
MIN_CONTINUED_CHAPTERS: Final = 2  # a single page behind the last chapter is often the pirate's own notice
MAX_OTHER_SHARE: Final = 0.2  # of the pages numbered among the copied chapters; more are other books at that address
MAX_SERIES_WORKS: Final = 5_000
MAX_SERIES_CASES: Final = 20_000
MAX_HOST_PAGES: Final = 50_000  # pages of a host among which those of a book are looked for
_WORKS_PER_QUERY: Final = 1_000


@dataclass(frozen=True, slots=True)
class ContinuedChapter:
    """A chapter of a book that copies no work of the library."""

    number: int  # in its title
    page_id: str
    url: str
    title: str
    first_seen: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A book that copies chapters of a series and goes on. Chapter numbers are those of the book."""

    series: str
    author: str | None
    host: str
    address: str  # directory of the book's pages
    named: bool  # titles of the pages, or their authors, name the series or its author
    copied: int  # pages that copy the series
    copied_from: int
    copied_to: int
    continued_from: int
    registered_to: int | None  # last chapter of the series in the library; later ones may be the author's
    differing: int  # chapters that the library has, and that have another text in the book
    chapters: tuple[ContinuedChapter, ...]


class CopiedChapter(NamedTuple):
    """A page that copies a chapter of the series. chapter: number of the work, if known."""

    page: Page
    chapter: int | None


def find_continuations(product: Product, series: str) -> list[Continuation]:
    """Return the books that copy a series and go on with other chapters, the longest continuation first.

    Only stored pages are known. Pages that are not matched yet count as neither.
    """
    store = product.store
    works = {
        work.id: work
        for skip in range(0, MAX_SERIES_WORKS, _WORKS_PER_QUERY)
        for work in store.works.find(series=series, skip=skip, limit=_WORKS_PER_QUERY)
    }
    keys = store.cases.keys(work_ids=list(works), copies=True, limit=MAX_SERIES_CASES)
    pages = store.pages.many({key["page_id"] for key in keys})
    copied: dict[str, dict[str, CopiedChapter]] = {}
    for key in keys:
        if page := pages.get(key["page_id"]):
            by_page = copied.setdefault(book_address(page.url), {})
            by_page.setdefault(page.id, CopiedChapter(page, works[key["work_id"]].chapter))
    found = []
    for address, chapters in copied.items():
        if len(chapters) < MIN_COPIED_CHAPTERS:
            continue
        host = next(iter(chapters.values())).page.host
        beside = store.pages.in_directory(host, address, MAX_HOST_PAGES)
        others = [page for page in beside if page.id not in chapters and is_matched(page)]
        cases = store.cases.of_pages([page.id for page in others])
        free = [page for page in others if all(case.status in NON_COPY_STATUSES for case in cases.get(page.id, ()))]
        if continuation := describe_continuation(address, list(works.values()), list(chapters.values()), free):
            found.append(continuation)
    return sorted(found, key=lambda each: (-len(each.chapters), each.address))


def book_address(url: str) -> str:
    """Return the directory of a page. The chapters of a book usually share one.

    >>> book_address("https://a.example/book/12/7.html?from=list")
    'https://a.example/book/12/'
    """
    return urljoin(url, ".")


def is_matched(page: Page) -> bool:
    """Return whether the text of a page was compared with the library."""
    return page.progress.step is Step.DONE and page.text_digest is not None and page.note is None


def describe_continuation(
    address: str, works: Sequence[Work], copied: Sequence[CopiedChapter], others: Iterable[Page]
) -> Continuation | None:
    """Return how a book goes on, or None if it does not.

    works: the series. copied: pages of the book that copy it. others: pages of the directory that copy no work.

    A directory may hold several books. Where most copied pages name the series, its pages do so. Elsewhere, pages that
    are numbered like copied ones and copy nothing show that there are other books.
    """
    names = [name for work in works[:1] for name in (work.series, work.author) if name]
    numbers = [number for page, _ in copied if (number := chapter_number(page)) is not None]
    if len(numbers) < MIN_COPIED_CHAPTERS:
        return None
    named = 2 * sum(_names_book(page, names) for page, _ in copied) > len(copied)
    of_book = [page for page in others if not named or _names_book(page, names)]
    by_number: Mapping[int, Page] = {number: page for page in of_book if (number := chapter_number(page)) is not None}
    first, last = min(numbers), max(numbers)
    among = sum(first <= number <= last for number in by_number)
    further = sorted(number for number in by_number if number > last)
    if len(further) < MIN_CONTINUED_CHAPTERS or among > MAX_OTHER_SHARE * (among + len(numbers)):
        return None
    registered_to = _last_registered(works, copied)
    return Continuation(
        series=works[0].series or "",
        author=works[0].author,
        host=copied[0].page.host,
        address=address,
        named=named,
        copied=len(copied),
        copied_from=first,
        copied_to=last,
        continued_from=further[0],
        registered_to=registered_to,
        differing=sum(number <= (registered_to or 0) for number in further),
        chapters=tuple(
            ContinuedChapter(number, page.id, page.url, page.title or "", page.first_seen)
            for number in further
            for page in (by_number[number],)
        ),
    )


def chapter_number(page: Page) -> int | None:
    """Return the number of the chapter in the title of a page."""
    return find_number(CHAPTER_NUMBER, page.title or "")


def _names_book(page: Page, names: Iterable[str]) -> bool:
    shown = fold_name(f"{page.title or ''}\n{page.author or ''}")
    return any(fold_name(name) in shown for name in names)


def _last_registered(works: Sequence[Work], copied: Sequence[CopiedChapter]) -> int | None:
    """Return the last chapter of the library in the book's numbering, which may begin elsewhere."""
    shifts = [
        number - chapter
        for page, chapter in copied
        if chapter is not None and (number := chapter_number(page)) is not None
    ]
    registered = [work.chapter for work in works if work.chapter is not None]
    return max(registered) + median_low(shifts) if shifts and registered else None
