"""As much of a page as can be parsed in bearable time."""

import re

LONGEST_PAGE = 8_000_000  # characters of markup that are read: seconds of work at the most
DEEPEST = 3000  # blocks inside each other; the parser's time grows with the square, and no reader nests them so
NESTING = re.compile(
    r"<(/?)(?:div|section|article|aside|main|nav|header|footer|center|blockquote|dl|ol|ul|form|fieldset|details|dir|menu)\b",
    re.IGNORECASE,
)


def bounded(html: str) -> str:
    """The beginning of a page that is parsed in bearable time: nearly always all of it."""
    html = html[:LONGEST_PAGE]
    if html.count("<") < DEEPEST:
        return html
    depth = 0
    for tag in NESTING.finditer(html):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            return html[: tag.start()]
    return html
