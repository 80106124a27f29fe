"""Read title, author, site name, canonical URL and language of a page."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.addresses import host_of
from crawler.extraction.linked_data import LinkedData, linked_data_text

TITLE_SEPARATORS = re.compile(r" ?[_|—–]+ ?| -+ ")  # of a title as `to_single_line` has it
AUTHOR_METAS = ("author", "article:author", "og:novel:author", "byl", "dc.creator")
AUTHOR_LINE = re.compile(
    r"(?:作\s*者(?:\s*[:：／/|]|\s)|撰\s*文\s*[:：／/|]|(?<![\u3400-\u9fff])图?文\s*[:：／/|])\s*"
    r"(?!简介|介绍|其他|所有)([^\s:：|/，,。]{2,20})|"
    r"(?:本[报网刊台]|首席|特约|见习)?记者\s*[:：／/\s]\s*([\u3400-\u9fff]{2,4})(?![\u3400-\u9fff])"
)
AUTHOR_SELECTOR = "[rel~=author], [itemprop=author], .author, .post-author, .byline, .article-author"
MAX_NAME_CHARACTERS = 20
MAX_TITLE_CHARACTERS = 500  # characters of a title or a name that are read
MAX_TITLE_HEADINGS = 30
BYLINE_SEARCH_LINES = 60  # of a page, where a byline and a date are looked for
SITE_METAS = ("og:site_name", "application-name")
SITE_NAME_ENDING = re.compile(
    r"(?:网|网站|论坛|日报|晚报|早报|周刊|博客|书屋|书院|书城|文学|小说|阅读|百科|在线|频道|社区|贴吧|客户端)$"
)


def find_title(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData) -> str | None:
    """The page's title without the site's name."""
    whole = _first_text(tree, "title")
    own = to_single_line(metas.get("og:title")) or to_single_line(linked_data_text(stated, "headline"))
    if own:
        return _strip_site_name(find_site_name(tree, metas, stated), own)
    headings = [to_single_line(node.text(deep=True)) for node in tree.css("h1, h2")[:MAX_TITLE_HEADINGS]]
    if whole is None:
        return _first_text(tree, "h1")
    # A theme may put the site's name into the h1, which the title ends with; what it begins with comes first.
    fitting = [text for text in headings if text and text in whole]
    first = TITLE_SEPARATORS.split(whole)[0]
    return (
        next((text for text in fitting if whole.startswith(text)), None) or next(iter(fitting), None) or first or whole
    )


def find_author(
    tree: LexborHTMLParser | None, metas: Mapping[str, str], stated: LinkedData, lines: Iterable[str]
) -> str | None:
    """Who wrote it: of the metadata, else of a byline. tree: None for a page no element of which is called so."""
    named = [to_single_line(metas.get(name)) for name in AUTHOR_METAS] + [
        to_single_line(linked_data_text(stated, "author", "name"))
    ]
    for value in named:
        if value and not value.isdecimal() and "@" not in value and "://" not in value:
            return value[:100]
    for line in lines:
        if len(line) <= 100 and (match := AUTHOR_LINE.search(line)):
            return match[1] or match[2]
    texts = (to_single_line(node.text(deep=True)) for node in (tree.css(AUTHOR_SELECTOR)[:1] if tree else []))
    return next((text for text in texts if text and len(text) <= MAX_NAME_CHARACTERS and ":" not in text), None)


def find_site_name(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData) -> str | None:
    """What the site calls itself: in the metadata, else at the end of the title, where that is named like a site."""
    names = (
        *(to_single_line(metas.get(key)) for key in SITE_METAS),
        to_single_line(linked_data_text(stated, "publisher", "name")),
    )
    if name := next((name for name in names if name), None):
        return name
    _, *others = TITLE_SEPARATORS.split(_first_text(tree, "title") or "")
    return (
        others[-1]
        if others and len(others[-1]) <= MAX_NAME_CHARACTERS and SITE_NAME_ENDING.search(others[-1])
        else None
    )


def find_canonical_url(tree: LexborHTMLParser, metas: Mapping[str, str], base: str) -> str | None:
    """The address that the page calls its own (RFC 6596, else og:url), in full; None where it names none."""
    links = (node.attributes for node in _select_in_head(tree, "link[rel][href]"))
    stated = [link.get("href") or "" for link in links if "canonical" in (link.get("rel") or "").lower().split()]
    for address in (*stated, metas.get("og:url", "")):
        try:
            full = urljoin(base, address.strip())
        except ValueError:
            continue
        if address.strip() and host_of(full):
            return full
    return None


def read_metas(tree: LexborHTMLParser) -> dict[str, str]:
    """The content of the meta elements by their name in lower case; the first of a name counts."""
    found: dict[str, str] = {}
    for node in _select_in_head(tree, "meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            found.setdefault(name.lower(), attributes.get("content") or "")
    return found


def _strip_site_name(site: str | None, title: str) -> str:
    """The title without the site's name behind it."""
    *front, last = TITLE_SEPARATORS.split(title)
    return title.removesuffix(last).rstrip(" _|—–-") if front and site and last == site else title


def _first_text(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    return (to_single_line(node.text(deep=True)) if node else "") or None


def to_single_line(text: str | None) -> str:
    """A title or a name with single spaces, and no more of it than can be one."""
    return " ".join((text or "")[: 4 * MAX_TITLE_CHARACTERS].split())[:MAX_TITLE_CHARACTERS].rstrip()


def _select_in_head(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Elements of the head; of the whole page where a broken head holds none."""
    head = tree.head
    return (head.css(selector) if head else []) or tree.css(selector)


_NON_HAN = re.compile(r"[^\u3400-\u9fff\uf900-\ufaff]+")
_NON_KANA = re.compile(r"[^\u3040-\u30ff]+")
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
LANGUAGE_SAMPLE_CHARACTERS = 2000  # characters of a text by which its language is decided
MIN_HAN_SHARE = 0.3  # share of Han characters from which a text is Chinese, whatever its template declares
MIN_KANA_SHARE = 0.1  # share of kana that no Chinese text has


def detect_language(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData, text: str) -> str | None:
    """The language of the text as a tag of BCP 47: as stated, unless the characters say otherwise.

    Templates of Chinese sites are often left at the "en" that they were bought with.
    """
    root = tree.css_first("html")
    attributes = root.attributes if root else {}
    declared = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        metas.get("og:locale"),
        linked_data_text(stated, "inLanguage"),
    )
    matches = (LANGUAGE_TAG.match(value.strip()) for value in declared if value)
    tag = next((match[0].replace("_", "-") for match in matches if match), None)
    seen = language_by_characters(text)
    if seen is None or (seen == "zh" and tag and tag.lower().startswith("zh")):
        return tag
    return seen


def language_by_characters(text: str) -> str | None:
    """`zh` or `ja`, where the characters of a text say so.

    >>> [language_by_characters(text) for text in ("长江边上的一座小城", "川のほとりの町", "a town")]
    ['zh', 'ja', None]
    """
    sample = "".join(text[:LANGUAGE_SAMPLE_CHARACTERS].split())
    if len(_NON_KANA.sub("", sample)) > MIN_KANA_SHARE * len(sample):
        return "ja"
    return "zh" if len(_NON_HAN.sub("", sample)) > MIN_HAN_SHARE * len(sample) else None
