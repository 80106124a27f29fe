"""Files that people hand in to be kept as they are: papers of holders, what came back of notices, receipts."""

from typing import Final

from store.errors import TooLarge

MOST_MB: Final = 16


def bounded(name: str | None, content: bytes, most: int = MOST_MB) -> bytes:
    """The content. TooLarge: it has more than so many MB."""
    if len(content) > most * 2**20:
        raise TooLarge("asked.too_large", name=name, most=most)
    return content
