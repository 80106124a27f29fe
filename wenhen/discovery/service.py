"""Search the web for distinctive sentences and names of a work within a daily quota, and review the addresses found."""

import re
import secrets
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple, cast

from crawler.addresses import host_of
from fingerprinter.words.text import WordWeights, clean_text, cut_words, default_weights, remove_stop_words
from matcher.clusters import cluster_of
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.model import Run
from wenhen.crawls.service import start_crawl
from wenhen.discovery.engines import SearchAnswer, SearchEngine, SearchHit, open_engine
from wenhen.discovery.model import Discovery, DiscoveryStatus, RequestedSearch, SearchState
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, NotFound, Unavailable, WenhenError
from wenhen.kit.mongo.codec import encode, from_document
from wenhen.kit.progress import Owner, Subject, SubjectKind, page_id
from wenhen.kit.rights import Right
from wenhen.matching.candidates import find_candidate_works
from wenhen.works.model import Work

# Distinctive sentences: rare words, and the length that engines search for.


MIN_QUERY_CHARACTERS, MAX_QUERY_CHARACTERS = 10, 38  # characters of a query; engines cut longer ones
_SENTENCE_END = re.compile(r"[。！？!?；;…\n\r]+")
_CLAUSE = re.compile(r"[^，、：,:]+[，、：,:]?")
_DROPPED_SIGNS = re.compile(r"[\s\"“”‘’「」『』《》（）()【】\[\]—]+")


def distinctive_queries(text: str, weights: WordWeights | None = None) -> list[str]:
    """Return queries for a text, the most distinctive first: the first clauses of each sentence.

    A query has at most `MAX_QUERY_CHARACTERS` characters. It is ranked by the sum of the IDF of its distinct words,
    without stop words. Equal queries appear once.
    """
    worth = weights or default_weights()
    queries = dict.fromkeys(
        query for query in map(_make_query, _SENTENCE_END.split(clean_text(text))) if len(query) >= MIN_QUERY_CHARACTERS
    )
    scores = {query: sum(worth[word] for word in sorted(set(remove_stop_words(cut_words(query))))) for query in queries}
    return sorted(queries, key=lambda query: -scores[query])


def strip_quotes(text: str) -> str:
    """Remove white space, quotation marks, brackets and dashes, as in queries."""
    return _DROPPED_SIGNS.sub("", text)


def spread_queries(questions: Sequence[str], text: str, count: int) -> list[str]:
    """Return `count` of the queries, which are sorted best first, from different sections of the text if possible.

    A partial copy of a work contains one of its sections.
    """
    unquoted = strip_quotes(text)
    taken: dict[int, str] = {}
    for question in questions:
        stretch = max(0, unquoted.find(question)) * count // max(1, len(unquoted))
        taken.setdefault(stretch, question)
        if len(taken) == count:
            break
    rest = [question for question in questions if question not in taken.values()]
    return [*taken.values(), *rest][:count]


def _make_query(sentence: str) -> str:
    made = ""
    for clause in _CLAUSE.findall(strip_quotes(sentence)):
        if made and len(made) + len(clause) > MAX_QUERY_CHARACTERS + 1:
            break
        made += clause
    return made[:MAX_QUERY_CHARACTERS].rstrip("，、：,:")


class BookNameQuery(NamedTuple):
    """A query for two names. phrase: both, each a phrase of its own within quotation marks. title: the folded title."""

    phrase: str
    title: str


# Selection of the queries for a work: distinctive sentences that no other work contains.


MAX_TRIED_SENTENCES: Final = 8  # sentences tried per wanted one, because some are in other works too


def choose_queries(product: Product, work: Work) -> tuple[str, ...]:
    """Return distinctive sentences from all parts of the work that no other work contains.

    Near duplicates of the work do not count as other works, because their copies are the same.
    """
    text = product.store.blobs.get_text(work.text_digest)
    own_cluster = _work_cluster(product, work.id)
    count = product.settings.discover.sentences
    own: list[str] = []
    for sentence in distinctive_queries(text)[: MAX_TRIED_SENTENCES * count]:
        if not _is_in_other_work(product, work.id, own_cluster, sentence):
            own.append(sentence)
        if len(own) == 2 * count:  # enough to spread over the text
            break
    return tuple(spread_queries(own, text, count))


