"""Find the pictures that may hold a page's text. Insert recognized text into the page."""

import binascii
import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from posixpath import splitext
from urllib.parse import unquote_to_bytes, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.addresses import canonical_url, resolve_link
from crawler.extraction.model import PagePicture, PictureLine, PicturePlace, PictureText
from crawler.extraction.page_lines import HAN_CHARACTER
from crawler.extraction.parsing import ParsedPage

# Pictures of a page: addresses, also those that a script shows later, and embedded data.


# Attributes with the picture that is shown after scrolling. They precede the placeholder that is shown until then.
LAZY_ATTRIBUTES = ("data-original", "data-src", "data-lazy-src", "data-lazy", "data-actualsrc", "data-echo", "data-url")
DATA_SCHEME = "data:"
MAX_INLINE_CHARACTERS = 8 << 20  # characters of an embedded picture


def picture_url(attributes: Mapping[str, str | None], base: str) -> str | None:
    """Return the absolute address of an <img>'s picture, or of an embedded one ``data:`` and its SHA-256."""
    stated = [(attributes.get(name) or "").strip() for name in (*LAZY_ATTRIBUTES, "src")]
    named = [address for address in stated if address and not address.startswith(DATA_SCHEME)]
    if not named:
        inside = inline_picture_bytes(attributes)
        return None if inside is None else DATA_SCHEME + hashlib.sha256(inside).hexdigest()
    try:
        url = canonical_url(resolve_link(base, named[0]))
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://")) else None


def inline_picture_bytes(attributes: Mapping[str, str | None]) -> bytes | None:
    """Return the bytes of an embedded picture (RFC 2397)."""
    head, comma, data = (attributes.get("src") or "").strip()[:MAX_INLINE_CHARACTERS].partition(",")
    if not comma or not head.startswith("data:image/"):
        return None
    raw = unquote_to_bytes(data)
    try:
        return b64decode(raw) if head.endswith(";base64") else raw
    except binascii.Error:
        return None


MAX_LINE_DISTANCE = 2_000  # characters between two lines of a page's pictures; a line farther on is from elsewhere


def insert_picture_text(tree: LexborHTMLParser, base: str, readings: Mapping[str, PictureText]) -> list[PictureText]:
    """Insert recognized text before its pictures, one <p> a paragraph. Return the inserted texts in page order.

    readings: by the addresses of the pictures.
    """
    put: list[PictureText] = []
    for node in tree.css("img") if readings else ():
        reading = readings.get(picture_url(node.attributes, base) or "")
        if reading is None or not reading.lines or reading in put:
            continue
        put.append(reading)
        before = _outside_links(node)
        for words in join_picture_lines(reading.lines):
            paragraph = tree.create_node("p")
            paragraph.insert_child(words)
            before.insert_before(paragraph)
    return put


def join_picture_lines(lines: Sequence[PictureLine]) -> tuple[str, ...]:
    """Join the lines of a picture to paragraphs."""
    paragraphs: list[str] = []
    for line in lines:
        if line.begins or not paragraphs:
            paragraphs.append(line.text)
        else:
            apart = " " if (paragraphs[-1][-1] + line.text[0]).isascii() else ""
            paragraphs[-1] += apart + line.text
    return tuple(paragraphs)


def find_picture_places(text: str, pictures: Sequence[PictureText]) -> tuple[PicturePlace, ...]:
    """Return the places of the pictures' lines in a page's text. Lines that are not part of it are left out."""
    return tuple(_iter_picture_places(text, pictures))


def _iter_picture_places(text: str, pictures: Sequence[PictureText]) -> Iterator[PicturePlace]:
    end = 0
    for number, picture in enumerate(pictures, 1):
        for place, line in enumerate(picture.lines, 1):
            start = text.find(line.text, end, end + MAX_LINE_DISTANCE + len(line.text) if end else len(text))
            if start >= 0:
                end = start + len(line.text)
                yield PicturePlace(start, end, picture.id, number, place, line.box)


def _outside_links(node: LexborNode) -> LexborNode:
    """Return the link around a node, or else the node, because text inside a link is not text of a page."""
    above = node
    while above.parent is not None and above.parent.tag not in ("body", "html", "-undef"):
        if above.parent.tag == "a":
            node = above.parent
        above = above.parent
    return node


