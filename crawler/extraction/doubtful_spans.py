"""Leave out the spans between words of which nobody can tell whether a reader sees them.

A style sheet that could not be fetched, an unknown custom property or a box without a size may hide them. A page that
puts many such spans into its sentences is read twice: with them and without.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.visibility import MAX_STRAY_CHARACTERS

_SPAN_TAGS: Final = "span|i|b|em|font|s|u|label|ins|q|small|strong|tt|var|code|a|bdo|bdi|data|cite|dfn|kbd|samp|abbr"
# The end of a span before a Han character in UTF-8: a quick test, before that for short spans.
_SPAN_BEFORE_HAN: Final = re.compile(rb"</(?:%b)>(?=[\xe3-\xe9])" % _SPAN_TAGS.encode())
_SHORT_SPAN: Final = re.compile(rb"<(?:%b)\s[^<>]{1,200}>[^<>]{1,24}</" % _SPAN_TAGS.encode())
_SPAN_SELECTOR: Final = ",".join(f"{tag}[class],{tag}[id],{tag}[style]" for tag in _SPAN_TAGS.split("|"))
_MIN_SPANS: Final = 12  # spans of a page, fewer are emphasis
_MIN_SPANS_SHARE: Final = 0.04  # spans for each character of the text
_MAX_SPAN_CHARACTERS: Final = MAX_STRAY_CHARACTERS


def may_hold_doubtful_spans(markup: bytes, length: int) -> bool:
    """Tell whether it is worth searching for such spans. markup: in UTF-8. length: characters of the page's text."""
    least = max(_MIN_SPANS, _MIN_SPANS_SHARE * length)
    return len(_SPAN_BEFORE_HAN.findall(markup)) >= least and len(_SHORT_SPAN.findall(markup)) >= least


def remove_doubtful_spans(tree: LexborHTMLParser, length: int) -> bool:
    """Remove the spans of a few characters within sentences. Return whether the page had many of them.

    length: characters of the page's text.
    """
    spans = [node for node in tree.css(_SPAN_SELECTOR) if _is_within_sentence(node)]
    if len(spans) < max(_MIN_SPANS, _MIN_SPANS_SHARE * length):
        return False
    for node in spans:
        node.decompose()
    return True


def _is_within_sentence(node: LexborNode) -> bool:
    """Tell whether an element holds a few characters between words, and leads nowhere."""
    inside, before, after = node.first_child, node.prev, node.next
    if inside is None or before is None or after is None or inside.next is not None:
        return False
    if any(near.tag != "-text" or near.is_empty_text_node for near in (inside, before, after)):
        return False
    return len((inside.text_content or "").strip()) <= _MAX_SPAN_CHARACTERS and "href" not in node.attributes
