"""Lines that run on as prose does, whatever stands over them or around them says."""

import re
from collections.abc import Iterator, Sequence

from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.site_notices import is_said_by_the_site
from crawler.extract.page_lines import TextLine

STOPS = re.compile(r"[。！？；，、：…”,.!?;:]")
SENTENCE = re.compile(r"[。！？；…”]|[.!?;]\s")
SHORT = 25  # characters; shorter lines count as running text only with punctuation
LONG = 60  # characters that no title has
# Of lines that follow each other without anything else between; teasers have a title before each.
_LINES = 3
_CHARACTERS = 140


def runs_on(line: TextLine) -> bool:
    """Whether a line is of running text rather than a title."""
    sentence = len(line.text) >= SHORT and SENTENCE.search(line.text) is not None
    return (sentence or len(line.text) >= LONG) and not (is_navigation(line) or is_said_by_the_site(line.text))


def prose_of(lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of some lines that are prose by themselves: paragraph after paragraph, nothing between them."""
    return [line for run in _runs(lines) if _is_prose(run) for line in run]


def _is_prose(run: Sequence[TextLine]) -> bool:
    return len(run) >= _LINES and sum(len(line.text) for line in run) >= _CHARACTERS


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    run: list[TextLine] = []
    for line in lines:
        if runs_on(line):
            run.append(line)
        else:
            yield run
            run = []
    yield run
