"""The lines of a page's text without buttons, and without what stands in one piece with it before and after."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from crawler.extract.blocks import TextLine
from crawler.extract.choosing.bylines_and_buttons import is_buttons, is_byline
from crawler.extract.choosing.disclaimers import is_reservation
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.prose import SHORT, STOPS, runs_on
from crawler.extract.choosing.site_notices import is_foot, is_plainly_said_by_the_site, is_said_by_the_site

CRUMBS = re.compile(r"[>›»|｜]|::")
LABELLED = re.compile(r"^.{1,10}[:：]$")  # of a table over the text: its number, its subject, who issued it
_VALUE = 24  # characters of what such a label is of
_RECURRING = 3  # times that a link of the same words stands in a text where it is a button


def trimmed(lines: Sequence[TextLine], references: Collection[int], *, own_voice: bool) -> list[str]:
    """The text of the lines that are left.

    references: the elements whose links are text. own_voice: whether what a site says in its own voice is text.
    """
    links = Counter(line.text for line in lines if is_navigation(line))
    lines = [line for line in lines if not is_buttons(line.text) and links[line.text] < _RECURRING]
    kept = _without_ends(lines, references, own_voice)
    if not own_voice and 2 * _said_by_the_site(kept) > _said_by_the_site(lines):  # a text that itself speaks so
        kept = _without_ends(lines, references, own_voice=True)
    return [line.text for line in kept]


def _said_by_the_site(lines: Sequence[TextLine]) -> int:
    return sum(len(line.text) for line in lines if is_said_by_the_site(line.text))


def _without_ends(lines: Sequence[TextLine], references: Collection[int], own_voice: bool) -> list[TextLine]:
    begin = next((at for at, line in enumerate(lines) if runs_on(line) or (own_voice and len(line.text) >= SHORT)), 0)
    return [*_head(lines[:begin], references), *_body(lines[begin:], references, own_voice)]


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
    return crumbs or is_byline(line.text) or is_plainly_said_by_the_site(line.text)


def _is_of_a_menu(lines: Sequence[TextLine], place: int) -> bool:
    return is_navigation(lines[place]) and any(
        map(is_navigation, (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]))
    )


def _is_value(line: TextLine, before: TextLine) -> bool:
    return LABELLED.match(before.text) is not None and len(line.text) <= _VALUE and STOPS.search(line.text) is None


def _body(lines: Sequence[TextLine], references: Collection[int], own_voice: bool) -> Sequence[TextLine]:
    """The text without links to other pages, bylines and words of the site at its end."""
    end = _before_the_tail(lines, own_voice)
    while end and is_navigation(lines[end - 1]) and lines[end - 1].element not in references:
        end -= 1  # to the next page, the contents, other articles
    while end and _closes(lines[end - 1], own_voice):
        end -= 1
    return lines[:end]


def _before_the_tail(lines: Sequence[TextLine], own_voice: bool) -> int:
    """Where words of the site begin behind which nothing is said any more, if there are such."""
    end = len(lines)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if _closes(line, own_voice) and not is_byline(line.text):
            end = place
        elif not (is_byline(line.text) or _says_nothing(line)):
            break
    return end


def _says_nothing(line: TextLine) -> bool:
    return not is_navigation(line) and len(line.text) < SHORT and STOPS.search(line.text) is None


def _closes(line: TextLine, own_voice: bool) -> bool:
    if own_voice:
        return is_foot(line.text)
    return is_byline(line.text) or is_said_by_the_site(line.text) or is_reservation(line.text)
