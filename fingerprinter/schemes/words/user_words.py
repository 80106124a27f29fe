"""Words of a user's own, which a general dictionary lacks."""

from typing import NamedTuple


class UserWord(NamedTuple):
    """A word. frequency: occurrences in jieba's corpus; None for as many as let it be cut out."""

    word: str
    frequency: int | None = None
    tag: str | None = None  # part of speech
