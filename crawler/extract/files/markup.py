"""A chapter of an e-book: markup to its heading and paragraphs."""

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.files.document import paragraphs_of
from crawler.extract.markup.bounded_markup import bounded

BLOCKS = "p,div,h1,h2,h3,h4,h5,h6,li,blockquote,br,tr,section"


def chapter_of(html: str) -> tuple[str | None, tuple[str, ...]]:
    """The words of its first heading, and all its paragraphs."""
    tree = LexborHTMLParser(bounded(html).replace("\0", ""))
    for node in tree.css("script,style,title"):
        node.decompose()
    heading = tree.css_first("h1,h2,h3")
    for node in tree.css(BLOCKS):
        node.insert_before("\n")
    title = " ".join(heading.text().split()) if heading else None
    return title, paragraphs_of(tree.body.text()) if tree.body else ()