def _is_in_other_work(product: Product, work_id: str, own_cluster: str | None, sentence: str) -> bool:
    ranked = find_candidate_works(product, TextReading(sentence))
    other_works = product.store.works.many(
        [candidate.owner_id for candidate in ranked if candidate.owner_id != work_id]
    )
    others = (
        work for work in other_works.values() if own_cluster is None or _work_cluster(product, work.id) != own_cluster
    )
    return any(sentence in strip_quotes(product.store.blobs.get_text(other.text_digest)) for other in others)


def _work_cluster(product: Product, work_id: str) -> str | None:
    return cluster_of(product.store.clusters, Owner.of_work(work_id))


# The query for the names of a book: whoever sells it under another's name shows them.


MIN_NAME_CHARACTERS: Final = 2
_MAX_NAME_CHARACTERS: Final = 28  # of both names; engines cut longer queries


def fold_name(name: str) -> str:
    """Return a name without white space and quotation marks, in one width and case, for comparison."""
    return strip_quotes(unicodedata.normalize("NFKC", name)).casefold()


def choose_name_query(product: Product, work: Work) -> BookNameQuery | None:
    """Return the query for title and author of a book, or None for later chapters and works without an author.

    A book under the author's name may copy little of it, or nothing.
    """
    title, author = strip_quotes(work.series or work.title), strip_quotes(work.author or "")
    if min(len(title), len(author)) < MIN_NAME_CHARACTERS or len(title + author) > _MAX_NAME_CHARACTERS:
        return None
    if work.series and [first.id for first in product.store.works.find(series=work.series, limit=1)] != [work.id]:
        return None
    return BookNameQuery(f'{title}" "{author}', fold_name(title))


# Searches that people ask for on screen. A worker runs them.


_SEARCH_MARK_PREFIX: Final = "discover:"
_SEARCH_KEPT: Final = timedelta(days=30)
_SEARCH_LEASE: Final = timedelta(minutes=10)  # without a word of the worker, another one takes the search


@audited("discovery.search")
def request_search(acting: Acting, work_id: str) -> ChangeResult[RequestedSearch]:
    """Have a worker search for copies of a work. A search that waits already stays.

    Raises `NotFound`, `Forbidden`, and `BadInput` without a search engine.
    """
    acting.require(Right.CRAWL)
    product = acting.product
    work = product.store.works.get(work_id)
    if not product.settings.discover.can_ask:
        raise BadInput("discover.no_engine")
    waiting = [search for search in requested_searches(product) if search.state is SearchState.WAITING]
    if search := next((search for search in waiting if search.work_id == work.id), None):
        return change_result(search)  # a worker may be at it
    requested = RequestedSearch(work_id=work.id, by=acting.who, asked_at=product.now())
    _note_search(product, requested)
    product.queue.listings()
    return change_result(requested, AuditLine(f"work:{work.id}", new=work.title))


def requested_searches(product: Product) -> list[RequestedSearch]:
    """Return the requested searches of the last weeks, the newest first."""
    searches = (from_document(RequestedSearch, value) for value in product.store.marks.with_prefix(_SEARCH_MARK_PREFIX))
    return sorted(searches, key=lambda search: search.asked_at, reverse=True)


