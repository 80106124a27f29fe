"""Which pictures of a page may hold its text: the large ones of a page with little text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import splitext
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from crawler.extract.language import HAN
from crawler.extract.parsed_page import ParsedPage
from crawler.extract.pictures.picture_addresses import INSIDE, address_of, content_of

LITTLE = 400  # Han characters outside of links, from which a page's text is its text
MOST = 60  # pictures of one page
LEAST_WIDTH, LEAST_HEIGHT = 200, 80  # pixels, where the page states them
LEAST_BYTES = 3_000  # of a picture in the page itself
NO_TEXT = frozenset((".svg", ".ico", ".gif", ".cur"))
PICTURES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"))
OUTSIDE = frozenset(("a", "script", "style", "noscript", "nav", "header", "footer", "aside", "title", "head"))
FURNITURE = frozenset(("nav", "header", "footer", "aside", "button"))
NAMED = re.compile(
    r"(?<![a-z])(?:logo|icons?|avatar|face|emoji|qr(?:code)?|banner|ads?|advert|btn|button|loading|blank|spacer|sprite|captcha)(?![a-z])"
)
PIXELS = re.compile(r"(\d{1,5})(?:px)?")


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture that may hold text of its page; content: its bytes, where it stands in the page itself."""

    address: str
    content: bytes | None = None


def pictures_of(page: ParsedPage) -> tuple[PagePicture, ...]:
    """In the order of the page, each once; none of a page that has a text. `page` has its scripts still."""
    found: dict[str, PagePicture] = {}
    for picture in _large(page.tree.css("img"), page.base):
        found.setdefault(picture.address, picture)
        if len(found) == MOST:
            break
    return () if not found or _says_enough(page) else tuple(found.values())


def _large(nodes: list[LexborNode], base: str) -> Iterator[PagePicture]:
    links = {id(node): _link_around(node) for node in nodes}
    led_to = {link for link in links.values() if link is not None}
    for node in nodes:
        attributes = node.attributes
        address = address_of(attributes, base)
        if address is None or _is_small(attributes) or _is_furniture(node, attributes):
            continue
        if links[id(node)] is not None and len(led_to) > 1:  # each stands for the page that it leads to
            continue
        if address.startswith(INSIDE):
            content = content_of(attributes)
            if content is not None and len(content) >= LEAST_BYTES:
                yield PagePicture(address, content)
        elif not _is_named_so(urlsplit(address).path):
            yield PagePicture(address)


def _link_around(node: LexborNode) -> str | None:
    """Where a click on a picture leads: to another page, and not to the picture itself or a script."""
    above = node.parent
    while above is not None and above.tag != "a":
        above = above.parent
    link = (above.attributes.get("href") or "").strip() if above is not None else ""
    leads = link and not link.startswith(("#", "javascript:")) and splitext(link)[1].lower() not in PICTURES
    return link if leads else None


def _says_enough(page: ParsedPage) -> bool:
    said, node = 0, page.tree.body
    stack = [node] if node is not None else []
    while stack and said < LITTLE:
        for child in stack.pop().iter(include_text=True):
            if child.tag == "-text":
                said += len(HAN.findall(child.text_content or ""))
            elif child.tag not in OUTSIDE:
                stack.append(child)
    return said >= LITTLE


def _is_small(attributes: Mapping[str, str | None]) -> bool:
    stated = (("width", LEAST_WIDTH), ("height", LEAST_HEIGHT))
    sizes = ((PIXELS.fullmatch((attributes.get(name) or "").strip()), least) for name, least in stated)
    return any(size is not None and int(size[1]) < least for size, least in sizes)


def _is_named_so(path: str) -> bool:
    return splitext(path)[1].lower() in NO_TEXT or NAMED.search(path.lower().rpartition("/")[2]) is not None


def _is_furniture(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    if NAMED.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()):
        return True
    above = node.parent
    while above is not None:
        if above.tag in FURNITURE:
            return True
        above = above.parent
    return False
