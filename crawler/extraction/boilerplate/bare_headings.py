"""Strip headings and labels whose section has no text left.

Pages put headings over further reading, tags and forms, in every language. Other rules have already dropped the content
of such a section, so its heading serves no purpose.
"""

from collections.abc import Collection, Sequence

from crawler.extraction.boilerplate.line_classification import (
    SENTENCE_END,
    is_navigation,
    is_running_text,
)
from crawler.extraction.page_lines import HEADING_TAGS, Element, TextLine

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
