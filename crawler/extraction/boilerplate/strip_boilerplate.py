"""Strip buttons, breadcrumbs, credits and links of lines before, in and after the main text."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from crawler.extraction.boilerplate.line_classification import (
    LONG_LINE_CHARACTERS,
    PUNCTUATION,
    SENTENCE_STOPS,
    SHORT_LINE_CHARACTERS,
    is_button_line,
    is_byline,
    is_navigation,
    is_picture_credit,
    is_running_text,
    is_writer_line,
)
from crawler.extraction.boilerplate.site_notices import is_disclaimer, is_footer, is_plain_site_notice, is_site_notice
from crawler.extraction.page_lines import HAN_CHARACTER, PageBlocks, TextLine

# Signs that a text has ended: bylines, links to other pages, site notices.


# Editors are credited after a text. The author may be named before a poem.
_CREDIT_LABEL = re.compile(
    r"^[\s（(\[【]*(?:(?:我要)?纠错[】\])）]\s*)?(?:责任编辑|責任編輯|责编|值班编辑|编辑|編輯|校对|审核|监制|供稿|撰稿|[初复终一二三]审|签发)\s*[:：/／]"
)
_SPEECH_PUNCTUATION = re.compile(r"[。！？；，、…”!?;]|[,.:：](?![\d\s]|$)")
_NEIGHBOUR_LABEL = re.compile(r"^\W*[上下前后後]一?[篇条條页頁章则則]")
_MAX_ASIDE_CHARACTERS = 60  # characters of short sentences after such a line


def find_text_end(lines: Sequence[TextLine], references: Collection[int], *, own_voice: bool) -> int:
    """Return the number of lines up to the end of the text.

    The end moves before trailing short lines if a line before them closes the text. After an editor's credit it also
    moves before a few short sentences.
    """
    end, leads_on, aside = len(lines), True, 0
    prose = next((place for place, line in enumerate(lines) if is_running_text(line)), end)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        navigation = leads_on and is_navigation(line) and line.element not in references
        byline = is_byline(line.text)
        neighbour = navigation and place > prose and _NEIGHBOUR_LABEL.match(line.text) is not None
        if (
            (navigation and place == end - 1)
            or neighbour
            or (not byline and not aside and _is_closing_line(line.text, own_voice))
        ):
            end = place
        elif byline and not own_voice and (place == end - 1 or (place > prose and is_credit(line.text))):
            end, leads_on, aside = place, False, 0  # links before a byline belong to the text
        elif not (navigation or byline or _is_without_sentence(line.text)):
            aside += len(line.text)
            if aside > _MAX_ASIDE_CHARACTERS or is_running_text(line):
                break
    return end


@lru_cache(maxsize=10_000)
def is_credit(text: str) -> bool:
    """Tell whether a line credits the editors of the text before it.

    >>> is_credit("（责任编辑：沈青）"), is_credit("编辑部里只有一个人。")
    (True, False)
    """
    return _CREDIT_LABEL.match(text) is not None and is_byline(text)


def _is_without_sentence(text: str) -> bool:
    return _SPEECH_PUNCTUATION.search(text) is None and sum(map(str.isalnum, text)) < SHORT_LINE_CHARACTERS


def _is_closing_line(text: str, own_voice: bool) -> bool:
    return is_footer(text) if own_voice else is_site_notice(text) or is_disclaimer(text)


BREADCRUMB_SIGN = re.compile(r"[>›»|｜]|::")
LOCATION_LABEL = re.compile(r"^(?:您|你)?(?:现在|目前|当前|所在|當前|現在)?的?位置\s*[:：]")
BREADCRUMB_STEP = re.compile(r"[>›»]+")
_MIN_BREADCRUMB_STEPS = 3  # from the front page to this page
LABEL_LINE = re.compile(r"^.{1,10}[:：]$")  # of a table over the text: its number, its subject, its issuer
_MAX_VALUE_CHARACTERS = 24  # characters of the value of such a label
_MAX_SITE_VOICE_SHARE = 0.2  # share of site notices in a text, above which the text is about them
_MIN_RECURRING_LINKS = 3  # occurrences of a link with the same words that make it a button


def strip_boilerplate(
    lines: Sequence[TextLine], references: Collection[int], titles: Collection[int], *, own_voice: bool
) -> list[TextLine]:
    """Return the lines without boilerplate.

    references: the elements whose links are text. titles: those that hold the title of the page. own_voice: whether
    site notices are text.
    """
    links = Counter([line.text for line in lines if line.linked and is_navigation(line)])
    lines = [
        line
        for place, line in enumerate(lines)
        if links[line.text] < _MIN_RECURRING_LINKS
        and (not is_button_line(line.text) or _is_within_prose(lines, place))
        and not is_picture_credit(line.text)
    ]
    kept = _strip_ends(lines, references, titles, own_voice)
    notice_length = 0 if own_voice else _site_notice_length(kept)
    if 2 * notice_length > _site_notice_length(lines) and notice_length > _MAX_SITE_VOICE_SHARE * sum(
        len(line.text) for line in kept
    ):
        # The text itself consists of site notices.
        kept = _strip_ends(lines, references, titles, own_voice=True)
    return kept


def _is_within_prose(lines: Sequence[TextLine], place: int) -> bool:
    """Tell whether button words are the writer's own: amid running text, in one element with it."""
    line, around = lines[place], (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2])
    between = len(around) == 2 and all(
        neighbour.element == line.element and is_running_text(neighbour) for neighbour in around
    )
    return between and not line.linked


