"""Brave's Search API, by key (https://api-dashboard.search.brave.com/api-reference/web/search/get)."""

import time
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from services.discover.engine_port import SearchAnswer, hit
from services.discover.engine_request import Asking
from store.errors import SetupError

ADDRESS: Final = "https://api.search.brave.com"
_PATH: Final = "/res/v1/web/search"
_MOST: Final = 20  # addresses of one answer
_LAST: Final = 9  # offset: the pages of answers after the first


def _key_refused(url: str, status: int) -> SetupError:
    return SetupError("discover.key_refused", url=url, status=status)


_REFUSALS: Final = dict.fromkeys((401, 403, 422), _key_refused)


class Brave:
    """Brave's own index of the web. What it finds is what Brave finds: it knows nothing of other engines."""

    name = "brave"

    def __init__(self, key: str, *, timeout: float, results: int, delay: float, url: str = ADDRESS) -> None:
        """results: how many addresses are wanted, and delay: seconds between the questions that this may take; url:
        where the API is reached. SetupError where that is no address, or one to which the key would go unencrypted.
        """
        if not key.isascii() or not key.isprintable():
            raise SetupError("discover.bad_key")
        self._asking = Asking(
            url.rstrip("/") + _PATH, timeout=timeout, refusals=_REFUSALS, headers={"X-Subscription-Token": key}
        )
        if not _is_guarded(url):
            raise SetupError("discover.key_in_the_open", url=url)
        self._results, self._delay = results, delay

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Addresses for the phrase in quotation marks. SetupError where another engine's are wanted."""
        if of not in (None, self.name):
            raise SetupError("discover.other_engine", engine=self.name, of=of)
        rows: list[Any] = []
        for offset in range(_LAST + 1):
            if offset:
                time.sleep(self._delay)
            found, more = self._part(phrase, offset)
            rows += found
            if not more or len(rows) >= self._results:
                break
        hits = (hit(row.get("url"), row.get("title"), (self.name,)) for row in rows if isinstance(row, dict))
        return SearchAnswer(tuple(one for one in hits if one))

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()

    def _part(self, phrase: str, offset: int) -> tuple[list[Any], bool]:
        """The rows of one answer, and whether there are more. An answer without `web` has found nothing."""
        question = {
            "q": f'"{phrase}"',
            "count": str(min(_MOST, self._results)),
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
            raise SetupError("discover.not_brave", url=self._asking.url)
        web, asked = answer.get("web") or {}, answer.get("query") or {}
        rows = web.get("results") if isinstance(web, dict) else None
        more = isinstance(asked, dict) and asked.get("more_results_available") is True
        return (rows if isinstance(rows, list) else []), more and bool(rows)


def _is_guarded(url: str) -> bool:
    """Whether nobody on the way can read a key: by TLS, or on this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
