"""Query Baidu (by Qianfan) and Bocha, search engines that answer in China, by their keys."""

from typing import Any, Final

from wenhen.discovery.engines import KEY_REFUSALS, EngineClient, SearchAnswer, check_key, make_hit
from wenhen.kit.errors import SetupError, Unavailable
from wenhen.kit.text import to_storable

MAX_RESULTS: Final = 50  # addresses of an answer, for both
_MAX_ERROR_CHARACTERS: Final = 200


class _JsonEngine:
    """An engine that takes a question in JSON, and the key as a bearer token."""

    name: str
    api_url: str
    path: str

    def __init__(self, key: str, *, timeout: float, results: int, url: str | None = None) -> None:
        """Make the client. results: maximum addresses. url: address of the API, if it is another one.

        Raises SetupError if the address is invalid, or would receive the key unencrypted.
        """
        address = (url or self.api_url).rstrip("/")
        check_key(key, address)
        self._asking = EngineClient(
            address + self.path, timeout=timeout, refusals=KEY_REFUSALS, headers={"Authorization": f"Bearer {key}"}
        )
        self._results = min(results, MAX_RESULTS)

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """Search for the phrase in quotation marks. Raises SetupError if another engine is asked for."""
        if of not in (None, self.name):
            raise SetupError("discover.other_engine", engine=self.name, of=of)
        answer = self._asking.send(self._question(phrase))
        rows = self._rows(answer) if isinstance(answer, dict) else None
        if rows is None:
            self._raise_error(answer)
        hits = (
            make_hit(row.get("url"), row.get(self._title_field), (self.name,))
            for row in rows or ()
            if isinstance(row, dict)
        )
        return SearchAnswer(tuple(hit for hit in hits if hit)[: self._results])

    def close(self) -> None:
        """Close the connections."""
        self._asking.close()

    _title_field = "title"

    def _question(self, phrase: str) -> dict[str, Any]:
        raise NotImplementedError

    def _rows(self, answer: dict[str, Any]) -> list[Any] | None:
        """Return the rows of an answer, or None if it is an error or has another form."""
        raise NotImplementedError

    def _raise_error(self, answer: Any) -> None:
        """Raise the error that an answer with status 200 tells of. Raises SetupError, Unavailable."""
        code = answer.get("code") if isinstance(answer, dict) else None
        if code is None:
            raise SetupError("discover.not_its_form", url=self._asking.url, engine=self.name)
        error_text = to_storable(str(answer.get("message") or answer.get("msg") or ""))[:_MAX_ERROR_CHARACTERS]
        raise Unavailable("discover.engine_error", url=self._asking.url, code=str(code)[:40], error=error_text)


class Baidu(_JsonEngine):
    """Baidu's index, by the search of Qianfan. Its answer has no result pages."""

    name = "baidu"
    api_url = "https://qianfan.baidubce.com"
    path = "/v2/ai_search/web_search"
    max_phrase_characters: Final = 34  # it cuts questions at 72 characters, of which a Chinese one counts two

    def _question(self, phrase: str) -> dict[str, Any]:
        return {
            "messages": [{"role": "user", "content": f'"{phrase[: self.max_phrase_characters]}"'}],
            "search_source": "baidu_search_v2",
            "resource_type_filter": [{"type": "web", "top_k": self._results}],
        }

    def _rows(self, answer: dict[str, Any]) -> list[Any] | None:
        rows = answer.get("references")
        if isinstance(rows, list):
            return rows
        return [] if rows is None and "request_id" in answer and "code" not in answer else None


class Bocha(_JsonEngine):
    """Bocha's index. The form of its answers is that of Bing's API, which has ended."""

    name = "bocha"
    api_url = "https://api.bochaai.com"
    path = "/v1/web-search"
    _title_field = "name"

    def _question(self, phrase: str) -> dict[str, Any]:
        return {"query": f'"{phrase}"', "freshness": "noLimit", "summary": False, "count": self._results}

    def _rows(self, answer: dict[str, Any]) -> list[Any] | None:
        data = answer.get("data")
        if not isinstance(data, dict) or str(answer.get("code", 200)) != "200":
            return None
        pages = data.get("webPages")
        rows = pages.get("value") if isinstance(pages, dict) else None
        return rows if isinstance(rows, list) else []
