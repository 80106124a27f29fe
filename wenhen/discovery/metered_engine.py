"""Ask any search engine within one quota, and use answers again."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final, cast

from wenhen.discovery.engines import SearchAnswer, SearchEngine, SearchHit, open_engine
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Unavailable
from wenhen.product.context import Product

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
