"""Title, author, site and canonical address, as a page states them about itself."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.crawl.host_names import host_of
from crawler.extract.json_ld import Stated, text_at

TITLE_SEPARATORS = re.compile(r" ?[_|—–]+ ?| -+ ")  # of a title as `one_line` has it
AUTHOR_METAS = ("author", "article:author", "og:novel:author", "byl", "dc.creator")
AUTHOR_LINE = re.compile(
    r"(?:作\s*者(?:\s*[:：／/|]|\s)|撰\s*文\s*[:：／/|]|(?<![\u3400-\u9fff])图?文\s*[:：／/|])\s*"
    r"(?!简介|介绍|其他|所有)([^\s:：|/，,。]{2,20})|"
    r"(?:本[报网刊台]|首席|特约|见习)?记者\s*[:：／/\s]\s*([\u3400-\u9fff]{2,4})(?![\u3400-\u9fff])"
)
AUTHOR_NODES = "[rel~=author], [itemprop=author], .author, .post-author, .byline, .article-author"
LONGEST_NAME = 20
LONGEST_TITLE = 500  # characters of a title or a name that are read
MOST_HEADINGS = 30
HEAD_LINES = 60  # of a page, where a byline and a date are looked for
SITE_METAS = ("og:site_name", "application-name")
SITE_ENDING = re.compile(
    r"(?:网|网站|论坛|日报|晚报|早报|周刊|博客|书屋|书院|书城|文学|小说|阅读|百科|在线|频道|社区|贴吧|客户端)$"
)


def title(tree: LexborHTMLParser, metas: Mapping[str, str], stated: Stated) -> str | None:
    """The page's title without the site's name."""
    whole = _text(tree, "title")
    own = one_line(metas.get("og:title")) or one_line(text_at(stated, "headline"))
    if own:
        return _without(site_name(tree, metas, stated), own)
    headings = [one_line(node.text(deep=True)) for node in tree.css("h1, h2")[:MOST_HEADINGS]]
    if whole is None:
        return _text(tree, "h1")
    # A theme may put the site's name into the h1, which the title ends with; what it begins with comes first.
    fitting = [text for text in headings if text and text in whole]
    first = TITLE_SEPARATORS.split(whole)[0]
    return (
        next((text for text in fitting if whole.startswith(text)), None) or next(iter(fitting), None) or first or whole
    )


def author(tree: LexborHTMLParser | None, metas: Mapping[str, str], stated: Stated, lines: Iterable[str]) -> str | None:
    """Who wrote it: of the metadata, else of a byline. tree: None for a page no element of which is called so."""
    named = [one_line(metas.get(name)) for name in AUTHOR_METAS] + [one_line(text_at(stated, "author", "name"))]
    for value in named:
        if value and not value.isdecimal() and "@" not in value and "://" not in value:
            return value[:100]
    for line in lines:
        if len(line) <= 100 and (found := AUTHOR_LINE.search(line)):
            return found[1] or found[2]
    texts = (one_line(node.text(deep=True)) for node in (tree.css(AUTHOR_NODES)[:1] if tree else []))
    return next((text for text in texts if text and len(text) <= LONGEST_NAME and ":" not in text), None)


def site_name(tree: LexborHTMLParser, metas: Mapping[str, str], stated: Stated) -> str | None:
    """What the site calls itself: in the metadata, else at the end of the title, where that is named like a site."""
    names = (*(one_line(metas.get(key)) for key in SITE_METAS), one_line(text_at(stated, "publisher", "name")))
    if name := next((name for name in names if name), None):
        return name
    _, *others = TITLE_SEPARATORS.split(_text(tree, "title") or "")
    return others[-1] if others and len(others[-1]) <= LONGEST_NAME and SITE_ENDING.search(others[-1]) else None


def canonical_address(tree: LexborHTMLParser, metas: Mapping[str, str], base: str) -> str | None:
    """The address that the page calls its own (RFC 6596, else og:url), in full; None where it names none."""
    links = (node.attributes for node in _in_head(tree, "link[rel][href]"))
    stated = [link.get("href") or "" for link in links if "canonical" in (link.get("rel") or "").lower().split()]
    for address in (*stated, metas.get("og:url", "")):
        try:
            full = urljoin(base, address.strip())
        except ValueError:
            continue
        if address.strip() and host_of(full):
            return full
    return None


def metas_of(tree: LexborHTMLParser) -> dict[str, str]:
    """The content of the meta elements by their name in lower case; the first of a name counts."""
    found: dict[str, str] = {}
    for node in _in_head(tree, "meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            found.setdefault(name.lower(), attributes.get("content") or "")
    return found


def _without(site: str | None, title: str) -> str:
    """The title without the site's name behind it."""
    *front, last = TITLE_SEPARATORS.split(title)
    return title.removesuffix(last).rstrip(" _|—–-") if front and site and last == site else title


def _text(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    return (one_line(node.text(deep=True)) if node else "") or None


def one_line(text: str | None) -> str:
    """A title or a name with single spaces, and no more of it than can be one."""
    return " ".join((text or "")[: 4 * LONGEST_TITLE].split())[:LONGEST_TITLE].rstrip()


def _in_head(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Elements of the head; of the whole page where a broken head holds none."""
    head = tree.head
    return (head.css(selector) if head else []) or tree.css(selector)
