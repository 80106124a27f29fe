"""A text together with its letters, which one task asks for again and again."""

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters


class Reading:
    """A text that is turned into letters once, when they are first asked for."""

    __slots__ = ("_letters", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: Letters | None = None

    @property
    def letters(self) -> Letters:
        """The letters of the text."""
        if self._letters is None:
            self._letters = read_letters(self.text)
        return self._letters
