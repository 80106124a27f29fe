"""Whether a page is one of a manual's, as it says itself: by its place in a whole, or by what made it."""

import re

from selectolax.lexbor import LexborHTMLParser

# The types of links of HTML 4.01, section 6.12, that only collections of pages have.
_PLACES = frozenset(
    ("up", "contents", "index", "toc", "start", "chapter", "section", "subsection", "appendix", "glossary")
)
_MADE_BY = re.compile(
    r"docbook|sphinx|mkdocs|doxygen|gitbook|mdbook|docusaurus|asciidoctor|vuepress|vitepress|javadoc|texinfo|makeinfo|yelp",
    re.IGNORECASE,
)


def is_of_a_manual(tree: LexborHTMLParser) -> bool:
    """Whether a page names its place in a manual, or a program that makes manuals."""
    if tree.head is None:
        return False
    if any(_MADE_BY.search(meta.attributes.get("content") or "") for meta in tree.head.css("meta[name=generator]")):
        return True
    return any(_PLACES & set((link.attributes.get("rel") or "").lower().split()) for link in tree.head.css("link[rel]"))
