"""Lines that lead elsewhere, and are no part of the text. What is one by the name of its element: `unlikely_parts`."""

from typing import Final

from crawler.extract.blocks import TextLine

_LINKED: Final = 0.5  # share of link characters from which a line is navigation


def is_navigation(line: TextLine) -> bool:
    """Whether most of a line are links."""
    return line.linked > _LINKED * len(line.text)
