"""Query search engines, of them Brave and SearXNG, with limits on time, size and rate."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, Protocol, cast
from urllib.parse import urlsplit

import httpx

from crawler.addresses import canonical_url, host_of, scheme_neutral_url
from wenhen.discovery.model import Discovery
from wenhen.kit.errors import SetupError, Unavailable
from wenhen.kit.plugins import SEARCH_ENGINES, call_plugin, working_plugins
from wenhen.kit.text import to_storable
from wenhen.settings.crawling_and_search import BUILT_IN_ENGINES, DiscoverSettings

# The port of search engines: it takes a phrase, and returns the addresses of pages with it. A further engine is a class
# with these methods, returned by `open_engine`, that uses `EngineClient`.


MAX_URL_CHARACTERS = 2000  # characters


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An address of an answer, and for a metasearch engine, the engines that found it."""

    url: str
    title: str
    engines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The results, the best first. silent: engines that did not answer, whose results are missing."""

    hits: tuple[SearchHit, ...]
    silent: tuple[str, ...] = ()


class SearchEngine(Protocol):
    """Runs searches."""

    name: str

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Return the addresses of pages with the phrase, which is sent within quotation marks. It may hold `" "`, which
        makes it several phrases. of: engine of a metasearch engine to be queried alone.

        Raises `Unavailable` if the engine does not answer, `SetupError` if its configuration is wrong.
        """

    def close(self) -> None: ...


def make_hit(url: Any, title: Any, engines: tuple[str, ...] = ()) -> SearchHit | None:
    """Make a hit from a row of an answer, or return None without a usable address. The row is untrusted."""
    if not isinstance(url, str) or len(url) > MAX_URL_CHARACTERS or to_storable(url) != url or host_of(url) is None:
        return None
    return SearchHit(url, to_storable(str(title or "")), engines)


# The HTTP client of engines, with limits on time and size, and with their rate limits.


MakeRefusal = Callable[[str, int], SetupError]  # from address and status

MAX_ANSWER_BYTES: Final = 4 << 20  # bytes of an answer
MAX_PAUSE_SECONDS: Final = 120.0  # seconds
MAX_NUMBER_DIGITS: Final = 10  # digits


