"""What a crawl wants to know of a page, from its bytes; what a child process imports that reads pages, and no more."""

from typing import NamedTuple

from crawler.extract.choosing.empty_until_scripts import hollow
from crawler.extract.language import language
from crawler.extract.links import canonical_link, links_of
from crawler.extract.parsed_page import ParsedPage, all_text, parsed_page
from crawler.extract.pictures.pictures_of_text import PagePicture, pictures_of
from crawler.extract.scrolling.endpoints import endpoints_of
from crawler.extract.scrolling.json_answer import json_of, links_in, may_be_json, prose_of
from crawler.extract.scrolling.next_answer import next_answer
from crawler.spiders.soft_blocks import SoftBlock, soft_block
from crawler.spiders.style_links import style_links

MOST_NODES = 400  # whose classes are looked at
LONGEST_NAME = 40  # characters
LITTLE = 1000  # characters of a page that may be hollow, those included that it hides


class SeenPage(NamedTuple):  # it comes from a child for every page: no other form is unpacked as fast
    """A page's own address as it states it, its links with their words, all that it says, the pictures that its text
    may stand in, its style sheets where they may hide some of it, its classes and its language; or what stands there
    instead.

    Addresses of links are in full and canonical.
    """

    url: str
    own: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    text: str = ""
    block: SoftBlock | None = None
    pictures: tuple[PagePicture, ...] = ()
    styles: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    language: str | None = None
    further: tuple[str, ...] = ()  # the addresses that more of it is loaded from, as it scrolls
    answer: bool = False  # JSON, which is a page where it says enough
    hollow: bool = False  # it shows next to nothing, but has scripts that may


def look(url: str, body: bytes, content_type: str) -> SeenPage:
    """A page by its bytes, with the Content-Type that came with them."""
    page = parsed_page(url, body, content_type)
    value = json_of(page.text) if may_be_json(body) else None
    return of_parsed(page) if value is None else _of_answer(url, value)


def of_parsed(page: ParsedPage) -> SeenPage:
    """What is known of a parsed page."""
    if block := soft_block(page.text):
        return SeenPage(page.url, block=block)
    pictures, styles, further = pictures_of(page), style_links(page), endpoints_of(page)
    own, links, text = canonical_link(page), tuple(links_of(page)), all_text(page)
    return SeenPage(
        page.url,
        own,
        links,
        text,
        pictures=pictures,
        styles=styles,
        classes=_classes(page),
        language=language(page.tree, {}, {}, text),
        further=further,
        hollow=len("".join(text.split())) < LITTLE and hollow(page.text),
    )


def _of_answer(url: str, value: object) -> SeenPage:
    links, text = links_in(value, url), "\n".join(prose_of(value))
    following = next_answer(value, url, gave=bool(links or text))
    return SeenPage(url, links=links, text=text, further=(following,) if following else (), answer=True)


def _classes(page: ParsedPage) -> tuple[str, ...]:
    """The names of classes in a page; what is numbered belongs to this page alone."""
    nodes = page.tree.css("[class]")[:MOST_NODES]
    names = {name for node in nodes for name in (node.attributes.get("class") or "").split()}
    return tuple(sorted(name for name in names if len(name) <= LONGEST_NAME and not any(map(str.isdigit, name))))
