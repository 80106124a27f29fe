"""Search works, cases, pages, sites and comments by words, and texts by phrase."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from crawler.addresses import ascii_host, readable_host
from fingerprinter.initials.to_initials import to_initials
from matcher.phrases.occurrences import GRAM_LENGTH, PhraseOccurrence, find_occurrences, query_grams, text_grams
from matcher.phrases.phrase_index import IndexedText
from wenhen.cases.model import Case, Comment
from wenhen.context.use_cases import Context, Product
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Owner, OwnerKind, page_id
from wenhen.pages.model import Page, PageFilter
from wenhen.sites.model import Site
from wenhen.steps.claims import ChangedText, Steps
from wenhen.steps.runner import step_records
from wenhen.works.model import Work
from wenhen.works.service import suggest_works

# The index over phrases, brought up to what MongoDB holds: texts that changed since it was last looked at.
#
# It lies in a file beside the worker that keeps it, and is made anew from the texts where that is gone.


TEXTS_PER_BATCH: Final = 200  # texts of one write
MAX_WRITE_LAG: Final = timedelta(seconds=30)  # a write that took so long may come behind the mark


def update_phrase_index(context: Context, most: int) -> int:
    """Put in the next texts that changed, works before pages; how many were looked at."""
    looked = 0
    for kind in (OwnerKind.WORK, OwnerKind.PAGE):
        more = True
        while more and looked < most:
            indexed, more = _index_next_texts(context, kind)
            looked += indexed
    return looked


def _index_next_texts(context: Context, kind: OwnerKind) -> tuple[int, bool]:
    """Put in the texts behind the mark; how many were looked at, and whether there may be more.

    The mark stays `MAX_WRITE_LAG` behind, so that a write that took long is still met; what is known by then costs a
    look.
    """
    name, now = f"after:{kind}", context.now()
    records: Steps[Any] = step_records(context, kind)
    changed = records.texts_changed(_parse_mark(context.phrases.mark(name)), until=now, limit=TEXTS_PER_BATCH)
    if not changed:
        return 0, False
    settled = [text for text in changed if text.updated_at < now - MAX_WRITE_LAG]
    marks = {name: f"{settled[-1].updated_at.isoformat()} {settled[-1].id}"} if settled else {}
    new = _find_unindexed_texts(context, kind, changed)
    if new or marks:
        context.phrases.put(new, marks)
    return len(changed), len(settled) == TEXTS_PER_BATCH


def _find_unindexed_texts(context: Context, kind: OwnerKind, changed: Sequence[ChangedText]) -> list[IndexedText]:
    """Those whose text is not in the index yet."""
    digests = {str(Owner(kind, text.id)): text.digest for text in changed if text.digest}
    known = context.phrases.digests_of(digests)
    new = {owner: digest for owner, digest in digests.items() if known.get(owner) != digest}
    texts = context.store.blobs.texts_there(new.values())  # one that is lost is looked for when its record changes
    return [
        IndexedText(owner, digest, text_grams(to_initials(texts[digest])))
        for owner, digest in new.items()
        if digest in texts
    ]


def _parse_mark(mark: str | None) -> tuple[datetime, str] | None:
    """When the last text changed that is in, and its id."""
    if mark is None:
        return None
    moment, _, id = mark.partition(" ")
    return datetime.fromisoformat(moment), id


MAX_CHECKED_TEXTS: Final = 200  # texts that may hold a phrase, those that came in last: as many are read
CONTEXT_CHARACTERS: Final = 30  # characters shown on either side


@dataclass(frozen=True, slots=True)
class TextHit:
    """A text that holds a phrase: where it stands first, with what is around it, and how often."""

    owner: Owner
    title: str
    host: str | None  # of a page
    before: str
    found: str
    after: str
    exact: bool  # in the same characters; else in others of the same sound, as traditional forms and homophones are
    times: int


@dataclass(frozen=True, slots=True)
class TextHits:
    """The texts that hold a phrase, those with its very characters first.

    letters: of the phrase, too few below `least`. whole: no text was left unread. ready: there is an index.
    """

    hits: tuple[TextHit, ...]
    letters: int
    whole: bool
    ready: bool
    least: int = GRAM_LENGTH


def find_phrase(product: Product, phrase: str, most: int) -> TextHits:
    """The texts that hold a phrase of `GRAM_LENGTH` letters or more, at most so many."""
    letters = to_initials(phrase)
    if len(letters) < GRAM_LENGTH or not product.phrases.exists():
        return TextHits((), len(letters), len(letters) >= GRAM_LENGTH, product.phrases.exists())
    holding = product.phrases.holding(query_grams(letters), MAX_CHECKED_TEXTS + 1)
    hits = [hit for text in _load_texts(product, holding[:MAX_CHECKED_TEXTS]) if (hit := _make_hit(phrase, *text))]
    hits.sort(key=lambda hit: not hit.exact)
    return TextHits(tuple(hits[:most]), len(letters), len(holding) <= MAX_CHECKED_TEXTS, True)


def _load_texts(product: Product, owners: Sequence[str]) -> list[tuple[Owner, Work | Page, str]]:
    """The works and pages that are there, each with its text."""
    named = [Owner.parse(owner) for owner in owners]
    works = product.store.works.many([owner.id for owner in named if owner.kind is OwnerKind.WORK])
    pages = product.store.pages.many([owner.id for owner in named if owner.kind is OwnerKind.PAGE])
    records: dict[Owner, Work | Page] = {
        **{Owner.of_work(id): work for id, work in works.items() if work.removed_at is None},
        **{Owner.of_page(id): page for id, page in pages.items()},
    }
    texts = product.store.blobs.texts_there({record.text_digest for record in records.values() if record.text_digest})
    return [
        (owner, records[owner], texts[digest])
        for owner in named
        if owner in records and (digest := records[owner].text_digest) in texts
    ]


def _make_hit(phrase: str, owner: Owner, record: Work | Page, text: str) -> TextHit | None:
    standing = find_occurrences(phrase, text)
    if not standing:
        return None
    first: PhraseOccurrence = min(standing, key=lambda place: not place.exact)
    return TextHit(
        owner=owner,
        title=record.title or (record.url if isinstance(record, Page) else record.id),
        host=record.host if isinstance(record, Page) else None,
        before=text[max(0, first.start - CONTEXT_CHARACTERS) : first.start],
        found=text[first.start : first.end],
        after=text[first.end : first.end + CONTEXT_CHARACTERS],
        exact=first.exact,
        times=len(standing),
    )


MAX_QUERY_CHARACTERS: Final = 200  # characters
MAX_RESULTS_PER_KIND: Final = 10  # of each kind
MAX_RESULT_COUNT: Final = 10_000  # as far as works and cases are counted


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a query finds: the first `MAX_RESULTS_PER_KIND` of each kind, and how many works and cases there are."""

    works: Sequence[Work]
    all_works: int
    cases: Sequence[Case]
    all_cases: int
    pages: Sequence[Page]  # at this address, on this host, or whose title begins so
    sites: Sequence[Site]
    comments: Sequence[Comment]
    texts: TextHits
    numbered: bool = False  # the first case is the one of that number

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.works or self.cases or self.pages or self.sites or self.comments or self.texts.hits)


