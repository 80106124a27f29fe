"""What a page says of who runs its site, foot and links included; the main text leaves these out."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.imprint.contact_patterns import contacts_in
from crawler.extract.whole_text import whole_page
from store.records import SiteContact

_LINKS: Final = 5_000  # of one page
_SAID: Final = (  # what a link of these opens, and the words that the rule knows it by
    (re.compile(r"mailto:([^?]{3,120})", re.IGNORECASE), ""),
    (re.compile(r"tel:([+\d() -]{7,20})", re.IGNORECASE), "电话: "),
    (re.compile(r"(?:wpa\.qq\.com|tencent://)[^\s]{0,80}?uin=([1-9]\d{4,10})", re.IGNORECASE), "QQ: "),
)


def imprint(body: bytes, headers: Sequence[tuple[str, str]]) -> tuple[SiteContact, ...]:
    """The operator, registrations and contacts that a page names."""
    tree = whole_page(body, headers)
    if tree.body is None:
        return ()
    # The links first: a page that is longer than what is looked at has its contacts there as a rule.
    return contacts_in("\n".join((*_linked(tree), tree.body.text(separator="\n"))))


def _linked(tree: LexborHTMLParser) -> Iterator[str]:
    for link in tree.css("a[href]")[:_LINKS]:
        address = unquote((link.attributes.get("href") or "")[:400])
        for pattern, label in _SAID:
            if found := pattern.search(address):
                yield label + found[1]
