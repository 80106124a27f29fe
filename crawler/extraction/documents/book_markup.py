"""Read a chapter of an e-book: convert its markup to a heading and paragraphs."""

import re

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.documents.document import split_paragraphs
from crawler.extraction.parsing import bound_markup

CHAPTER_BLOCKS = (
    "p,div,h1,h2,h3,h4,h5,h6,li,blockquote,br,hr,tr,td,th,caption,dt,dd,pre,section,article,aside,header,footer,nav,"
    "figure,figcaption,text"
)
UNSEEN_ELEMENTS = "script,style,title,template,rt,rp,rtc,metadata"  # readings above characters are not part of the text
VOID_ELEMENTS = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
))  # fmt: skip
SELF_CLOSED_TAG = re.compile(r"<[a-zA-Z][^<>]*/>")


def parse_chapter(html: str, *, xhtml: bool = False) -> tuple[str | None, tuple[str, ...]]:
    """Return the text of the first heading, and all paragraphs."""
    markup = SELF_CLOSED_TAG.sub(_close_tag, html) if xhtml else html
    tree = LexborHTMLParser(bound_markup(markup).replace("\0", ""))
    for node in tree.css(UNSEEN_ELEMENTS):
        node.decompose()
    heading = tree.css_first("h1,h2,h3")
    for node in tree.css(CHAPTER_BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    title = " ".join(heading.text().split()) if heading else None
    return title, split_paragraphs(tree.body.text()) if tree.body else ()


def _close_tag(match: re.Match[str]) -> str:
    """Close an element explicitly. In XHTML any element may close itself, but an HTML parser never ends `<title/>`."""
    inside = match[0][1:-2]
    name = inside.split(None, 1)[0]
    return match[0] if name.lower() in VOID_ELEMENTS else f"<{inside}></{name}>"
