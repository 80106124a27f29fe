"""Strip the short links in front of each line: verse numbers, anchors, play buttons.

They are not text, and they split the text into pieces. In front of verses they are as long as the lines themselves.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from crawler.extraction.boilerplate.line_classification import (
    SENTENCE_STOPS,
    SHORT_LINE_CHARACTERS,
    is_navigation,
    is_running_text,
)
from crawler.extraction.boilerplate.site_notices import is_site_notice
from crawler.extraction.page_lines import HAN_CHARACTER, PageBlocks, TextLine

_MAX_LINK_CHARACTERS = 10  # characters of such a link
_MIN_LINE_LINKS = 4  # lines of a text with line links
_MAX_OTHER_SHARE = 0.4  # share of other text between the first of them and the last
_MIN_PAGE_SHARE = 0.5  # of the page's text outside of links
_MIN_SAME_SHARE = 0.6  # share of the links with the same words, if they are no numbers
_MIN_ASCENDING_SHARE = 0.8  # share of the numbers after which the next one is no less
_OPENING_SIGNS, _CLOSING_SIGNS = r"[\[［(（【〔#＃¶§№ ]{0,2}", r"[\]］)）】〕.、:： ]{0,3}"
_LINE_NUMBER = re.compile(
    rf"{_OPENING_SIGNS}第?(?P<number>\d{{1,5}}(?:[:：.\-]\d{{1,4}})*|[一二三四五六七八九十百千零〇]{{1,6}})[节節章句段行页頁条條首]?{_CLOSING_SIGNS}"
)
_LINE_MARK = re.compile(r"[\[\]#＃¶§†*•·○●◎▲△■□↑^¤]{1,3}")
_NUMBER_ENDING = re.compile(r"^[\s\]］)）】〕.、]+")  # closes a number outside of its link


def strip_line_links(blocks: PageBlocks) -> PageBlocks:
    """Return a page without line links, or the page itself if it has none."""
    lines = blocks.lines
    led = [
        place
        for place, line in enumerate(lines)
        if 0 < line.lead <= _MAX_LINK_CHARACTERS and _is_line_link(lines, place)
    ]
    if len(led) < _MIN_LINE_LINKS:
        return blocks
    numbers = [place for place in led if _LINE_NUMBER.fullmatch(_lead_text(lines[place]))]
    marks = [place for place in led if _LINE_MARK.fullmatch(_lead_text(lines[place]))]
    (words, count), *_ = Counter(_lead_text(lines[place]) for place in led).most_common(1)
    alike = [place for place in led if _lead_text(lines[place]) == words] if count >= _MIN_SAME_SHARE * len(led) else []
    counted = _is_ascending(lines, numbers) and not _is_note_numbering(lines, numbers)
    for places in (numbers if counted else [], marks, alike):
        if len(places) >= _MIN_LINE_LINKS and _is_most_of_text(lines, places):
            return replace(blocks, lines=list(_strip_leads(lines, set(places))))
    return blocks


def _is_line_link(lines: Sequence[TextLine], place: int) -> bool:
    """Tell whether text follows the short link at the start of a line, in the same line or in the next."""
    line = lines[place]
    if line.lead < len(line.text):
        rest = line.text[line.lead :]
        return line.linked <= line.lead and rest[0] not in ":：" and _has_han(rest)
    following = lines[place + 1] if place + 1 < len(lines) else None
    return (
        following is not None
        and _LINE_NUMBER.fullmatch(line.text) is not None
        and not (following.linked or following.lead)
        and _has_han(following.text)
    )


def _lead_text(line: TextLine) -> str:
    return line.text[: line.lead].strip()


def _has_han(text: str) -> bool:
    return HAN_CHARACTER.search(text) is not None


def _is_ascending(lines: Sequence[TextLine], places: Sequence[int]) -> bool:
    """Tell whether numbers count the lines. Numbers in Chinese characters are not checked."""
    written = [match["number"] for place in places if (match := _LINE_NUMBER.fullmatch(_lead_text(lines[place])))]
    steps = list(pairwise([int(re.split(r"[:：.\-]", number)[-1]) for number in written if number[0].isdecimal()]))
    return sum(number <= following for number, following in steps) >= _MIN_ASCENDING_SHARE * len(steps)


def _is_note_numbering(lines: Sequence[TextLine], places: Sequence[int]) -> bool:
    """Tell whether the numbers are those of notes, which the text repeats."""
    words = {lead for place in places if not (lead := _lead_text(lines[place])).isdecimal()}
    within = set(places)
    others = [line.text for place, line in enumerate(lines) if line.linked and place not in within]
    return bool(words) and 2 * _count_words_in(others, words) > len(places)


def _count_words_in(texts: Sequence[str], words: set[str]) -> int:
    """Count how many of these words the texts contain. Each position is looked up in the set, as both may be many."""
    lengths = {len(word) for word in words}
    beginning = re.compile(f"[{re.escape(''.join(sorted({word[0] for word in words})))}]")
    present: set[str] = set()
    for text in texts:
        for begin in beginning.finditer(text):
            start = begin.start()
            present.update(words.intersection([text[start : start + length] for length in lengths]))
    return len(present)


def _is_most_of_text(lines: Sequence[TextLine], places: Sequence[int]) -> bool:
    """Tell whether nearly all lines from the first to the last have such a link, and are most of the page's text."""
    led = set(places) | {place + 1 for place in places if lines[place].lead == len(lines[place].text)}
    first, last = places[0], max(led)
    between = [line for number, line in enumerate(lines[first : last + 1], first) if number not in led]
    led_length = sum(_unlinked_length(lines[place]) for place in led)
    others = sum(_unlinked_length(line) for line in between if not is_navigation(line))
    in_all = sum(_unlinked_length(line) for line in lines if not (is_navigation(line) or is_site_notice(line.text)))
    return others <= _MAX_OTHER_SHARE * led_length and led_length >= _MIN_PAGE_SHARE * in_all


