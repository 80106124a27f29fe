"""Strip buttons, breadcrumbs and credits before, in and after the main text."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache

from crawler.extraction.boilerplate.line_classification import (
    LONG_LINE_CHARACTERS,
    PUNCTUATION,
    SHORT_LINE_CHARACTERS,
    is_button_line,
    is_byline,
    is_navigation,
    is_running_text,
)
from crawler.extraction.boilerplate.line_dates import is_picture_credit, is_writer_line
from crawler.extraction.boilerplate.site_notices import is_disclaimer, is_footer, is_plain_site_notice, is_site_notice
from crawler.extraction.page_lines import TextLine

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
    links = Counter(line.text for line in lines if is_navigation(line))
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
