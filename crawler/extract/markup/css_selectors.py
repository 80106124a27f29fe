"""What the parser understands as a CSS selector."""

from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, SelectolaxError


@lru_cache(1_024)  # those of a site's style sheets are asked for on all its pages
def is_selector(written: str) -> bool:
    """Whether this is a CSS selector, or several with commas between them.

    >>> is_selector("p > i"), is_selector("p:before")
    (True, False)
    """
    try:
        LexborHTMLParser("<p>").css(written)
    except SelectolaxError:
        return False
    return True