def search_everything(product: Product, query: str) -> SearchResult:
    """What a query finds; nothing for an empty one."""
    store, query = product.store, query.strip()[:MAX_QUERY_CHARACTERS]
    if not query:
        return SearchResult((), 0, (), 0, (), (), (), TextHits((), 0, True, product.phrases.exists()))
    works = suggest_works(product, query)[:MAX_RESULTS_PER_KIND]
    numbered = find_numbered_case(product, query)
    worded = [] if query.startswith("#") and numbered else store.cases.find(text=query, limit=MAX_RESULTS_PER_KIND)
    cases = [*([numbered] if numbered else []), *(case for case in worded if case != numbered)][:MAX_RESULTS_PER_KIND]
    return SearchResult(
        works=works,
        all_works=store.works.count(query=query, most=MAX_RESULT_COUNT)
        if len(works) == MAX_RESULTS_PER_KIND
        else len(works),
        cases=cases,
        all_cases=store.cases.count(text=query) if len(cases) == MAX_RESULTS_PER_KIND else len(cases),
        pages=_find_pages(product, query),
        sites=[site for site in store.sites.all() if _is_site_named(site, query.casefold())][:MAX_RESULTS_PER_KIND],
        comments=store.comments.search(query, MAX_RESULTS_PER_KIND),
        texts=find_phrase(product, query, MAX_RESULTS_PER_KIND),
        numbered=numbered is not None,
    )


def find_numbered_case(product: Product, query: str) -> Case | None:
    """The case of this number, as people write it."""
    number = query.removeprefix("#")
    if number.isascii() and number.isdecimal() and len(number) < 18:
        with suppress(NotFound):
            return product.store.cases.get(number)
    return None


def _find_pages(product: Product, query: str) -> list[Page]:
    pages = product.store.pages
    if "/" in query:
        address = query if "://" in query else f"https://{query}"
        return list(pages.many([page_id(address)]).values())
    if "." in query and (host := ascii_host(query)) and host.isascii():
        return pages.search(PageFilter(host=host.lower()), limit=MAX_RESULTS_PER_KIND)
    return pages.search(PageFilter(title=query), limit=MAX_RESULTS_PER_KIND)


def _is_site_named(site: Site, words: str) -> bool:
    return words in site.name.casefold() or any(words in host or words in readable_host(host) for host in site.hosts)
