"""The lines of a page's text without buttons, and without what stands in one piece with it before and after."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from crawler.extract.choosing.bylines_and_buttons import is_buttons, is_byline
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.page_end import end_of_text
from crawler.extract.choosing.prose import LONG, SHORT, STOPS, runs_on
from crawler.extract.choosing.site_notices import is_plainly_said_by_the_site, is_said_by_the_site
from crawler.extract.page_lines import TextLine

CRUMBS = re.compile(r"[>›»|｜]|::")
PLACE = re.compile(r"^(?:您|你)?(?:现在|目前|当前|所在|當前|現在)?的?位置\s*[:：]")
STEP = re.compile(r"[>›»]+")
_STEPS = 3  # from the front page to here
LABELLED = re.compile(r"^.{1,10}[:：]$")  # of a table over the text: its number, its subject, who issued it
_VALUE = 24  # characters of what such a label is of
_SPEAKS = 0.2  # share of a text that is words of a site where it is about them
_RECURRING = 3  # times that a link of the same words stands in a text where it is a button


def trimmed(lines: Sequence[TextLine], references: Collection[int], *, own_voice: bool) -> list[str]:
    """The text of the lines that are left.

    references: the elements whose links are text. own_voice: whether what a site says in its own voice is text.
    """
    links = Counter(line.text for line in lines if is_navigation(line))
    lines = [
        line
        for place, line in enumerate(lines)
        if links[line.text] < _RECURRING and (not is_buttons(line.text) or _is_told_in_the_text(lines, place))
    ]
    kept = _without_ends(lines, references, own_voice)
    said = 0 if own_voice else _said_by_the_site(kept)
    if 2 * said > _said_by_the_site(lines) and said > _SPEAKS * sum(len(line.text) for line in kept):
        # a text that itself speaks so
        kept = _without_ends(lines, references, own_voice=True)
    return [line.text for line in kept]


def _is_told_in_the_text(lines: Sequence[TextLine], place: int) -> bool:
    """Whether words as on buttons are the writer's own: in the midst of running text, in one element with it."""
    line, around = lines[place], (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2])
    between = len(around) == 2 and all(one.element == line.element and runs_on(one) for one in around)
    return between and not line.linked


def _said_by_the_site(lines: Sequence[TextLine]) -> int:
    return sum(len(line.text) for line in lines if is_said_by_the_site(line.text))


def _without_ends(lines: Sequence[TextLine], references: Collection[int], own_voice: bool) -> list[TextLine]:
    begin = next((at for at, line in enumerate(lines) if _begins(line, own_voice)), 0)
    body = lines[begin:]
    return [*_head(lines[:begin], references), *body[: end_of_text(body, references, own_voice=own_voice)]]


def _begins(line: TextLine, own_voice: bool) -> bool:
    return (runs_on(line) and not is_byline(line.text)) or (own_voice and len(line.text) >= SHORT)


def _head(lines: Sequence[TextLine], references: Collection[int]) -> list[TextLine]:
    """What stands before the text, without dates, bylines, menus, the way from the front page, figures of the page."""
    kept: list[TextLine] = []
    for place, line in enumerate(lines):
        if line.element not in references and (_leads_to_text(line) or _is_of_a_menu(lines, place)):
            continue
        if LABELLED.match(line.text) or (place and _is_value(line, lines[place - 1])):
            continue
        kept.append(line)
    return kept


def _leads_to_text(line: TextLine) -> bool:
    crumbs = is_navigation(line) and CRUMBS.search(line.text) is not None
    return crumbs or _tells_the_way(line.text) or is_byline(line.text) or is_plainly_said_by_the_site(line.text)


def _tells_the_way(text: str) -> bool:
    """Whether a line names the steps from the front page, be they links or not."""
    if PLACE.match(text):
        return True
    return len(text) <= LONG and STOPS.search(text) is None and len(STEP.split(text)) >= _STEPS


def _is_of_a_menu(lines: Sequence[TextLine], place: int) -> bool:
    return is_navigation(lines[place]) and any(
        map(is_navigation, (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]))
    )


def _is_value(line: TextLine, before: TextLine) -> bool:
    return LABELLED.match(before.text) is not None and len(line.text) <= _VALUE and STOPS.search(line.text) is None
