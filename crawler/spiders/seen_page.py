"""What a crawl wants to know of a page, read in a child process with bounds: one hostile page holds up no other."""

from dataclasses import dataclass

from scrapy.http import Response

from crawler.evidence.capture import rendered_page
from crawler.extract.hollow import hollow
from crawler.extract.language import language
from crawler.extract.links import canonical_link, links_of
from crawler.extract.parsed_page import LONGEST, ParsedPage, all_text, content_type_of, parsed_page
from crawler.extract.pictures.candidates import PagePicture, pictures_of
from crawler.isolated.bounds import ReadingBounds
from crawler.isolated.reader import Reader
from crawler.spiders.listings import Listing
from crawler.spiders.soft_blocks import SoftBlock, soft_block
from crawler.spiders.style_links import style_links
from store.errors import Unreadable

BOUNDS = ReadingBounds(seconds=10, memory=1_000, output=64)
MOST_NODES = 400  # whose classes are looked at
LONGEST_NAME = 40  # characters
LITTLE = 1000  # characters of a page that may be hollow, those included that it hides
RENDERED = "text/html; charset=utf-8"  # what a browser made of a page


@dataclass(frozen=True, slots=True)
class SeenPage:
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
    hollow: bool = False  # it shows next to nothing, but has scripts that may


async def seen(reader: Reader, response: Response, *, as_shown: bool = False) -> SeenPage:
    """A page as the server sent it, or `as_shown` by a browser where one was asked. Raises `Unreadable`."""
    rendered = rendered_page(response) if as_shown else None
    body, declared = (response.body, content_type_of(response)) if rendered is None else (rendered, RENDERED)
    page: SeenPage = await reader.read(f"{__name__}:look", response.url, body[:LONGEST], declared, bounds=BOUNDS)
    return page


def page_reader() -> Reader:
    """A reader for one crawl, whose first child starts while the crawl does."""
    reader = Reader(__name__)
    reader.prepare()
    return reader


async def seen_list(reader: Reader, response: Response, longest: int) -> Listing | None:
    """What a list names (`crawler.spiders.listings.listing`); None for what is none, or cannot be read."""
    try:
        found: Listing | None = await reader.read(
            "crawler.spiders.listings:listing", response.body, response.url, longest, bounds=BOUNDS
        )
    except Unreadable:
        return None
    return found


def look(url: str, body: bytes, content_type: str) -> SeenPage:
    """The same, in the child."""
    return of_parsed(parsed_page(url, body, content_type))


def of_parsed(page: ParsedPage) -> SeenPage:
    """What is known of a parsed page."""
    if block := soft_block(page.text):
        return SeenPage(page.url, block=block)
    pictures, styles = pictures_of(page), style_links(page)
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
        hollow=len("".join(text.split())) < LITTLE and hollow(page.text),
    )


def _classes(page: ParsedPage) -> tuple[str, ...]:
    """The names of classes in a page; what is numbered belongs to this page alone."""
    nodes = page.tree.css("[class]")[:MOST_NODES]
    names = {name for node in nodes for name in (node.attributes.get("class") or "").split()}
    return tuple(sorted(name for name in names if len(name) <= LONGEST_NAME and not any(map(str.isdigit, name))))
