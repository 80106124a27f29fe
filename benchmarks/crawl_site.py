"""Serve the generated site of the crawl benchmark: `python -m benchmarks.crawl_site PAGES`.

Every page has its own article, the usual furniture, and links to the ten pages below it in a tree, so all are
reachable. A conditional request is answered with 304.
"""

import asyncio
import random
import sys

from benchmarks.generator.writer import Writer

SITE_SEED = 29
# Distinct texts. Each page has one, with its own number in words in every paragraph, because crawls abandon sections
# without new text.
ARTICLE_COUNT = 200
DIGIT_WORDS = str.maketrans("0123456789", "零一二三四五六七八九")
LINKS_PER_PAGE = 10
MENU_HTML = "".join(f"<li><a href='/p/{n}'>栏目{n}</a></li>" for n in range(1, 13))
HEAD_HTML = (
    "<!DOCTYPE html><html lang='zh-CN'><head><meta charset='utf-8'><title>第{n}篇_测速网</title>"
    "<link rel='canonical' href='/p/{n}'><meta name='author' content='测速'></head><body><div class='nav'><ul>"
    + MENU_HTML
    + "</ul></div><div class='main'><h1>第{n}篇</h1>"
    "<div class='info'>2024-03-05 08:30 来源：测速网</div><div class='content'>"
)
FOOT_HTML = "</div></div><div class='footer'><p>版权所有 测速网 未经授权，禁止转载。</p></div></body></html>"


class SiteProtocol(asyncio.Protocol):
    """HTTP/1.1 for one persistent connection. The path of a GET selects the page."""

    def __init__(self, articles: list[list[str]], pages: int) -> None:
        self._articles = articles
        self._pages = pages
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            self._transport.write(self._answer(head.split(b" ", 2)[1].decode(), head))

    def _answer(self, path: str, asked: bytes) -> bytes:
        tag = f'"{path}"'
        if f"\r\nIf-None-Match: {tag}\r\n".encode() in asked + b"\r\n":
            return f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode()
        number = path.removeprefix("/p/")
        body = self._page(int(number)) if number.isdecimal() and int(number) < self._pages else None
        status = "200 OK" if body is not None else "404 Not Found"
        body = body or b""
        kind = f"Content-Type: text/html; charset=utf-8\r\nETag: {tag}\r\nContent-Length: {len(body)}"
        return f"HTTP/1.1 {status}\r\n{kind}\r\n\r\n".encode() + body

    def _page(self, number: int) -> bytes:
        article = self._articles[number % len(self._articles)]
        name = str(number).translate(DIGIT_WORDS)
        paragraphs = "".join(f"<p>{line}（{name}）</p>" for line in article)
        below = range(LINKS_PER_PAGE * number + 1, min(LINKS_PER_PAGE * number + LINKS_PER_PAGE + 1, self._pages))
        links = "".join(f"<li><a href='/p/{n}'>第{n}篇</a></li>" for n in below)
        return f"{HEAD_HTML.format(n=number)}{paragraphs}</div><ul class='list'>{links}</ul>{FOOT_HTML}".encode()


async def serve_site(pages: int) -> None:
    """Serve until the process ends."""
    chance = random.Random(SITE_SEED)
    articles = []
    for work in Writer(SITE_SEED).works(ARTICLE_COUNT):
        text = work.text[: chance.randint(800, 2000)]
        articles.append([text[start : start + 120] for start in range(0, len(text), 120)])
    server = await asyncio.get_running_loop().create_server(lambda: SiteProtocol(articles, pages), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve_site(int(sys.argv[1])))
