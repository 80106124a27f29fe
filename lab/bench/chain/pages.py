"""The pages that the chain is timed on: generated texts in the demo's templates, some copies, some near variants."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.bench.generator import Writer
from lab.demo.pages import template
from lab.demo.sites import SITES

SEED = 31
HOST_PAGES = 200  # pages of one host
LENGTH = 1_000  # characters of a text
COPIED = 500  # of those that a copy has from a work
PARAGRAPH = 125
HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class ChainPage:
    """One address, and what its server sends."""

    url: str
    body: bytes


def chain_pages(count: int, works: int, first: int = 0) -> Iterator[ChainPage]:
    """The pages numbered from `first`. Of ten one copies a work, and two are near variants of the page before it on
    another host; the others are new.
    """
    for number, fresh in enumerate(Writer(SEED).works(count, works + first), first):
        yield _page(number, _text(number, works, fresh.text))


def _text(number: int, works: int, fresh: str) -> str:
    if number % 10 == 0:
        (work,) = Writer(SEED).works(1, number * 7 % works)
        return fresh[:250] + work.text[200 : 200 + COPIED] + fresh[250 : LENGTH - COPIED]
    if number % 10 in (3, 4):
        (before,) = Writer(SEED).works(1, works + number // 10 * 10 + 2)
        return before.text[: LENGTH - PARAGRAPH] + fresh[:PARAGRAPH]
    return fresh[:LENGTH]


def _page(number: int, text: str) -> ChainPage:
    site = [*SITES.values()][number % len(SITES)]
    host = f"{site.template.removesuffix('.html')}{number // (HOST_PAGES * len(SITES))}.bench.test"
    html = template(site.template).render(
        site=site,
        title=f"第{number}篇 {text[:12]}",
        meta_charset="utf-8",
        advert=site.adverts[number % len(site.adverts)],
        article={"author": "某人", "date": "2026-03-01", "section": site.sections[number % len(site.sections)]},
        paragraphs=[text[at : at + PARAGRAPH].replace("\n", "") for at in range(0, len(text), PARAGRAPH)],
        comments=site.comments,
        recommended=[],
    )
    return ChainPage(f"http://{host}/p/{number}.html", html.encode())
