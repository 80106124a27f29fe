"""Pages that are empty until their scripts have run."""

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page_lines import blocks_of

HOLLOW = 100  # characters of text below which a page with scripts is taken for one that they fill


def hollow(html: str) -> bool:
    """Whether a page shows next to nothing while it has scripts that may fill it."""
    if "<script" not in html.lower():
        return False
    return sum(len(line.text) for line in blocks_of(LexborHTMLParser(bounded(html).replace("\0", ""))).lines) < HOLLOW
