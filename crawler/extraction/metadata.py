"""Read title, author, site name, canonical URL and language of a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.addresses import host_of
from crawler.extraction.linked_data import LinkedData, linked_data_text
from crawler.extraction.page_lines import TextLine

TITLE_SEPARATORS = re.compile(r" ?[_|—–]+ ?| -+ ")  # of a title as `to_single_line` returns it
MAX_NAME_CHARACTERS = 20
MAX_TITLE_CHARACTERS = 500  # characters of a title or a name that are read
MAX_TITLE_HEADINGS = 30
HEADING_SELECTORS = ("h1, h2", "h3, h4")  # the larger first
MIN_SHOWN_TITLE_CHARACTERS = 3  # characters of a title that is searched for among the lines
MAX_TITLE_LINE_REST = 100  # characters after the title in a line that shows it
SITE_METAS = ("og:site_name", "application-name")
SITE_NAME_ENDING = re.compile(
    r"(?:网|网站|官网|门户|论坛|日报|晚报|早报|时报|商报|周刊|博客|博客园|书屋|书院|书城|文学|小说|阅读|百科|在线|频道|社区|贴吧|客户端|"
    r"出版社|杂志社|通讯社|电视台|资讯|知乎|简书|豆瓣|网易|新浪|搜狐|腾讯)$"
)
# Site endings that no title has. Before them a hyphen without spaces separates too, and the title may follow them.
_SURE_SITE_ENDING = re.compile(r"(?:网|网站|官网|日报|晚报|时报|论坛|客户端|博客园|通讯社|出版社)$")
_HYPHENS = re.compile(r"-+")
_PLACEHOLDER_TITLE = re.compile(
    r"(?:无标题(?:文档|页)?|未命名(?:文档)?|新建网页.{0,3}|untitled(?: document)?|document|new page|loading\W{0,3}|"
    r"首页|主页|正文|详情页?|新闻详情|文章详情)",
    re.IGNORECASE,
)
_QUOTES = frozenset("\"'“”‘’「『《〈")
_BREAKING_OFF = re.compile(r" ?(?:…{1,6}|\.{3,6}|。{3,6})$")


def find_title(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData) -> str | None:
    """Return the page's title without the site's name."""
    site = find_site_name(tree, metas, stated)
    whole = _first_text(tree, "title")
    if whole and (_PLACEHOLDER_TITLE.fullmatch(whole) or whole == site):
        whole = None
    own = to_single_line(metas.get("og:title")) or to_single_line(linked_data_text(stated, "headline"))
    if own and own != site and not _PLACEHOLDER_TITLE.fullmatch(own):
        return _complete_title(_strip_site_name(site, own), whole, tree, site)
    if whole is None:
        return _first_text(tree, "h1") or _first_text(tree, "title")
    for selector in HEADING_SELECTORS:
        # A theme may put the site's name into the h1, and the title ends with that name. So the heading that begins the
        # title takes precedence.
        fitting = [text for text in _headings(tree, selector) if text != site and _has_whole_words(whole, text)]
        if fitting:
            return next((text for text in fitting if whole.startswith(text)), fitting[0])
    return _complete_title(_first_part(whole, site), None, tree, site)


def _headings(tree: LexborHTMLParser, selector: str) -> Iterator[str]:
    return (to_single_line(node.text(deep=True)) for node in tree.css(selector)[:MAX_TITLE_HEADINGS])


def _complete_title(title: str, whole: str | None, tree: LexborHTMLParser, site: str | None) -> str:
    """Return a title that is cut by a quotation mark or truncated as another place shows it in full.

    whole: the title element, if the title is from metadata.
    """
    begin = _BREAKING_OFF.sub("", title)
    breaks_off = begin != title
    rest = _text_behind(whole, begin) if whole is not None else ""
    if whole and rest and (breaks_off or rest[0] in _QUOTES) and _BREAKING_OFF.fullmatch(rest) is None:
        return _first_part(whole, site)
    if not breaks_off:
        return title
    shown = (text for selector in HEADING_SELECTORS for text in _headings(tree, selector))
    return next((text for text in shown if len(text) > len(title) and text.startswith(begin)), title)


def _text_behind(text: str, begin: str) -> str:
    return text.removeprefix(begin).lstrip() if text.startswith(begin) else ""


def _has_whole_words(whole: str, text: str) -> bool:
    """Tell whether the title contains a heading at word boundaries."""
    before, held, behind = whole.partition(text) if text else (whole, "", "")
    return bool(held) and not (before[-1:].isalnum() or behind[:1].isalnum())


def _first_part(whole: str, site: str | None) -> str:
    """Return the first part of a title, before the names of columns and of the site."""
    parts = [part for part in TITLE_SEPARATORS.split(whole) if part]
    if len(parts) > 1 and (parts[0] == site or _is_site_name(parts[0], _SURE_SITE_ENDING)):
        parts = parts[1:]
    first = parts[0] if parts else whole
    *front, last = _HYPHENS.split(first)
    if front and "".join(front) and (last.strip() == site or _is_site_name(last.strip(), _SURE_SITE_ENDING)):
        first = first.removesuffix(last).rstrip(" -")
    return first


def _is_site_name(name: str, ending: re.Pattern[str]) -> bool:
    return len(name) <= MAX_NAME_CHARACTERS and ending.search(name) is not None


def find_title_place(lines: Sequence[TextLine], title: str | None) -> int:
    """Return the position of the line that shows the title, or 0."""
    if not title or len(title) < MIN_SHOWN_TITLE_CHARACTERS:
        return 0
    most = len(title) + MAX_TITLE_LINE_REST
    return next(
        (
            place
            for place, line in enumerate(lines)
            if line.text.startswith(title) and len(line.text) <= most and not line.linked
        ),
        0,
    )


def find_site_name(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData) -> str | None:
    """Return the site's name from the metadata, or from the end of the title if that looks like a site's name."""
    names = (
        *(to_single_line(metas.get(key)) for key in SITE_METAS),
        to_single_line(linked_data_text(stated, "publisher", "name")),
    )
    if name := next((name for name in names if name), None):
        return name
    whole = _first_text(tree, "title") or ""
    _, *others = TITLE_SEPARATORS.split(whole)
    if others:
        return others[-1] if _is_site_name(others[-1], SITE_NAME_ENDING) else None
    front, hyphen, last = whole.rpartition("-")
    return last.strip() if front and hyphen and _is_site_name(last.strip(), _SURE_SITE_ENDING) else None


def find_canonical_url(tree: LexborHTMLParser, metas: Mapping[str, str], base: str) -> str | None:
    """Return the page's canonical address (RFC 6596, or else og:url) in absolute form, or None."""
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
    """Return the content of the meta elements by their name in lower case. The first of a name counts."""
    metas: dict[str, str] = {}
    for node in _select_in_head(tree, "meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            metas.setdefault(name.lower(), attributes.get("content") or "")
    return metas


def _strip_site_name(site: str | None, title: str) -> str:
    """Remove the site's name from the end of a title."""
    *front, last = TITLE_SEPARATORS.split(title)
    if front and last == site:
        return title.removesuffix(last).rstrip(" _|—–-")
    return title if front else _first_part(title, site)


def _first_text(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    return (to_single_line(node.text(deep=True)) if node else "") or None


def to_single_line(text: str | None) -> str:
    """Return a title or a name with single spaces, truncated to a plausible length."""
    return " ".join((text or "")[: 4 * MAX_TITLE_CHARACTERS].split())[:MAX_TITLE_CHARACTERS].rstrip()


def _select_in_head(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Return elements of the head. Search the whole page if a broken head holds none."""
    head = tree.head
    return (head.css(selector) if head else []) or tree.css(selector)


_NON_HAN = re.compile(r"[^\u3400-\u9fff\uf900-\ufaff]+")
_NON_KANA = re.compile(r"[^\u3040-\u30ff]+")
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
LANGUAGE_SAMPLE_CHARACTERS = 2000  # characters of a text that decide its language
MIN_HAN_SHARE = 0.3  # share of Han characters from which a text is Chinese, whatever its template declares
MIN_KANA_SHARE = 0.1  # share of kana that no Chinese text has


def detect_language(tree: LexborHTMLParser, metas: Mapping[str, str], stated: LinkedData, text: str) -> str | None:
    """Return the language of the text as a BCP 47 tag. Characters overrule the stated language.

    Templates of Chinese sites often keep their original "en".
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
    """Return `zh` or `ja` if the characters of a text decide it.

    >>> [language_by_characters(text) for text in ("长江边上的一座小城", "川のほとりの町", "a town")]
    ['zh', 'ja', None]
    """
    sample = "".join(text[:LANGUAGE_SAMPLE_CHARACTERS].split())
    if len(_NON_KANA.sub("", sample)) > MIN_KANA_SHARE * len(sample):
        return "ja"
    return "zh" if len(_NON_HAN.sub("", sample)) > MIN_HAN_SHARE * len(sample) else None
