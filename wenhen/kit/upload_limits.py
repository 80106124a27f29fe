"""Limit uploads that are stored unchanged: documents of holders, replies to notices, receipts."""

from typing import Final

from wenhen.kit.errors import TooLarge

MAX_UPLOAD_MB: Final = 16


def limit_upload(name: str | None, content: bytes, most: int = MAX_UPLOAD_MB) -> bytes:
    """Return the content. Raises TooLarge if it has more than `most` MB."""
    if len(content) > most * 2**20:
        raise TooLarge("asked.too_large", name=name, most=most)
    return content
