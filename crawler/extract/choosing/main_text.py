"""Which lines of a page are its text: the part of the tree with the most running text and the least of all else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat

from crawler.extract.choosing.bylines_and_buttons import is_buttons
from crawler.extract.choosing.dated_rows import around_posts
from crawler.extract.choosing.disclaimers import is_reservation
from crawler.extract.choosing.headed_parts import replies_under_headings, without_further_reading
from crawler.extract.choosing.line_links import without_line_links
from crawler.extract.choosing.line_signs import BREAKS_OFF, HEADS_PART, HEADS_REFERENCES, TELLS_TIME, signs_of
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.prose import SHORT
from crawler.extract.choosing.references import below, is_reference, references_of
from crawler.extract.choosing.site_notices import is_foot, is_said_by_the_site
from crawler.extract.choosing.teasers import teasers_of
from crawler.extract.choosing.text_in_boxes import with_boxes_of_text
from crawler.extract.choosing.trimming import trimmed
from crawler.extract.choosing.unlikely_parts import called_otherwise, summed
from crawler.extract.language import HAN
from crawler.extract.page_lines import Element, PageBlocks, TextLine

SAID = re.compile(r"[。！？；，、…”,.!?;]|[:：](?!\d)")  # and not the mark within an hour
ADDRESS = re.compile(r"(?<!\w)\w+://\S*")  # begun once for each word, or a long one takes time with its square
PENALTY = 1.0  # what one character of navigation takes from a part of the tree
OF_REFERENCES = 0.3  # what one character of a manual's list of its pages gives
TERSE = 20  # Han characters that a page without running text must have in one place, as a poem has
OF_LISTS = frozenset(("related",))  # what the names of a manual's lists have in common with those of other news
NEIGHBOURS = 0.5  # share of the best part's worth that its neighbours of one kind must have to be one text with it
KINDRED = frozenset(("p", "li", "dd", "tr", "pre", "blockquote", "section"))  # of one kind without a label


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The lines of a page with what each is worth; elements that are no text whatever they hold, and lists that are."""

    blocks: PageBlocks
    worth: Sequence[float]
    beside: set[int]
    references: set[int]
    own_voice: bool


def main_text(blocks: PageBlocks, *, manual: bool = False, own_voice: bool = False) -> list[str]:
    """The lines that are the page's text, in order; empty when there is none.

    manual: whether the page is one of a manual's, whose lists of pages are text. own_voice: whether what a site says
    in its own voice is text as well, as on the page of its terms; without it a page of nothing else has no text.
    """
    if not blocks.elements:
        return []
    page = _weighed(without_line_links(blocks), manual, own_voice)
    return _best_part(page) or _terse_part(page)


def _weighed(blocks: PageBlocks, manual: bool, own_voice: bool) -> _Weighed:
    lines = blocks.lines
    texts = [line.text for line in lines]
    # Most lines are a sign of nothing.
    signs = [(place, sign) for place, sign in enumerate(map(signs_of, texts)) if sign]
    headings = [lines[place].element for place in _places(HEADS_REFERENCES, signs)]
    references = references_of(blocks, headings, manual=manual)
    beside = set() if own_voice else _beside(blocks, signs)
    worth = list(map(_worth, texts, [line.linked for line in lines], repeat(own_voice)))
    for place, text in enumerate(texts) if references else ():
        if is_reference(blocks, place, references):
            worth[place] = OF_REFERENCES * len(text)
    return _Weighed(blocks, worth, beside, references, own_voice)


def _beside(blocks: PageBlocks, signs: Sequence[tuple[int, int]]) -> set[int]:
    """Elements that are no text whatever they hold. signs: of lines, each with its place."""
    timed = [blocks.lines[place].element for place in _places(TELLS_TIME, signs)]
    teasers = teasers_of(blocks, len(_places(BREAKS_OFF, signs)))
    return teasers | replies_under_headings(blocks, _places(HEADS_PART, signs)) | around_posts(blocks, timed)


def _places(sign: int, signs: Sequence[tuple[int, int]]) -> list[int]:
    return [place for place, one in signs if one & sign]


def _best_part(page: _Weighed) -> list[str]:
    blocks = page.blocks
    worth = [0.0] * len(blocks.elements)
    for line, value in zip(blocks.lines, page.worth, strict=True):
        worth[line.element] += value
    running = [value if value > 0 else 0.0 for value in worth]
    called = called_otherwise(blocks.elements, running)
    kept = with_boxes_of_text(blocks, called)
    for number in page.references:
        kept[number] = kept[number] or called[number] <= OF_LISTS
    for number in page.beside:
        kept[number] = False
    weighed = [value if keep else 0.0 for value, keep in zip(worth, kept, strict=True)]
    for number in page.beside:
        if worth[number] < 0:
            weighed[number] = worth[number]  # links speak against a part of the tree also where they stand in this
    worth = summed(blocks.elements, weighed)
    top = worth.index(max(worth))
    if worth[top] <= 0:
        return []
    gained = [value if keep else 0.0 for value, keep in zip(running, kept, strict=True)]
    top, lists = _widened(blocks.elements, worth, gained, top)
    inside = below(blocks, {top}) - below(blocks, lists)
    lines = [line for line in blocks.lines if line.element in inside and kept[line.element]]
    return trimmed(without_further_reading(lines, blocks.elements), page.references, own_voice=page.own_voice)


def _widened(
    elements: Sequence[Element], worth: Sequence[float], gained: Sequence[float], top: int
) -> tuple[int, set[int]]:
    """The part around the best one where its neighbours of one kind hold text, too, and the lists of links in it.

    Lists beside the paragraphs of a text may weigh more than all of it; then a paragraph alone would be the best part.
    worth: of each element with all in it; gained: the running text in each itself.
    """
    best, parent = elements[top], elements[top].parent
    if not (top and (best.label or best.tag in KINDRED)):
        return top, set()
    gains = summed(elements, gained)
    around = [number for number, element in enumerate(elements) if number and element.parent == parent]
    alike = sum(gains[n] for n in around if n != top and (elements[n].tag, elements[n].label) == (best.tag, best.label))
    if alike < NEIGHBOURS * worth[top]:
        return top, set()
    return parent, {number for number in around if worth[number] < 0 and gains[number] < -worth[number]}


def _terse_part(page: _Weighed) -> list[str]:
    """Where nothing runs on: short lines that are neither links nor furniture, as those of a poem or a notice."""
    terse = [
        len(line.text) - line.linked if value > -PENALTY * len(line.text) else value
        for line, value in zip(page.blocks.lines, page.worth, strict=True)
    ]
    lines = _best_part(replace(page, worth=terse))
    return lines if sum(len(HAN.findall(line)) for line in lines) >= TERSE else []


@lru_cache(maxsize=10_000)
def _worth(text: str, linked: int, own_voice: bool) -> float:
    if is_buttons(text):
        return 0.0  # a post of a forum may have more of them than words
    if is_navigation(TextLine(0, text, linked)) or (is_foot(text) if own_voice else is_said_by_the_site(text)):
        return -PENALTY * len(text)
    if not own_voice and is_reservation(text):
        return 0.0
    said = ADDRESS.sub("", text) if "://" in text else text
    plain = max(0, len(said) - linked)
    return plain if plain >= SHORT or SAID.search(said) else -0.2 * plain
