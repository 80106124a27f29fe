"""SearXNG's JSON API (https://docs.searxng.org/dev/search_api.html): GET /search?q=…&format=json."""

from typing import Any, Final

from services.discover.engine_port import SearchAnswer, SearchHit, hit
from services.discover.engine_request import Asking
from store.errors import SetupError, Unavailable


def _json_refused(url: str, status: int) -> SetupError:
    return SetupError("discover.json_refused", url=url, status=status)


_REFUSALS: Final = {403: _json_refused}


class Searxng:
    """A SearXNG instance. It has to allow the format json in its settings (search.formats)."""

    name = "searxng"

    def __init__(self, url: str, *, timeout: float) -> None:
        """url: of the instance, with the path below which it stands, if any. SetupError where it is none."""
        self._asking = Asking(f"{url.rstrip('/')}/search", timeout=timeout, refusals=_REFUSALS)

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Addresses for the phrase in quotation marks, as the instance merges them from its engines, or of one alone,
        which has to have answered.
        """
        question = {"q": f'"{phrase}"', "format": "json", "language": "zh-CN", "safesearch": "0"}
        answer = self._asking.ask(question | ({"engines": of} if of is not None else {}))
        rows = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise SetupError("discover.not_searxng", url=self._asking.url)
        silent = _silent(answer)
        if of is not None and of in silent:
            raise Unavailable("discover.engine_silent", engine=of, url=self._asking.url, error=silent[of])
        return SearchAnswer(tuple(one for row in rows if (one := _hit(row))), tuple(silent))

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()


def _silent(answer: dict[str, Any]) -> dict[str, str]:
    """The engines that did not answer, and why: nothing found says nothing of what they hold."""
    rows = answer.get("unresponsive_engines") or ()
    return {str(one[0]): str(one[-1])[:200] for one in rows if isinstance(one, list) and one}


def _hit(row: Any) -> SearchHit | None:
    if not isinstance(row, dict):
        return None
    engines = row.get("engines")
    names = tuple(one for one in engines if isinstance(one, str)) if isinstance(engines, list) else ()
    return hit(row.get("url"), row.get("title"), names)
