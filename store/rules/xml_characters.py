"""Which characters a document in XML can hold: a workbook, a Word file."""

import re
from typing import Final

# XML 1.0 leaves these out, even escaped.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def for_xml(text: str) -> str:
    """The text with a replacement mark for each character that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)
