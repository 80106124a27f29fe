"""Speed from the bytes of a page to its main text and what it states, by kinds of pages, beside trafilatura."""

from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from crawler.extract.page import extract
from lab.bench.chain.pages import HEADERS, chain_pages
from lab.bench.generator import Writer
from lab.bench.peers import peer
from lab.bench.report import BenchReport, Limit
from lab.bench.timing import cpu_seconds, one_core

URL = "http://pages.bench.test/2026/0301/1.html"
SEED = 37
LONG_TEXT = 40_000  # characters of a chapter
LINKS = 1_000  # of a contents list
POSTS = 150  # of a thread
LARGE = 40  # a large page of each kind beside so many of the demo's templates
ROUNDS = 3
LEAST = 2.5  # times as many pages as trafilatura reads


def measure(pages: int = 200, folders: Sequence[Path] = ()) -> BenchReport:
    """Pages a second of CPU time. pages: of the demo's templates. folders: of pages as files, each a kind of its own
    beside those generated here.
    """
    report = BenchReport("extract")
    trafilatura = peer("trafilatura", report.absent)
    kinds = _generated(pages) | {folder.name: _files(folder) for folder in folders}
    with one_core():
        report.rows += [_row(kind, bodies, trafilatura) for kind, bodies in kinds.items()]
    if trafilatura:
        report.limits += [
            Limit(f"{row['kind']}: pages/s / trafilatura's", row["times"], least=LEAST) for row in report.rows
        ]
    return report


def _generated(count: int) -> dict[str, list[bytes]]:
    """Pages by what they mostly consist of."""
    texts = [work.text for work in Writer(seed=SEED).works(ceil(count / LARGE))]
    return {
        "templates": [page.body for page in chain_pages(count, count)],
        "long text": [_page("<br><br>".join(_cut(text, LONG_TEXT, 80))) for text in texts],
        "contents": [_page("".join(map(_chapter, _cut(text, 12 * LINKS, 12)))) for text in texts],
        "posts": [_page("".join(map(_post, _cut(text, 120 * POSTS, 120)))) for text in texts],
    }


def _row(kind: str, pages: Sequence[bytes], trafilatura: Any | None) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "pages": len(pages), "KB": sum(map(len, pages)) / len(pages) / 1000}
    row["ours"] = _rate(lambda body: extract(body, HEADERS, URL), pages, ROUNDS)
    if trafilatura:
        row["trafilatura"] = _rate(trafilatura.extract, pages, 1)
        row["times"] = row["ours"] / row["trafilatura"]
    return row


def _rate(read: Callable[[bytes], object], pages: Sequence[bytes], rounds: int) -> float:
    read(pages[0])  # the first one reads tables
    return len(pages) / min(cpu_seconds(lambda: [read(body) for body in pages]) for _ in range(rounds))


def _files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]


def _cut(text: str, length: int, size: int) -> list[str]:
    text = (text * (length // len(text) + 1))[:length]
    return [text[at : at + size] for at in range(0, length, size)]


def _page(content: str) -> bytes:
    return f"<html><head><title>渡口</title></head><body><h1>渡口</h1><div>{content}</div></body></html>".encode()


def _chapter(words: str) -> str:
    return f'<li class="chapter"><a href="/book/{len(words)}.html" title="{words}">{words}</a></li>'


def _post(words: str) -> str:
    return (
        '<div class="post"><div class="author"><a href="/user/7">某人</a> 发表于 2026-03-01 09:11</div>'
        f'<div class="message">{words}</div><div class="bar"><a href="#">回复</a> <a href="#">举报</a></div></div>'
    )
