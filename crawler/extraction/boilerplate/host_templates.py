"""Strip lines that repeat on many pages of one host.

A text that stands as a whole at several addresses (a mirror, a chapter under two addresses) does not count as
repetition: nothing is taken away where most of a page would go, and a long run of repeated lines has to stand on most
of a host's pages.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

MIN_LINE_LETTERS = (
    8  # of a line at least: what is shorter is no evidence of copying, and takes nothing away by being kept
)
MIN_TEMPLATE_PAGES = 5  # that a line must stand on
MIN_TEMPLATE_SHARE = 0.01  # of the host's pages that it must stand on ...
ENOUGH_TEMPLATE_PAGES = 50  # ... or so many pages
LONG_RUN_LETTERS = 200  # letters in repeated lines one after the other, from which they must stand on MOST of the pages
LONG_RUN_PAGE_SHARE = 0.5
LINE_KEY_CACHE_SIZE = 4_096  # whose keys are kept: a line is asked for twice, and those of a template on every page ...
MAX_CACHED_CHARACTERS = 1_000  # ... and its characters; pages are asked for as a whole as well, and may be one line
COPY_LETTER_SHARE = (
    0.6  # share of a page's letters in repeated lines, from which the page is a copy rather than a template
)


def template_key(line: str) -> str:
    """What a line, or a whole text, is counted under; spaces and punctuation make no difference."""
    return _cached_line_key(line) if len(line) <= MAX_CACHED_CHARACTERS else _hash_line(line)


def _hash_line(line: str) -> str:
    return blake2b("".join(filter(str.isalnum, line)).encode("utf-8", "replace"), digest_size=9).hexdigest()


_cached_line_key = lru_cache(LINE_KEY_CACHE_SIZE)(_hash_line)


def template_keys(text: str) -> dict[str, int]:
    """The lines of a text that count, by key, with the number of their letters."""
    lengths = ((line, sum(map(str.isalnum, line))) for line in text.split("\n"))
    return {template_key(line): letters for line, letters in lengths if letters >= MIN_LINE_LETTERS}


def required_template_pages(pages: int) -> int:
    """On how many pages a line must stand to be of the template of a host with so many."""
    return max(MIN_TEMPLATE_PAGES, min(ENOUGH_TEMPLATE_PAGES, round(MIN_TEMPLATE_SHARE * pages)))


def strip_template(text: str, counts: Mapping[str, int], pages: int) -> str:
    """The text without the lines that repeat, by the number of pages that each line's key stands on."""
    lines = text.split("\n")
    letters = [sum(map(str.isalnum, line)) for line in lines]
    on = [
        counts.get(template_key(line), 0) if size >= MIN_LINE_LETTERS else 0
        for line, size in zip(lines, letters, strict=True)
    ]
    repeated = [count >= required_template_pages(pages) for count in on]
    if sum(size for size, one in zip(letters, repeated, strict=True) if one) > COPY_LETTER_SHARE * sum(letters):
        return text
    bridged = [one or size < MIN_LINE_LETTERS for one, size in zip(repeated, letters, strict=True)]
    for begin, end in _true_runs(bridged):
        if sum(letters[begin:end]) > LONG_RUN_LETTERS:
            repeated[begin:end] = [count > LONG_RUN_PAGE_SHARE * pages for count in on[begin:end]]
    return "\n".join(line for line, one in zip(lines, repeated, strict=True) if not one)


def _true_runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Begin and end of every row of true values."""
    edges = [place for place in range(len(flags) + 1) if _flag_at(flags, place) != _flag_at(flags, place - 1)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _flag_at(flags: Sequence[bool], place: int) -> bool:
    return 0 <= place < len(flags) and flags[place]
