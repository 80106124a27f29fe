"""Summarize a page for the spider: links, text, pictures and style sheets. Imported by child processes."""

import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from crawler.addresses import canonical_url, host_of, is_host_among, registered_domain, resolve_link
from crawler.extraction.links import MAX_PAGE_LINKS, canonical_link, extract_links
from crawler.extraction.metadata import detect_language
from crawler.extraction.model import PagePicture
from crawler.extraction.page_lines import is_empty_until_scripts
from crawler.extraction.parsing import ParsedPage, parse_page, text_without_scripts
from crawler.extraction.pictures import find_text_pictures
from crawler.extraction.scrolling.endpoints import find_endpoints, next_response_url
from crawler.extraction.scrolling.json_responses import extract_json_links, extract_json_prose, may_be_json, parse_json
from crawler.spiders.soft_blocks import SoftBlock, detect_soft_block
from wenhen.kit.plugins import LINK_EXTRACTORS, working_plugins

logger = logging.getLogger(__name__)

# Linked style sheets that may hide words of a page.
#
# Sites put invisible words into their text, in elements whose class a sheet hides. Most pages have none, and their
# sheets are not fetched.


MAX_STYLE_SHEETS = 3  # sheets of a page, the last ones: the page's own come last
_CONTENT_SELECTOR = "p [class], article [class], [class*=content] [class]"
_INLINE_TAGS = frozenset(
    ("span", "i", "b", "em", "font", "u", "s", "small", "ins", "del", "bdo", "kbd", "var", "cite", "q")
)
_MAX_ELEMENT_CHARACTERS = 40  # characters of an inline element
_MIN_ELEMENTS = 6  # inline elements of a page
_MAX_NODES = 2_000  # nodes that are examined
_EXCLUDED_PARENTS = frozenset(("pre", "code", "a", "button", "li", "td", "h1", "h2", "h3"))


def find_style_links(page: ParsedPage) -> tuple[str, ...]:
    """Return the sheets of the page's own site if they may hide words within its lines."""
    if page.text.count("class=") < _MIN_ELEMENTS:
        return ()
    between = 0
    for node in page.tree.css(_CONTENT_SELECTOR)[:_MAX_NODES]:
        between += _is_between_words(node)
        if between == _MIN_ELEMENTS:
            return _site_style_sheets(page)
    return ()


def _is_between_words(node: LexborNode) -> bool:
    if node.tag not in _INLINE_TAGS or (node.parent is not None and node.parent.tag in _EXCLUDED_PARENTS):
        return False
    words = len((node.text(deep=True) or "").strip())
    return 0 < words <= _MAX_ELEMENT_CHARACTERS and (_is_text_node(node.prev) or _is_text_node(node.next))


def _is_text_node(node: LexborNode | None) -> bool:
    return node is not None and node.tag == "-text" and bool((node.text_content or "").strip())


def _site_style_sheets(page: ParsedPage) -> tuple[str, ...]:
    sheets: dict[str, None] = {}
    here = host_of(page.url) or ""
    for node in page.tree.css("link[rel~=stylesheet i][href]"):
        if re.search("print", node.attributes.get("media") or "", re.IGNORECASE):
            continue
        try:
            address = canonical_url(resolve_link(page.base, node.attributes.get("href") or ""))
        except ValueError:
            continue
        if (host := host_of(address)) and is_host_among(host, _site_hosts(here)):
            sheets[address] = None
    return tuple(sheets)[-MAX_STYLE_SHEETS:]


def _site_hosts(host: str) -> tuple[str, ...]:
    """Return the host and its neighbours below one name, as css.example.com beside www.example.com.

    Names below a public suffix are no neighbours: another.com.cn is none of example.com.cn. A name without public
    suffix belongs to an intranet.
    """
    name = registered_domain(host) or host.partition(".")[2]
    return (host, f"*.{host}", name, f"*.{name}") if "." in name else (host, f"*.{host}")


# The summary of a page, made from its bytes. Child processes import this module, so it imports little.


MAX_CLASS_NODES = 400  # nodes whose classes are read
MAX_CLASS_NAME_CHARACTERS = 40  # characters
MAX_HOLLOW_CHARACTERS = 1000  # characters of a hollow page, hidden ones included


class PageSummary(NamedTuple):  # every page is pickled by a child, and a named tuple unpickles fastest
    """A page as the spider needs it: links with their words, text, pictures, style sheets, classes and language. A soft
    block has `block` instead.

    Addresses of links are full and canonical. `own` is the canonical address that the page states.
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
    further: tuple[str, ...] = ()  # endpoints that more content is loaded from
    answer: bool = False  # JSON, which is a page if it has enough text
    hollow: bool = False  # nearly no text, but scripts that may show some


def summarize_page(url: str, body: bytes, content_type: str) -> PageSummary:
    """Summarize a page from its bytes and its Content-Type."""
    page = parse_page(url, body, content_type)
    value = parse_json(page.text) if may_be_json(body) else None
    summary = summarize_parsed_page(page) if value is None else _summarize_answer(url, value)
    extractors = working_plugins(LINK_EXTRACTORS)
    return _add_plugin_links(summary, page.base, body, content_type, extractors) if extractors else summary


def _add_plugin_links(
    summary: PageSummary, base: str, body: bytes, content_type: str, extractors: Mapping[str, object]
) -> PageSummary:
    """Add the links that plug-ins find. An error of a plug-in costs its links on this page alone."""
    links = dict(summary.links)
    for extract in extractors.values():
        assert callable(extract)
        try:
            targets = [str(target) for target in islice(extract(summary.url, body, content_type), MAX_PAGE_LINKS)]
        except Exception:
            logger.warning("a plug-in failed on %s", summary.url, exc_info=True)
            continue
        for target in targets:
            with suppress(ValueError):
                url = canonical_url(resolve_link(base, target))
                if url.startswith(("http://", "https://")):
                    links.setdefault(url, "")
    return summary._replace(links=tuple(links.items()))


def summarize_parsed_page(page: ParsedPage) -> PageSummary:
    """Summarize a parsed page."""
    if block := detect_soft_block(page.text):
        return PageSummary(page.url, block=block)
    pictures, styles, further = find_text_pictures(page), find_style_links(page), find_endpoints(page)
    own, links, text = canonical_link(page), tuple(extract_links(page)), text_without_scripts(page)
    return PageSummary(
        page.url,
        own,
        links,
        text,
        pictures=pictures,
        styles=styles,
        classes=_class_names(page),
        language=detect_language(page.tree, {}, {}, text),
        further=further,
        hollow=len("".join(text.split())) < MAX_HOLLOW_CHARACTERS and is_empty_until_scripts(page.text),
    )


def _summarize_answer(url: str, value: object) -> PageSummary:
    links, text = extract_json_links(value, url), "\n".join(extract_json_prose(value))
    following = next_response_url(value, url, gave=bool(links or text))
    return PageSummary(url, links=links, text=text, further=(following,) if following else (), answer=True)


def _class_names(page: ParsedPage) -> tuple[str, ...]:
    """Return the class names of a page. Numbered ones belong to this page alone."""
    nodes = page.tree.css("[class]")[:MAX_CLASS_NODES]
    names = {name for node in nodes for name in (node.attributes.get("class") or "").split()}
    return tuple(
        sorted(name for name in names if len(name) <= MAX_CLASS_NAME_CHARACTERS and not any(map(str.isdigit, name)))
    )
