"""Choose the lines of a page's main text, by the weights of lines and elements."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.boilerplate.dated_rows import elements_around_posts, is_time_line
from crawler.extraction.boilerplate.line_classification import (
    SENTENCE_END,
    SHORT_LINE_CHARACTERS,
    is_button_line,
    is_byline,
    is_navigation,
    is_running_text,
)
from crawler.extraction.boilerplate.link_lists import (
    descendants_of,
    find_references,
    find_teasers,
    is_breaking_off,
    is_reference,
    is_reference_heading,
)
from crawler.extraction.boilerplate.page_sections import (
    find_likely_elements,
    find_replies,
    find_unlikely_words,
    is_part_heading,
    strip_further_reading,
    sum_subtrees,
)
from crawler.extraction.boilerplate.side_blocks import is_in_title, strip_side_blocks
from crawler.extraction.boilerplate.site_notices import is_disclaimer, is_footer, is_site_notice
from crawler.extraction.boilerplate.strip_boilerplate import strip_boilerplate, strip_line_links, unlink_prose
from crawler.extraction.page_lines import HAN_CHARACTER, HEADING_TAGS, Element, PageBlocks, TextLine, extract_blocks

# Features of a line by its words alone. Each line of a page is tested, and the result is cached for the next page.


# Bit flags, because a line may have several features.
PART_HEADING_FEATURE: Final = 1
REFERENCE_HEADING_FEATURE: Final = 2
TIME_FEATURE: Final = 4
TEXT_BREAK_FEATURE: Final = 8


@lru_cache(maxsize=10_000)
def line_features(text: str) -> int:
    """Return the features of a line as a sum of bits."""
    return (
        PART_HEADING_FEATURE * is_part_heading(text)
        + REFERENCE_HEADING_FEATURE * is_reference_heading(text)
        + TIME_FEATURE * is_time_line(text)
        + TEXT_BREAK_FEATURE * is_breaking_off(text)
    )


# The main text is in the subtree with the most running text and the least of everything else.


SENTENCE_PUNCTUATION = re.compile(r"[。！？；，、…”,.!?;]|[:：](?!\d)")  # without the colon in a time
WRITTEN_URL = re.compile(r"(?<!\w)\w+://\S*")  # starts once for each word, or a long word takes quadratic time
NAVIGATION_PENALTY = 1.0  # weight that one character of navigation takes from a subtree
REFERENCE_WORTH = 0.3  # weight of one character of a manual's list of its pages
MIN_TERSE_HAN = 20  # Han characters that a page without running text must have in one place, as a poem has
MIN_TERSE_LINES = 6  # short lines in one place that outweigh a sentence elsewhere
MAX_SENTENCE_CHARACTERS = 300  # characters of a text that such lines are compared with
LIST_WORDS = frozenset(("related",))  # words shared by the names of manuals' lists and of news lists
MIN_NEIGHBOUR_SHARE = 0.5  # share of the best section's weight from which siblings of one kind belong to the same text
KINDRED_TAGS = frozenset(("p", "li", "dd", "tr", "pre", "blockquote", "section"))  # of one kind without a label


@dataclass(frozen=True, slots=True)
class _WeighedPage:
    """Hold the lines of a page with their weights, elements that are never text, and lists that are."""

    blocks: PageBlocks
    worth: Sequence[float]
    beside: set[int]
    references: set[int]
    own_voice: bool
    title: str


def extract_main_text(
    blocks: PageBlocks, *, manual: bool = False, own_voice: bool = False, title: str = ""
) -> list[str]:
    """Return the lines of the page's main text in order, or none if there is no text.

    manual: whether the page is part of a manual, whose lists of pages are text. own_voice: whether site notices are
    text, as on a page of terms. Otherwise a page of nothing else has no text. title: the page's title.
    """
    if not blocks.elements:
        return []
    page = _weigh_page(unlink_prose(strip_line_links(blocks)), manual, own_voice, title)
    best = _best_part(page)
    if best and not _has_short_lines(page, sum(map(len, best))):
        return best
    terse = _terse_part(page)
    return terse if sum(map(len, terse)) > sum(map(len, best)) else best


def _weigh_page(blocks: PageBlocks, manual: bool, own_voice: bool, title: str) -> _WeighedPage:
    lines = blocks.lines
    texts = [line.text for line in lines]
    # Most lines have no features.
    signs = [(place, sign) for place, sign in enumerate(map(line_features, texts)) if sign]
    headings = [lines[place].element for place in _lines_with_feature(REFERENCE_HEADING_FEATURE, signs)]
    references = find_references(blocks, headings, manual=manual)
    beside = set() if own_voice else _non_text_elements(blocks, signs)
    worth = list(map(_line_worth, texts, [line.linked for line in lines], repeat(own_voice)))
    for place, text in enumerate(texts) if references else ():
        if is_reference(blocks, place, references):
            worth[place] = REFERENCE_WORTH * len(text)
    return _WeighedPage(blocks, worth, beside, references, own_voice, title)


def _non_text_elements(blocks: PageBlocks, signs: Sequence[tuple[int, int]]) -> set[int]:
    """Return the elements that are never text. signs: features of lines, each with its position."""
    timed = [blocks.lines[place].element for place in _lines_with_feature(TIME_FEATURE, signs)]
    teasers = find_teasers(blocks, len(_lines_with_feature(TEXT_BREAK_FEATURE, signs)))
    return (
        teasers
        | find_replies(blocks, _lines_with_feature(PART_HEADING_FEATURE, signs))
        | elements_around_posts(blocks, timed)
    )


def _lines_with_feature(sign: int, signs: Sequence[tuple[int, int]]) -> list[int]:
    return [place for place, features in signs if features & sign]


def _best_part(page: _WeighedPage) -> list[str]:
    blocks = page.blocks
    worth = [0.0] * len(blocks.elements)
    for line, value in zip(blocks.lines, page.worth, strict=True):
        worth[line.element] += value
    running = [value if value > 0 else 0.0 for value in worth]
    for line, value in _hidden_words(page):
        running[line.element] = max(0.0, running[line.element] - value)
    called = find_unlikely_words(blocks, running)
    kept = find_likely_elements(blocks, called)
    for number in page.references:
        kept[number] = kept[number] or called[number] <= LIST_WORDS
    for number in page.beside:
        kept[number] = False
    weighed = [value if keep else 0.0 for value, keep in zip(worth, kept, strict=True)]
    for number in page.beside:
        if worth[number] < 0:
            weighed[number] = worth[number]  # links count against a subtree even inside this element
    worth = sum_subtrees(blocks.elements, weighed)
    top = worth.index(max(worth))
    if worth[top] <= 0:
        return []
    gained = [value if keep else 0.0 for value, keep in zip(running, kept, strict=True)]
    top, lists = _widen_part(blocks.elements, worth, gained, top)
    inside = descendants_of(blocks, {top}) - descendants_of(blocks, lists)
    places = [place for place, line in enumerate(blocks.lines) if line.element in inside and kept[line.element]]
    lead = find_lead(blocks, called, page.beside, places[0], page.title) if places else []
    lines = [blocks.lines[place] for place in places]
    lines = strip_side_blocks(
        strip_further_reading(lines, blocks.elements), blocks.elements, page.references, page.title
    )
    titles = {
        line.element
        for line in lines
        if blocks.elements[line.element].tag == "h1" or is_in_title(line.text, page.title)
    }
    lines = strip_boilerplate(lines, page.references, titles, own_voice=page.own_voice)
    lines = [*(blocks.lines[place] for place in lead if page.worth[place] > 0), *lines]
    return [
        line.text for line in strip_bare_headings(lines, blocks.lines, blocks.elements, page.references, page.title)
    ]


def _hidden_words(page: _WeighedPage) -> Iterator[tuple[TextLine, float]]:
    """Yield the lines in hidden elements that end no sentence, with their weights.

    Pages hide thousands of keywords for search engines, so such lines do not count for a hidden element. Prose does,
    because a script may show it later.
    """
    hidden = {number for number, element in enumerate(page.blocks.elements) if element.hidden}
    if hidden:
        inside = descendants_of(page.blocks, hidden)
        for line, value in zip(page.blocks.lines, page.worth, strict=True):
            if value > 0 and line.element in inside and SENTENCE_END.search(line.text) is None:
                yield line, value


def _widen_part(
    elements: Sequence[Element], worth: Sequence[float], gained: Sequence[float], top: int
) -> tuple[int, set[int]]:
    """Return the parent of the best section if its siblings of one kind also hold text, and the link lists in it.

    Lists beside the paragraphs of a text may outweigh the text. Then a single paragraph would be the best section.
    worth: of each subtree. gained: the running text directly in each element.
    """
    best, parent = elements[top], elements[top].parent
    if not (top and (best.label or best.tag in KINDRED_TAGS)):
        return top, set()
    gains = sum_subtrees(elements, gained)
    around = [number for number, element in enumerate(elements) if number and element.parent == parent]
    alike = sum(gains[n] for n in around if n != top and (elements[n].tag, elements[n].label) == (best.tag, best.label))
    if alike < MIN_NEIGHBOUR_SHARE * worth[top]:
        return top, set()
    return parent, {number for number in around if worth[number] < 0 and gains[number] < -worth[number]}


def _has_short_lines(page: _WeighedPage, length: int) -> bool:
    """Tell whether one place of a page holds more in short lines than `length`: a poem beside a sentence."""
    if length > MAX_SENTENCE_CHARACTERS:
        return False
    elements, beside = page.blocks.elements, page.beside
    places: Counter[tuple[int, str, str]] = Counter()
    lengths: Counter[tuple[int, str, str]] = Counter()
    for line, value in zip(page.blocks.lines, page.worth, strict=True):
        if line.linked or len(line.text) >= SHORT_LINE_CHARACTERS or not -len(line.text) < value or not value:
            continue
        if line.element in beside or HAN_CHARACTER.search(line.text) is None or is_byline(line.text):
            continue
        element = elements[line.element]
        own = (line.element, "", "")
        kind = (element.parent, element.tag, element.label) if element.tag in KINDRED_TAGS else own
        places[kind] += 1
        lengths[kind] += len(line.text)
    return any(places[kind] >= MIN_TERSE_LINES and lengths[kind] > length for kind in places)


def _terse_part(page: _WeighedPage) -> list[str]:
    """Return the lines of a page without running text, such as a poem or a notice, but no links or boilerplate."""
    terse = [
        len(line.text) - line.linked if value > -NAVIGATION_PENALTY * len(line.text) else value
        for line, value in zip(page.blocks.lines, page.worth, strict=True)
    ]
    lines = _best_part(replace(page, worth=terse))
    return lines if sum(len(HAN_CHARACTER.findall(line)) for line in lines) >= MIN_TERSE_HAN else []


@lru_cache(maxsize=10_000)
def _line_worth(text: str, linked: int, own_voice: bool) -> float:
    if is_button_line(text):
        return 0.0  # a forum post may have more of them than words
    if is_navigation(TextLine(0, text, linked)) or (is_footer(text) if own_voice else is_site_notice(text)):
        return -NAVIGATION_PENALTY * len(text)
    if not own_voice and is_disclaimer(text):
        return 0.0
    words = WRITTEN_URL.sub("", text) if "://" in text else text
    plain = max(0, len(words) - linked)
    return plain if plain >= SHORT_LINE_CHARACTERS or SENTENCE_PUNCTUATION.search(words) else -0.2 * plain


# The text at a CSS selector that a person has set for all pages of a site.


def select_text_lines(tree: LexborHTMLParser, selector: str) -> list[str]:
    """Return the lines of the elements that match, none of them twice. Return [] without a match."""
    html = "\n".join(node.html or "" for node in _outermost_nodes(tree.css(selector)))
    return [line.text for line in extract_blocks(LexborHTMLParser(html)).lines] if html else []


def _outermost_nodes(nodes: list[LexborNode]) -> Iterator[LexborNode]:
    chosen = {node.mem_id: node for node in nodes}
    for node in chosen.values():
        above = node.parent
        while above is not None and above.mem_id not in chosen:
            above = above.parent
        if above is None:
            yield node


# Pages that declare themselves part of a manual, by their relations or by their generator.


# The link types of HTML 4.01, section 6.12, that only collections of pages have.
_MANUAL_RELATIONS = frozenset(
    ("up", "contents", "index", "toc", "start", "chapter", "section", "subsection", "appendix", "glossary")
)
_MANUAL_GENERATOR = re.compile(
    r"docbook|sphinx|mkdocs|doxygen|gitbook|mdbook|docusaurus|asciidoctor|vuepress|vitepress|javadoc|texinfo|makeinfo|yelp",
    re.IGNORECASE,
)


def is_manual_page(tree: LexborHTMLParser) -> bool:
    """Tell whether a page names its place in a manual, or a program that generates manuals."""
    if tree.head is None:
        return False
    if any(
        _MANUAL_GENERATOR.search(meta.attributes.get("content") or "") for meta in tree.head.css("meta[name=generator]")
    ):
        return True
    return any(
        _MANUAL_RELATIONS & set((link.attributes.get("rel") or "").lower().split())
        for link in tree.head.css("link[rel]")
    )


# The lead of a text: sentences between the title and the section that holds the text.


_MAX_LINES_BEHIND_TITLE = 40  # lines between a title and its text
_MAX_LEAD_LINES = 3
_MAX_LEAD_CHARACTERS = 800
_MAX_LINKED_SHARE = 0.2  # share of link characters of a lead
_MIN_TITLE_CHARACTERS = 4  # characters of a line that shows the title
# A labelled summary repeats the text.
_SUMMARY_LABEL = re.compile(r"summary|abstract|digest|zhaiyao|daodu")
_LEAD_WORDS = frozenset(("header",))  # themes put titles and leads there


def find_lead(
    blocks: PageBlocks, called: Sequence[frozenset[str]], beside: set[int], first: int, title: str
) -> list[int]:
    """Return the positions of the lines of a lead. first: the position of the first line of the text.

    called: for each element, the words that mark it as boilerplate. beside: elements that are never text.
    """
    lines, elements = blocks.lines, blocks.elements
    if elements[lines[first].element].tag == "h1":
        return []
    lead: list[int] = []
    for place in range(first - 1, max(-1, first - _MAX_LINES_BEHIND_TITLE), -1):
        line = lines[place]
        if elements[line.element].tag == "h1" or _is_title_shown(line.text, title):
            return lead if sum(len(lines[number].text) for number in lead) <= _MAX_LEAD_CHARACTERS else []
        if not is_running_text(line) or line.linked > _MAX_LINKED_SHARE * len(line.text) or is_byline(line.text):
            continue
        labels = elements[line.element].label, elements[elements[line.element].parent].label
        if any(map(_SUMMARY_LABEL.search, labels)):
            continue
        if line.element not in beside and called[line.element] <= _LEAD_WORDS:
            lead.insert(0, place)
            if len(lead) > _MAX_LEAD_LINES:
                return []
    return []


def _is_title_shown(text: str, title: str) -> bool:
    shown, whole = sorted((text, title), key=len)
    return len(shown) >= _MIN_TITLE_CHARACTERS and shown in whole


# Headings over further reading, tags and forms. Other rules have already dropped the content of such a section, so its
# heading serves no purpose.


_LABEL_ENDINGS = (":", "：")
_MAX_LABEL_CHARACTERS = 40  # characters of a label that is no heading
_MIN_SHOWN_TITLE_CHARACTERS = 2


def strip_bare_headings(
    kept: Sequence[TextLine],
    lines: Sequence[TextLine],
    elements: Sequence[Element],
    spared: Collection[int],
    title: str,
) -> list[TextLine]:
    """Return the kept lines without bare headings. lines: all lines of the page. spared: elements whose lines stay."""
    within = set(map(id, kept))
    bare: set[int] = set()
    has_text = has_lines = (
        False  # scanning upwards: whether a line of the section was kept, and whether it had any line
    )
    level = 0  # level of the heading below, if it was kept
    behind: TextLine | None = None
    for line in reversed(lines):
        here = id(line) in within
        tag = elements[line.element].tag
        if tag not in HEADING_TAGS or is_running_text(line):
            if here and not has_text and behind is not None and _is_bare_label(line, behind, id(behind) in within):
                bare.add(id(line))
                here = False
            has_text, has_lines = has_text or here, True
        else:
            own = int(tag[1])
            if here and not has_text and not (own < level or (not has_lines and level)) and _may_be_bare(line, title):
                bare.add(id(line))
                here = False
            has_text = has_lines = False
            level = own if here else 0
        behind = line
    return [line for line in kept if id(line) not in bare or line.element in spared]


def _may_be_bare(line: TextLine, title: str) -> bool:
    if SENTENCE_END.search(line.text) is not None and not line.text.endswith(("?", "？", "!", "！", "…")):
        return False
    return not (len(line.text) >= _MIN_SHOWN_TITLE_CHARACTERS and line.text in title)


def _is_bare_label(line: TextLine, behind: TextLine, is_kept: bool) -> bool:
    """Tell whether a line is only the label of dropped links behind it."""
    if is_kept or line.linked or len(line.text) > _MAX_LABEL_CHARACTERS or not is_navigation(behind):
        return False
    return line.text.endswith(_LABEL_ENDINGS)
