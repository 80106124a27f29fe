"""A text together with its letters and characters: one task asks for them again and again, often the next one, too."""

from collections.abc import Collection

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.suspicion.characters import Characters, read_characters
from pipeline.context import Context


class Reading:
    """A text that is turned into letters and into characters once, when they are first asked for."""

    __slots__ = ("_characters", "_letters", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: Letters | None = None
        self._characters: Characters | None = None

    @property
    def letters(self) -> Letters:
        """The letters of the text."""
        if self._letters is None:
            self._letters = read_letters(self.text)
        return self._letters

    @property
    def characters(self) -> Characters:
        """The characters of the text, in which rewriting is looked for."""
        if self._characters is None:
            self._characters = read_characters(self.text)
        return self._characters


def readings(context: Context, digests: Collection[str]) -> dict[str, Reading]:
    """Texts by their digests; those that were not read lately are fetched together. Raises `NotFound`."""
    found: dict[str, Reading] = context.recent_texts.some(digests)
    missing = [digest for digest in digests if digest not in found]
    fetched = {digest: Reading(text) for digest, text in context.store.blobs.get_texts(missing).items()}
    for digest, reading in fetched.items():
        keep_reading(context, digest, reading)
    return found | fetched


def keep_reading(context: Context, digest: str, reading: Reading) -> None:
    """Have a text at hand for the next step of its page, and for pages that are compared with the same work."""
    context.recent_texts.keep(digest, reading, len(reading.text))
