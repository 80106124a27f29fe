"""The text of a page where a person has said that it stands: by a CSS selector, of all pages of a site."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.page_lines import blocks_of


def lines_at(tree: LexborHTMLParser, selector: str) -> list[str]:
    """The lines of the elements that it fits, none of them twice; none at all where it fits nothing."""
    html = "\n".join(node.html or "" for node in _outermost(tree.css(selector)))
    return [line.text for line in blocks_of(LexborHTMLParser(html)).lines] if html else []


def _outermost(found: list[LexborNode]) -> Iterator[LexborNode]:
    chosen = {node.mem_id: node for node in found}
    for node in chosen.values():
        above = node.parent
        while above is not None and above.mem_id not in chosen:
            above = above.parent
        if above is None:
            yield node
