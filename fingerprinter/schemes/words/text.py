"""A text as the schemes read it: cleaned, and cut into words and letters at most once for all of them."""

from collections.abc import Callable
from functools import cached_property

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from fingerprinter.schemes.words.cleaning import clean
from fingerprinter.schemes.words.words import cut


class SchemeText:
    """One text. Words and letters are made when a scheme first asks for them. segment: text -> words."""

    def __init__(self, raw: str, *, segment: Callable[[str], tuple[str, ...]] = cut) -> None:
        self.characters = clean(raw)
        self._segment = segment

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in their order."""
        return self._segment(self.characters)

    @cached_property
    def letters(self) -> Letters:
        """Its pinyin initials."""
        return read_letters(self.characters)