# The pictures that may hold a page's text: the large ones of a page with little text.


ENOUGH_PAGE_HAN = 400  # Han characters outside of links from which they are the page's text
MAX_PAGE_PICTURES = 60  # pictures of one page
MIN_PICTURE_WIDTH, MIN_PICTURE_HEIGHT = 200, 80  # pixels, if the page states them
MIN_INLINE_BYTES = 3_000  # of an embedded picture
TEXTLESS_ENDINGS = frozenset((".svg", ".ico", ".gif", ".cur"))
PICTURE_LINK_ENDINGS = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"))
NON_TEXT_TAGS = frozenset(("a", "script", "style", "noscript", "nav", "header", "footer", "aside", "title", "head"))
FURNITURE_TAGS = frozenset(("nav", "header", "footer", "aside", "button"))
FURNITURE_NAME = re.compile(
    r"(?<![a-z])(?:logo|icons?|avatar|face|emoji|qr(?:code)?|banner|ads?|advert|btn|button|loading|blank|spacer|sprite|captcha)(?![a-z])"
)
PIXEL_COUNT = re.compile(r"(\d{1,5})(?:px)?")


def find_text_pictures(page: ParsedPage) -> tuple[PagePicture, ...]:
    """Return the pictures in page order, each once, or none if the page has a text. `page` needs its scripts."""
    pictures: dict[str, PagePicture] = {}
    for picture in _large_pictures(page.tree.css("img"), page.base):
        pictures.setdefault(picture.address, picture)
        if len(pictures) == MAX_PAGE_PICTURES:
            break
    return () if not pictures or _has_enough_text(page) else tuple(pictures.values())


def _large_pictures(nodes: list[LexborNode], base: str) -> Iterator[PagePicture]:
    links = {id(node): _link_target(node) for node in nodes}
    led_to = {link for link in links.values() if link is not None}
    for node in nodes:
        attributes = node.attributes
        address = picture_url(attributes, base)
        if address is None or _is_small(attributes) or _is_furniture(node, attributes):
            continue
        if links[id(node)] is not None and len(led_to) > 1:  # each one stands for its target page
            continue
        if address.startswith(DATA_SCHEME):
            content = inline_picture_bytes(attributes)
            if content is not None and len(content) >= MIN_INLINE_BYTES:
                yield PagePicture(address, content)
        elif not _has_furniture_name(urlsplit(address).path):
            yield PagePicture(address)


def _link_target(node: LexborNode) -> str | None:
    """Return the target of a click on a picture: another page, and not the picture itself or a script."""
    above = node.parent
    while above is not None and above.tag != "a":
        above = above.parent
    link = (above.attributes.get("href") or "").strip() if above is not None else ""
    leads = link and not link.startswith(("#", "javascript:")) and splitext(link)[1].lower() not in PICTURE_LINK_ENDINGS
    return link if leads else None


def _has_enough_text(page: ParsedPage) -> bool:
    han_count, node = 0, page.tree.body
    stack = [node] if node is not None else []
    while stack and han_count < ENOUGH_PAGE_HAN:
        for child in stack.pop().iter(include_text=True):
            if child.tag == "-text":
                han_count += len(HAN_CHARACTER.findall(child.text_content or ""))
            elif child.tag not in NON_TEXT_TAGS:
                stack.append(child)
    return han_count >= ENOUGH_PAGE_HAN


def _is_small(attributes: Mapping[str, str | None]) -> bool:
    stated = (("width", MIN_PICTURE_WIDTH), ("height", MIN_PICTURE_HEIGHT))
    sizes = ((PIXEL_COUNT.fullmatch((attributes.get(name) or "").strip()), least) for name, least in stated)
    return any(size is not None and int(size[1]) < least for size, least in sizes)


def _has_furniture_name(path: str) -> bool:
    return (
        splitext(path)[1].lower() in TEXTLESS_ENDINGS
        or FURNITURE_NAME.search(path.lower().rpartition("/")[2]) is not None
    )


def _is_furniture(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    if FURNITURE_NAME.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()):
        return True
    above = node.parent
    while above is not None:
        if above.tag in FURNITURE_TAGS:
            return True
        above = above.parent
    return False