class EngineClient:
    """Requests JSON from one address. Redirects are not followed, so that the key reaches no other server."""

    def __init__(
        self, url: str, *, timeout: float, refusals: Mapping[int, MakeRefusal], headers: Mapping[str, str] | None = None
    ) -> None:
        """Make the client. refusals: errors by the HTTP statuses that show a wrong configuration.

        Raises SetupError for an invalid `url`.
        """
        if not url.startswith(("http://", "https://")) or host_of(url) is None:
            raise SetupError("discover.no_address", url=url)
        self.url = url
        self._refusals = refusals
        self._client = httpx.Client(timeout=timeout, headers={"Accept": "application/json", **(headers or {})})

    def ask(self, question: Mapping[str, str]) -> Any:
        """Return the answer to a question in the address, as `send` does."""
        return self._repeat_once("GET", params=dict(question))

    def send(self, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question in JSON. After a rate limit with a short pause, it is repeated once.

        Raises `Unavailable` if it does not answer, `SetupError` if its configuration is wrong.
        """
        return self._repeat_once("POST", json=dict(question))

    def _repeat_once(self, method: str, **question: Any) -> Any:
        try:
            try:
                return self._ask(method, **question)
            except _RateLimited as limited:
                if limited.seconds is None or limited.seconds > MAX_PAUSE_SECONDS:
                    raise
                time.sleep(limited.seconds)
            return self._ask(method, **question)
        except httpx.InvalidURL as error:
            raise SetupError("discover.unasked", url=self.url, error=str(error)) from error
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            raise Unavailable("discover.silent", url=self.url, error=why) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, method: str, **question: Any) -> Any:
        with self._client.stream(method, self.url, **question) as response:
            if response.status_code in self._refusals:
                raise self._refusals[response.status_code](self.url, response.status_code)
            if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
                limited = _RateLimited("discover.limited", url=self.url)
                limited.seconds = rate_limit_pause(response.headers)
                raise limited
            response.raise_for_status()
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) > MAX_ANSWER_BYTES:
                    raise Unavailable("discover.large", url=self.url, size=MAX_ANSWER_BYTES >> 20)
        try:
            return httpx.Response(200, content=body).json()
        except ValueError as error:
            raise SetupError("discover.no_json", url=self.url) from error


class _RateLimited(Unavailable):
    """Too many requests (429)."""

    seconds: float | None = None  # pause that the engine asks for, if it gives a number


def rate_limit_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait after a rate limit, or None.

    Retry-After is used (RFC 9110, 10.2.3), else the reset (X-RateLimit-Reset) of all used-up limits
    (X-RateLimit-Remaining, comma-separated).

    >>> rate_limit_pause({"X-RateLimit-Remaining": "0, 1999", "X-RateLimit-Reset": "1, 1419704"})
    1.0
    """
    if "Retry-After" in headers:
        return _parse_seconds(headers["Retry-After"])
    resets = [_parse_seconds(part) for part in headers.get("X-RateLimit-Reset", "").split(",")]
    remaining = [part.strip() for part in headers.get("X-RateLimit-Remaining", "").split(",")]
    used_up = [reset for left, reset in zip(remaining, resets, strict=False) if left == "0"]
    wanted = [seconds for seconds in used_up or resets if seconds is not None]
    return max(wanted, default=None)


def _parse_seconds(written: str) -> float | None:
    number = written.strip()
    return float(number) if number.isascii() and number.isdecimal() and len(number) < MAX_NUMBER_DIGITS else None


BRAVE_URL: Final = "https://api.search.brave.com"
_SEARCH_PATH: Final = "/res/v1/web/search"
_MAX_RESULTS: Final = 20  # addresses per answer
_MAX_OFFSET: Final = 9  # result pages after the first


def _key_error(url: str, status: int) -> SetupError:
    return SetupError("discover.key_refused", url=url, status=status)


KEY_REFUSALS: Final[Mapping[int, MakeRefusal]] = dict.fromkeys((401, 403, 422), _key_error)


class Brave:
    """Brave, with its own index of the web. It queries no other engines."""

    name = "brave"

    def __init__(self, key: str, *, timeout: float, results: int, delay: float, url: str = BRAVE_URL) -> None:
        """Make the client. results: maximum addresses. delay: seconds between the requests. url: address of the API.

        Raises SetupError if the address is invalid, or would receive the key unencrypted.
        """
        check_key(key, url)
        self._asking = EngineClient(
            url.rstrip("/") + _SEARCH_PATH,
            timeout=timeout,
            refusals=KEY_REFUSALS,
            headers={"X-Subscription-Token": key},
        )
        self._results, self._delay = results, delay

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Search for the phrase in quotation marks. Raises SetupError if another engine is asked for."""
        if of not in (None, self.name):
            raise SetupError("discover.other_engine", engine=self.name, of=of)
        rows: list[Any] = []
        for offset in range(_MAX_OFFSET + 1):
            if offset:
                time.sleep(self._delay)
            results, more = self._part(phrase, offset)
            rows += results
            if not more or len(rows) >= self._results:
                break
        hits = (make_hit(row.get("url"), row.get("title"), (self.name,)) for row in rows if isinstance(row, dict))
        return SearchAnswer(tuple(hit for hit in hits if hit))

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()

    def _part(self, phrase: str, offset: int) -> tuple[list[Any], bool]:
        """Return the rows of one result page, and whether there are more. An answer without `web` has no results."""
        question = {
            "q": f'"{phrase}"',
            "count": str(min(_MAX_RESULTS, self._results)),
            "offset": str(offset),
            "country": "CN",
            "search_lang": "zh-hans",
            "safesearch": "off",
            "spellcheck": "false",
            "text_decorations": "false",
            "result_filter": "web",
        }
        answer = self._asking.ask(question)
        if not isinstance(answer, dict) or ("web" not in answer and answer.get("type") != "search"):
            raise SetupError("discover.not_its_form", url=self._asking.url, engine=self.name)
        web, query = answer.get("web") or {}, answer.get("query") or {}
        rows = web.get("results") if isinstance(web, dict) else None
        more = isinstance(query, dict) and query.get("more_results_available") is True
        return (rows if isinstance(rows, list) else []), more and bool(rows)


def check_key(key: str, url: str) -> None:
    """Raise SetupError if no key looks like that, or if the address would receive it unencrypted."""
    if not key.isascii() or not key.isprintable():
        raise SetupError("discover.bad_key")
    if url.startswith("http://") and host_of(url) and not _is_key_protected(url):
        raise SetupError("discover.key_in_the_open", url=url)


def _is_key_protected(url: str) -> bool:
    """Return whether the key is protected on the way: by TLS, or on this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


# SearXNG's JSON API (https://docs.searxng.org/dev/search_api.html): GET /search?q=…&format=json.


def _json_error(url: str, status: int) -> SetupError:
    return SetupError("discover.json_refused", url=url, status=status)


_SEARXNG_ERRORS: Final = {403: _json_error}


class Searxng:
    """A SearXNG instance. Its settings must allow the format json (search.formats)."""

    name = "searxng"

    def __init__(self, url: str, *, timeout: float) -> None:
        """Make the client. url: of the instance, including its path. Raises SetupError if it is invalid."""
        self._asking = EngineClient(f"{url.rstrip('/')}/search", timeout=timeout, refusals=_SEARXNG_ERRORS)

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Search for the phrase in quotation marks, with all engines of the instance, or with one.

        A single engine must have answered, else Unavailable is raised.
        """
        question = {"q": f'"{phrase}"', "format": "json", "language": "zh-CN", "safesearch": "0"}
        answer = self._asking.ask(question | ({"engines": of} if of is not None else {}))
        rows = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise SetupError("discover.not_searxng", url=self._asking.url)
        silent = _silent_engines(answer)
        if of is not None and of in silent:
            raise Unavailable("discover.engine_silent", engine=of, url=self._asking.url, error=silent[of])
        return SearchAnswer(tuple(hit for row in rows if (hit := _parse_hit(row))), tuple(silent))

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()


def _silent_engines(answer: dict[str, Any]) -> dict[str, str]:
    """Return the engines that did not answer, with the reason: their results are unknown."""
    rows = answer.get("unresponsive_engines") or ()
    return {str(row[0]): str(row[-1])[:200] for row in rows if isinstance(row, list) and row}


def _parse_hit(row: Any) -> SearchHit | None:
    if not isinstance(row, dict):
        return None
    engines = row.get("engines")
    names = tuple(engine for engine in engines if isinstance(engine, str)) if isinstance(engines, list) else ()
    return make_hit(row.get("url"), row.get("title"), names)


def _open_plugin(settings: DiscoverSettings) -> SearchEngine:
    plugins = working_plugins(SEARCH_ENGINES)
    if settings.engine not in plugins:
        known = ", ".join([*BUILT_IN_ENGINES, *plugins])
        raise SetupError("discover.unknown_engine", engine=settings.engine, known=known)
    return cast("SearchEngine", call_plugin(SEARCH_ENGINES, settings.engine, settings))


def open_engine(settings: DiscoverSettings) -> SearchEngine:
    """Return the configured engine. Raises SetupError if it is unknown, or its address or key is missing."""
    if settings.engine not in BUILT_IN_ENGINES:
        return _open_plugin(settings)
    if not settings.can_ask:
        if settings.engine == "searxng":
            raise SetupError("discover.no_searxng")
        raise SetupError("discover.no_key", engine=settings.engine)
    if settings.engine == "searxng":
        return Searxng(settings.url or "", timeout=settings.timeout)
    key = settings.key.get_secret_value() if settings.key else ""
    if settings.engine == "brave":
        url = settings.url or BRAVE_URL
        return Brave(key, timeout=settings.timeout, results=settings.results, delay=settings.delay, url=url)
    from wenhen.discovery.chinese_engines import Baidu, Bocha  # they use the client above

    chinese: type[Baidu | Bocha] = Baidu if settings.engine == "baidu" else Bocha
    return chinese(key, timeout=settings.timeout, results=settings.results, url=settings.url)


@dataclass(frozen=True, slots=True)
class SearchLook:
    """The result of a look-up. hit: the hit with the address, or None. silent: engines that did not answer once."""

    hit: SearchHit | None
    silent: frozenset[str]


def look_for_urls(
    engine: SearchEngine, urls: Collection[str], phrases: Sequence[str], *, of: str | None, delay: float
) -> SearchLook:
    """Search for the phrases, with a pause before each, until a hit has one of these addresses."""
    own, silent = {scheme_neutral_url(canonical_url(url)) for url in urls}, set[str]()
    for phrase in phrases:
        time.sleep(delay)
        answer = engine.search(phrase, of)
        silent |= set(answer.silent)
        for hit in answer.hits:
            if scheme_neutral_url(canonical_url(hit.url)) in own:
                return SearchLook(hit, frozenset(silent))
    return SearchLook(None, frozenset(silent))


def discovered_url(discovery: Discovery) -> str:
    """Return the canonical address of the page, after redirects."""
    return canonical_url(discovery.leads_to or discovery.url)
