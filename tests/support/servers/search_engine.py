"""A search engine on loopback, in the form of SearXNG's or of Brave's API, that has read what a test gives it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "BSA-0123456789abcdef"  # that the API in Brave's form asks for
PATHS = {
    "searxng": "/searx/search",
    "brave": "/res/v1/web/search",
    "baidu": "/v2/ai_search/web_search",
    "bocha": "/v1/web-search",
}
NO_PAGES = [
    {"title": "no address"},
    {"url": "ftp://old.test/a", "title": "no page"},
    {"url": "http://[bad/", "title": "no host"},
    {"url": "http://odd.test/\ud800", "title": "no text"},
    {"url": f"http://long.test/{'a' * 2000}", "title": "no end"},
    "no result",
]


@dataclass
class Web:
    """What a search engine has read: address -> text; and how it answers."""

    texts: dict[str, str]
    form: str = "searxng"
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    status: int = 200
    limits: list[dict[str, str]] = field(default_factory=list)  # what it wants before it answers one more question
    silent: list[list[str]] = field(default_factory=list)  # engines behind it that do not answer, each with the reason
    body: bytes | None = None
    leads_to: str | None = None  # where it redirects, whatever it is asked
    address: str = ""

    def answer(self, query: dict[str, list[str]], key: str | None) -> tuple[int, bytes]:
        """Status and body for a question."""
        self.asked.append(query)
        if self.status != 200 or self.body is not None:
            return self.status, self.body or b"{}"
        phrase = query["q"][0].strip('"')
        urls = [url for url, text in self.texts.items() if phrase in text.replace("\n", "")]
        if self.form == "brave":
            return self._brave(query, urls, key)
        if self.form in ("baidu", "bocha"):
            return self._chinese(urls, key, int(query["count"][0]))
        if query.get("format") != ["json"]:
            return 403, b"<h1>Forbidden</h1>"
        rows = [{"url": url, "title": f"转载 {url} \ud800", "engines": ["bing"], "score": 1.0} for url in urls]
        answer = {"query": query["q"][0], "results": [*rows, *NO_PAGES], "unresponsive_engines": self.silent}
        return 200, json.dumps(answer).encode()

    def _brave(self, query: dict[str, list[str]], urls: list[str], key: str | None) -> tuple[int, bytes]:
        if key != KEY:
            return 422, json.dumps({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}).encode()
        count, offset = int(query["count"][0]), int(query["offset"][0])
        if not 1 <= count <= 20 or not 0 <= offset <= 9:
            return 422, b"{}"
        rows: list[Any] = [{"url": url, "title": f"转载 {url} \ud800", "description": "…"} for url in urls]
        page = rows[count * offset : count * (offset + 1)] + NO_PAGES
        more = len(rows) > count * (offset + 1)
        asked = {"original": query["q"][0], "more_results_available": more}
        web = {"web": {"type": "search", "results": page}} if urls else {}
        return 200, json.dumps({"type": "search", "query": asked, **web}).encode()

    def _chinese(self, urls: list[str], key: str | None, count: int) -> tuple[int, bytes]:
        if key != f"Bearer {KEY}":
            return 401, json.dumps({"code": "401", "message": "Invalid API KEY"}).encode()
        title = "title" if self.form == "baidu" else "name"
        rows = [{"url": url, title: f"转载 {url} \ud800", "date": "2026-01-02"} for url in urls[:count]]
        odd = [{**row, title: row.get("title")} if isinstance(row, dict) else row for row in NO_PAGES]
        if self.form == "baidu":
            return 200, json.dumps(
                {"request_id": "r", "references": [*rows, *odd]} if urls else {"request_id": "r"}
            ).encode()
        data = {"_type": "SearchResponse", "webPages": {"value": [*rows, *odd]}}
        return 200, json.dumps({"code": 200, "msg": None, "data": data}).encode()


@contextmanager
def search_engine(web: Web) -> Iterator[Web]:
    """Serve it for the block, at its `address`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            limits = web.limits.pop(0) if web.limits else None
            known, key = parts.path == PATHS[web.form], self.headers.get("X-Subscription-Token")
            status, body = web.answer(parse_qs(parts.query), key) if known else (404, b"")
            self._respond(status, body, limits)

        def do_POST(self) -> None:
            limits = web.limits.pop(0) if web.limits else None
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = self.path == PATHS[web.form]
            status, body = web.answer(_as_query(sent), self.headers.get("Authorization")) if known else (404, b"")
            self._respond(status, body, limits)

        def _respond(self, status: int, body: bytes, limits: dict[str, str] | None) -> None:
            status = 302 if web.leads_to else status
            self.send_response(status if limits is None else 429)
            for name, value in {**(limits or {}), **({"Location": web.leads_to} if web.leads_to else {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    web.address = f"http://127.0.0.1:{server.server_port}/" + ("searx/" if web.form == "searxng" else "")
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _as_query(sent: dict[str, Any]) -> dict[str, list[str]]:
    """A question in JSON as the ones in an address: its phrase and how many addresses it wants."""
    if "messages" in sent:
        (filtered,) = sent["resource_type_filter"]
        return {"q": [sent["messages"][0]["content"]], "count": [str(filtered["top_k"])]}
    return {"q": [sent["query"]], "count": [str(sent["count"])]}
