"""SearXNG's JSON API (https://docs.searxng.org/dev/search_api.html): GET /search?q=…&format=json."""

import time
from typing import Any

import httpx

from crawler.crawl.hosts import host_of
from services.discover.search import SearchHit
from store.errors import SetupError, Unavailable
from store.rules.storable import storable

LARGEST = 4 << 20  # bytes of an answer
LONGEST_URL = 2000  # characters
LONGEST_PAUSE = 120.0  # seconds
LONGEST_NUMBER = 10  # digits


class Searxng:
    """A SearXNG instance. It has to allow the format json in its settings (search.formats)."""

    name = "searxng"

    def __init__(self, url: str, *, timeout: float) -> None:
        """url: of the instance, with the path below which it stands, if any. SetupError where it is none."""
        if not url.startswith(("http://", "https://")):
            raise SetupError("discover.no_address", url=url)
        self._url = f"{url.rstrip('/')}/search"
        self._client = httpx.Client(timeout=timeout, headers={"Accept": "application/json"})

    def search(self, phrase: str, of: str | None = None) -> list[SearchHit]:
        """Addresses for the phrase in quotation marks, as the instance merges them from its engines, or of one alone,
        which has to have answered.
        """
        try:
            answer = self._answer(phrase, of)
        except httpx.InvalidURL as error:
            raise SetupError("discover.unasked", url=self._url, error=str(error)) from error
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            raise Unavailable("discover.silent", url=self._url, error=why) from error
        rows = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise SetupError("discover.not_searxng", url=self._url)
        if of is not None:
            self._require(of, answer)
        return [SearchHit(row["url"], storable(str(row.get("title") or ""))) for row in rows if _is_hit(row)]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _require(self, engine: str, answer: dict[str, Any]) -> None:
        """Raise `Unavailable` where an engine did not answer: nothing found says nothing then."""
        for silent in answer.get("unresponsive_engines") or ():
            if isinstance(silent, list) and silent and silent[0] == engine:
                raise Unavailable("discover.engine_silent", engine=engine, url=self._url, error=str(silent[-1])[:200])

    def _answer(self, phrase: str, of: str | None) -> Any:
        """Asked once more after the pause that an engine wants, where it names one that is not too long."""
        try:
            return self._ask(phrase, of)
        except _Limited as limited:
            if limited.seconds is None or limited.seconds > LONGEST_PAUSE:
                raise
            time.sleep(limited.seconds)
        return self._ask(phrase, of)

    def _ask(self, phrase: str, of: str | None) -> Any:
        question = {"q": f'"{phrase}"', "format": "json", "language": "zh-CN", "safesearch": "0"}
        question |= {"engines": of} if of is not None else {}
        with self._client.stream("GET", self._url, params=question) as response:
            if response.status_code == httpx.codes.FORBIDDEN:
                raise SetupError("discover.json_refused", url=self._url)
            if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
                limited = _Limited("discover.limited", url=self._url)
                limited.seconds = _seconds(response.headers.get("Retry-After", ""))
                raise limited
            response.raise_for_status()
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise Unavailable("discover.large", url=self._url, size=LARGEST >> 20)
        try:
            return httpx.Response(200, content=body).json()
        except ValueError as error:
            raise SetupError("discover.no_json", url=self._url) from error


class _Limited(Unavailable):
    """Too many questions (429)."""

    seconds: float | None = None  # that the engine asks to wait (RFC 9110, 10.2.3), where it says so by a number


def _seconds(written: str) -> float | None:
    return float(written) if written.isascii() and written.isdecimal() and len(written) < LONGEST_NUMBER else None


def _is_hit(row: Any) -> bool:
    """An address that a crawl could begin with; what an engine gives may be anything."""
    url = row.get("url") if isinstance(row, dict) else None
    return isinstance(url, str) and len(url) <= LONGEST_URL and storable(url) == url and host_of(url) is not None