def _site_notice_length(lines: Sequence[TextLine]) -> int:
    return sum(len(line.text) for line in lines if is_site_notice(line.text))


def _strip_ends(
    lines: Sequence[TextLine], references: Collection[int], titles: Collection[int], own_voice: bool
) -> list[TextLine]:
    beginnings = [place for place, line in enumerate(lines) if _is_text_beginning(line, own_voice)]
    begin = next((place for place in beginnings if lines[place].element not in titles), min(beginnings, default=0))
    body = lines[begin:]
    return [
        *_filter_head(lines[:begin], references, titles),
        *body[: find_text_end(body, references, own_voice=own_voice)],
    ]


def _is_text_beginning(line: TextLine, own_voice: bool) -> bool:
    return (is_running_text(line) and not (is_byline(line.text) or is_writer_line(line.text))) or (
        own_voice and len(line.text) >= SHORT_LINE_CHARACTERS
    )


def _filter_head(lines: Sequence[TextLine], references: Collection[int], titles: Collection[int]) -> list[TextLine]:
    """Return the lines before the text without dates, bylines, menus, breadcrumbs and page statistics."""
    kept: list[TextLine] = []
    for place, line in enumerate(lines):
        if line.element in titles and is_running_text(line):
            kept.append(line)
            continue
        if line.element not in references and (_is_before_text(line) or _is_menu_line(lines, place)):
            continue
        if LABEL_LINE.match(line.text) or (place and _is_label_value(line, lines[place - 1])):
            continue
        kept.append(line)
    return kept


def _is_before_text(line: TextLine) -> bool:
    crumbs = is_navigation(line) and BREADCRUMB_SIGN.search(line.text) is not None
    if crumbs or _is_breadcrumb(line.text) or is_byline(line.text):
        return True
    return is_writer_line(line.text) or is_plain_site_notice(line.text)


def _is_breadcrumb(text: str) -> bool:
    """Tell whether a line is a breadcrumb trail from the front page, with links or without."""
    if LOCATION_LABEL.match(text):
        return True
    return (
        len(text) <= LONG_LINE_CHARACTERS
        and PUNCTUATION.search(text) is None
        and len(BREADCRUMB_STEP.split(text)) >= _MIN_BREADCRUMB_STEPS
    )


def _is_menu_line(lines: Sequence[TextLine], place: int) -> bool:
    return is_navigation(lines[place]) and any(
        map(is_navigation, (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]))
    )


def _is_label_value(line: TextLine, before: TextLine) -> bool:
    return (
        LABEL_LINE.match(before.text) is not None
        and len(line.text) <= _MAX_VALUE_CHARACTERS
        and PUNCTUATION.search(line.text) is None
    )


# Short links in front of each line: verse numbers, anchors, play buttons. They are not text, and they split the text
# into pieces. In front of verses they are as long as the lines themselves.


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