def _unlinked_length(line: TextLine) -> int:
    return len(line.text) - line.linked


def _strip_leads(lines: Sequence[TextLine], places: set[int]) -> Iterator[TextLine]:
    for place, line in enumerate(lines):
        if place not in places:
            yield line
        elif rest := _NUMBER_ENDING.sub("", line.text[line.lead :]):
            yield replace(line, text=rest, linked=0, lead=0)


# Paragraphs inside links: an unclosed link, or one around each paragraph for reader comments.


_MIN_LINKED_PARAGRAPHS = 3  # consecutive ones
_PARAGRAPH_END = ("。", "！", "？", "…", "”", "」", ".", "!", "?", '"')


def unlink_prose(blocks: PageBlocks) -> PageBlocks:
    """Return a page whose linked paragraphs are plain text, if they outweigh the paragraphs outside of links.

    Lists of links have titles, which end without a full stop, or a title before each sentence.
    """
    lines = blocks.lines
    runs, run = list[range](), 0
    for place in range(len(lines) + 1):
        if place < len(lines) and _is_linked_paragraph(lines[place]):
            run += 1
            continue
        if run >= _MIN_LINKED_PARAGRAPHS:
            runs.append(range(place - run, place))
        run = 0
    places = {place for run_places in runs for place in run_places}
    if not places or sum(len(lines[place].text) for place in places) <= sum(
        len(line.text) for line in lines if is_running_text(line)
    ):
        return blocks
    return replace(
        blocks, lines=[replace(line, linked=0, lead=0) if place in places else line for place, line in enumerate(lines)]
    )


def _is_linked_paragraph(line: TextLine) -> bool:
    if line.linked <= SHORT_LINE_CHARACTERS or not line.text.endswith(_PARAGRAPH_END):
        return False
    return is_navigation(line) and SENTENCE_STOPS.search(line.text) is not None and not is_site_notice(line.text)
