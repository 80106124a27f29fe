"""Cache texts together with their initials and characters."""

from collections.abc import Collection, Sequence

from fingerprinter.alphabet import Initials
from fingerprinter.features.model import SEGMENT_LETTERS
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.screening import PageScreen
from matcher.paraphrase.plain_characters import PlainText, to_plain_text
from matcher.retrieval.candidates import TextQuery, make_text_query
from matcher.retrieval.page_readings import PageReading, read_disguised
from wenhen.context.use_cases import Context
from wenhen.fingerprints.letter_file import WorkVersion


class TextReading:
    """A text whose initials and characters are computed once, on first use."""

    __slots__ = ("_characters", "_letters", "_queries", "_readings", "_screen", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters: Initials | None = None
        self._characters: PlainText | None = None
        self._queries: Sequence[TextQuery] | None = None
        self._readings: list[PageReading] | None = None
        self._screen: PageScreen | None = None

    @property
    def letters(self) -> Initials:
        """Return the initials of the text."""
        if self._letters is None:
            self._letters = to_initials(self.text)
        return self._letters

    def find_stored_letters(self, context: Context, version: WorkVersion, digest: str) -> None:
        """Take the initials of a work that are stored on this machine, if the text has not been read yet.

        version: the work whose text this is. digest: of the text.
        """
        if self._letters is None and context.work_letters is not None:
            with context.work_letters.map([version]) as stored:
                self._letters = stored[version].initials_of(digest) if version in stored else None

    @property
    def queries(self) -> Sequence[TextQuery]:
        """Return the queries by which the text is looked up: one for each `SEGMENT_LETTERS`, so that each stays small.

        Those of a long text are not kept, as they take much memory.
        """
        if self._queries is not None:
            return self._queries
        begins = range(0, len(self.letters), SEGMENT_LETTERS)
        queries = [make_text_query(self.letters.part(begin, begin + SEGMENT_LETTERS)) for begin in begins]
        if len(queries) <= 1:
            self._queries = queries
        return queries

    @property
    def readings(self) -> list[PageReading]:
        """Return the other ways to read a disguised text."""
        if self._readings is None:
            self._readings = read_disguised(self.text, self.letters)
        return self._readings

    @property
    def screen(self) -> PageScreen:
        """Return the text as a page against which works are screened."""
        if self._screen is None:
            self._screen = PageScreen(self.text, self.letters)
        return self._screen

    def forget_comparison(self) -> None:
        """Forget what only a comparison with works needs. It takes 40 to 80 bytes a character, beside some 12 for text
        and letters, and a cached text may stay for long.
        """
        self._screen = self._readings = None

    @property
    def characters(self) -> PlainText:
        """Return the characters of the text, for the paraphrase look-up."""
        if self._characters is None:
            self._characters = to_plain_text(self.text)
        return self._characters


def load_readings(context: Context, digests: Collection[str]) -> dict[str, TextReading]:
    """Return texts by digest. Texts that are not in the cache are fetched together. Raises `NotFound`."""
    readings: dict[str, TextReading] = context.recent_texts.some(digests)
    missing = [digest for digest in digests if digest not in readings]
    fetched = {digest: TextReading(text) for digest, text in context.store.blobs.get_texts(missing).items()}
    for digest, reading in fetched.items():
        cache_reading(context, digest, reading)
    return readings | fetched


def cache_reading(context: Context, digest: str, reading: TextReading) -> None:
    """Cache a text for the next step of its page, and for pages that are compared with the same work."""
    context.recent_texts.keep(digest, reading, len(reading.text))
