"""Strip lines that repeat on many pages of one host.

Copies of a whole text at several addresses (a mirror, a chapter under two addresses) are no template. So nothing is
stripped if most of a page would go, and a long run of repeated lines must occur on most pages of the host.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

MIN_LINE_LETTERS = 8  # letters of a counted line: shorter lines are no evidence of copying, and do no harm if they stay
MIN_TEMPLATE_PAGES = 5  # pages on which a line must occur
MIN_TEMPLATE_SHARE = 0.01  # share of the host's pages on which it must occur ...
ENOUGH_TEMPLATE_PAGES = 50  # ... or so many pages
LONG_RUN_LETTERS = 200  # letters of consecutive repeated lines from which they must occur on most of the pages
LONG_RUN_PAGE_SHARE = 0.5
LINE_KEY_CACHE_SIZE = 4_096  # lines whose keys are cached, because template lines are on every page ...
MAX_CACHED_CHARACTERS = 1_000  # ... and characters of such a line, because a whole page may be one line
COPY_LETTER_SHARE = 0.6  # share of a page's letters in repeated lines from which the page is a copy and not a template
_LETTER_RUN = re.compile(r"[^\W_]+")  # what `str.isalnum` is true of, found in a third of its time


class LineLetters(NamedTuple):
    """Letters of a line, and their key. Spaces and punctuation make no difference."""

    letters: str
    key: str


def _read_letters(line: str) -> LineLetters:
    return _cached_letters(line) if len(line) <= MAX_CACHED_CHARACTERS else _find_letters(line)


def _find_letters(line: str) -> LineLetters:
    letters = "".join(_LETTER_RUN.findall(line))
    return LineLetters(letters, _hash_letters(letters))


def _hash_letters(letters: str) -> str:
    return blake2b(letters.encode("utf-8", "replace"), digest_size=9).hexdigest()


_cached_letters = lru_cache(LINE_KEY_CACHE_SIZE)(_find_letters)


def required_template_pages(pages: int) -> int:
    """Return the number of pages on which a template line must occur, for a host with `pages` pages."""
    return max(MIN_TEMPLATE_PAGES, min(ENOUGH_TEMPLATE_PAGES, round(MIN_TEMPLATE_SHARE * pages)))


class HostText:
    """A text of a host by its lines, whose letters are found once.

    key: of the whole text. line_keys: those of the counted lines.
    """

    __slots__ = ("_lines", "_read", "key", "line_keys", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._read = list(map(_read_letters, self._lines))
        self.key = _hash_letters("".join([letters for letters, _ in self._read]))
        self.line_keys = {key for letters, key in self._read if len(letters) >= MIN_LINE_LETTERS}

    def strip_template(self, counts: Mapping[str, int], pages: int) -> str:
        """Return the text without repeated lines. counts: number of pages by line key, of `pages` in all."""
        letters = [len(found) for found, _ in self._read]
        on = [
            counts.get(key, 0) if size >= MIN_LINE_LETTERS else 0
            for size, (_, key) in zip(letters, self._read, strict=True)
        ]
        least = required_template_pages(pages)
        repeated = [count >= least for count in on]
        if True not in repeated:
            return self.text
        gone = sum(size for size, is_repeated in zip(letters, repeated, strict=True) if is_repeated)
        if gone > COPY_LETTER_SHARE * sum(letters):
            return self.text
        bridged = [is_repeated or size < MIN_LINE_LETTERS for is_repeated, size in zip(repeated, letters, strict=True)]
        for begin, end in _true_runs(bridged):
            if sum(letters[begin:end]) > LONG_RUN_LETTERS:
                repeated[begin:end] = [count > LONG_RUN_PAGE_SHARE * pages for count in on[begin:end]]
        return "\n".join(line for line, is_repeated in zip(self._lines, repeated, strict=True) if not is_repeated)


def _true_runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the begin and end of each run of true values."""
    edges = [place for place in range(len(flags) + 1) if _flag_at(flags, place) != _flag_at(flags, place - 1)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _flag_at(flags: Sequence[bool], place: int) -> bool:
    return 0 <= place < len(flags) and flags[place]