def run_requested_searches(product: Product) -> None:
    """Run the searches that wait, one after the other. Each notes what it found, or why it failed."""
    for search in reversed(requested_searches(product)):
        name = _SEARCH_MARK_PREFIX + search.work_id
        if search.state is not SearchState.WAITING or not product.store.marks.claim(name, product.now(), _SEARCH_LEASE):
            continue
        try:
            engine = open_metered_engine(product)
            try:
                found = search_for_work(product, search.work_id, engine, partial(_renew_lease, product, name))
            finally:
                engine.close()
        except WenhenError as error:
            _note_search(product, replace(search, state=SearchState.FAILED, problem=error.message))
        else:
            known = found.on_list + found.known
            _note_search(product, replace(search, state=SearchState.DONE, new=len(found.new), known=known))
        product.store.marks.release(name)


def _renew_lease(product: Product, name: str, _done: int, _total: int) -> None:
    product.store.marks.extend(name, product.now() + _SEARCH_LEASE)


def _note_search(product: Product, search: RequestedSearch) -> None:
    until = product.now() + _SEARCH_KEPT
    product.store.marks.set(_SEARCH_MARK_PREFIX + search.work_id, encode(search), until=until)


# Search for the sentences of a work. The addresses found go on the review list.


SearchProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Discovered:
    """The result of a search. new: addresses that were not on the list. known: number of pages already stored."""

    asked: tuple[str, ...]
    new: tuple[Discovery, ...]
    on_list: int
    known: int


def search_for_work(product: Product, work_id: str, engine: SearchEngine, progress: SearchProgress) -> Discovered:
    """Search for sentences of a work and the names of its book, and put the addresses found on the review list.

    Pages that are already stored, and the address of the work itself, are left out. Raises `NotFound`, `BadInput` for a
    work without a usable sentence, and errors of the engine; results up to an error are stored.
    """
    work = product.store.works.get(work_id)
    names = choose_name_query(product, work)
    queries = (*choose_queries(product, work), *((names.phrase,) if names else ()))
    if not queries:
        raise BadInput("discover.no_sentence", id=work_id)
    new: dict[str, Discovery] = {}
    on_list, known = set(), set()
    for done, sentence in enumerate(queries):
        progress(done, len(queries))
        if done:
            time.sleep(product.settings.discover.delay)
        for hit in engine.search(sentence).hits[: product.settings.discover.results]:
            if names and sentence == names.phrase and not _shows_book(work, names.title, hit):
                continue
            discovery = _make_discovery(product, work, hit, sentence, engine.name)
            if _is_known_page(product, work, hit.url):
                known.add(hit.url)
            elif product.store.discoveries.add(discovery):
                new[discovery.id] = discovery
            elif discovery.id not in new:
                on_list.add(discovery.id)
    progress(len(queries), len(queries))
    return Discovered(queries, tuple(new.values()), len(on_list), len(known))


def _shows_book(work: Work, title: str, hit: SearchHit) -> bool:
    """Return whether a hit for the names is entitled like the book, and not on the site of its first publication."""
    own_host = host_of(work.url) if work.url else None
    return title in fold_name(hit.title) and host_of(hit.url) != own_host


def _is_known_page(product: Product, work: Work, url: str) -> bool:
    if url == work.url:
        return True
    with suppress(NotFound):
        return bool(product.store.pages.get(page_id(url)))
    return False


def _make_discovery(product: Product, work: Work, hit: SearchHit, sentence: str, engine: str) -> Discovery:
    name = f"{work.id}\n{hit.url}".encode("utf-8", "surrogatepass")
    return Discovery(
        id=sha256(name).hexdigest()[:12],
        work_id=work.id,
        url=hit.url,
        title=hit.title[:200],
        sentences=(sentence,),
        engine=engine,
        found_at=product.now(),
        found_by=hit.engines,
    )


_MAX_LINE_CHARACTERS: Final = 1000  # characters of the ids in an audit line


def decide_discoveries(acting: Acting, ids: Sequence[str], status: DiscoveryStatus) -> None:
    """Accept or refuse these addresses. Raises BadInput, NotFound."""
    decisions = {DiscoveryStatus.ACCEPTED: accept_discoveries, DiscoveryStatus.REFUSED: refuse_discoveries}
    if status not in decisions:
        raise BadInput("discover.no_decision", status=str(status))
    decisions[status](acting, ids)


