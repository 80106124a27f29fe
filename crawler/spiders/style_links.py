"""Style sheets at addresses of their own that may hide what stands between the words of a page.

Sites put words that no reader sees into their text, in elements whose class a sheet hides. Most pages have none of it,
and their sheets are not asked for.
"""

import re

from selectolax.lexbor import LexborNode

from crawler.crawl.canonical_addresses import canonical, linked
from crawler.crawl.host_names import belongs, host_of, registered_name
from crawler.extract.parsed_page import ParsedPage

MOST = 3  # sheets of a page, the last: what is the page's own comes after what all pages have
_INSIDE = "p [class], article [class], [class*=content] [class]"
_INLINE = frozenset(("span", "i", "b", "em", "font", "u", "s", "small", "ins", "del", "bdo", "kbd", "var", "cite", "q"))
_SHORT = 40  # characters of such an element
_LEAST = 6  # such elements of a page
_MOST_NODES = 2_000  # that are looked at
_CODE = frozenset(("pre", "code", "a", "button", "li", "td", "h1", "h2", "h3"))


def style_links(page: ParsedPage) -> tuple[str, ...]:
    """The sheets of the page's own site, where words that they may hide stand in the middle of its lines."""
    if page.text.count("class=") < _LEAST:
        return ()
    between = 0
    for node in page.tree.css(_INSIDE)[:_MOST_NODES]:
        between += _stands_between_words(node)
        if between == _LEAST:
            return _sheets(page)
    return ()


def _stands_between_words(node: LexborNode) -> bool:
    if node.tag not in _INLINE or (node.parent is not None and node.parent.tag in _CODE):
        return False
    words = len((node.text(deep=True) or "").strip())
    return 0 < words <= _SHORT and (_is_text(node.prev) or _is_text(node.next))


def _is_text(node: LexborNode | None) -> bool:
    return node is not None and node.tag == "-text" and bool((node.text_content or "").strip())


def _sheets(page: ParsedPage) -> tuple[str, ...]:
    found: dict[str, None] = {}
    here = host_of(page.url) or ""
    for node in page.tree.css("link[rel~=stylesheet i][href]"):
        if re.search("print", node.attributes.get("media") or "", re.IGNORECASE):
            continue
        try:
            address = canonical(linked(page.base, node.attributes.get("href") or ""))
        except ValueError:
            continue
        if (host := host_of(address)) and belongs(host, _of_the_site(here)):
            found[address] = None
    return tuple(found)[-MOST:]


def _of_the_site(host: str) -> tuple[str, ...]:
    """The host itself and its neighbours below one name, as css.example.com is of www.example.com, and of nobody's name
    below a public suffix: another.com.cn is none of example.com.cn. A name of no public suffix is one of an intranet.
    """
    name = registered_name(host) or host.partition(".")[2]
    return (host, f"*.{host}", name, f"*.{name}") if "." in name else (host, f"*.{host}")