@audited("discovery.accepted")
def accept_discoveries(acting: Acting, ids: Sequence[str]) -> ChangeResult[Run]:
    """Fetch these addresses with one crawl that follows no links. Raises NotFound."""
    acting.require(Right.CRAWL)
    product, batch = acting.product, secrets.token_hex(6)
    product.store.discoveries.decide(ids, DiscoveryStatus.ACCEPTED, moment=product.now(), batch=batch)
    return change_result(start_crawl(product, Subject(SubjectKind.BATCH, batch)), _discovery_line(ids))


@audited("discovery.refused")
def refuse_discoveries(acting: Acting, ids: Sequence[str]) -> ChangeResult[None]:
    """Refuse these addresses, also when they are found again. Raises NotFound."""
    acting.require(Right.CRAWL)
    product = acting.product
    product.store.discoveries.decide(ids, DiscoveryStatus.REFUSED, moment=product.now())
    return change_result(None, _discovery_line(ids))


def _discovery_line(ids: Sequence[str]) -> AuditLine:
    return AuditLine(f"discoveries:{len(ids)}", new=" ".join(ids)[:_MAX_LINE_CHARACTERS])


_QUOTA_MARK: Final = "search-quota"
_QUESTIONS_COUNTER: Final = "search-questions"
_MAX_CACHED_HITS: Final = 200


def open_metered_engine(product: Product, *, fresh: bool = False) -> "MeteredEngine":
    """Return the configured engine with its quota and cache. fresh: stored answers are not used.

    Raises SetupError if the engine is unknown, or its address or key is missing.
    """
    return MeteredEngine(product, open_engine(product.settings.discover), fresh=fresh)


class MeteredEngine:
    """An engine that is asked `discover.questions_a_day` questions at most, by all processes together.

    An answer that lacks engines behind a SearXNG is not stored.
    """

    def __init__(self, product: Product, engine: SearchEngine, *, fresh: bool) -> None:
        self._product, self._engine, self._fresh = product, engine, fresh
        self.name = engine.name

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Return the addresses of pages with the phrase. Raises Unavailable when the quota is used up, SetupError."""
        settings, marks, now = self._product.settings.discover, self._product.store.marks, self._product.now()
        cache_key = f"{self.name}\n{settings.url}\n{of}\n{settings.results}\n{phrase}"
        name = f"search:{sha256(cache_key.encode('utf-8', 'replace')).hexdigest()[:32]}"
        lifetime = timedelta(hours=settings.cache_hours)
        if not self._fresh and (stored := _stored_answer(marks.get(name), now - lifetime)):
            return stored
        self._count(now)
        answer = self._engine.search(phrase, of)
        if lifetime and not answer.silent and len(answer.hits) <= _MAX_CACHED_HITS:
            hits = [{"url": hit.url, "title": hit.title, "engines": list(hit.engines)} for hit in answer.hits]
            marks.set(name, {"at": now, "hits": hits}, until=now + lifetime)
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._engine.close()

    def _count(self, now: datetime) -> None:
        """Count a question of today. Raises Unavailable if there were enough."""
        most = self._product.settings.discover.questions_a_day
        if not most:
            return
        marks, today = self._product.store.marks, china_day(now).isoformat()
        number = self._product.store.counters.take(_QUESTIONS_COUNTER, 1).start
        mark = marks.get(_QUOTA_MARK)
        if mark is None or mark.get("day") != today:
            mark = {"day": today, "first": number}
            marks.set(_QUOTA_MARK, mark)
        if number - cast("int", mark["first"]) >= most:
            raise Unavailable("discover.quota", most=most)


def _stored_answer(mark: Mapping[str, Any] | None, since: datetime) -> SearchAnswer | None:
    if mark is None or mark["at"] <= since:
        return None
    return SearchAnswer(tuple(SearchHit(hit["url"], hit["title"], tuple(hit["engines"])) for hit in mark["hits"]))
