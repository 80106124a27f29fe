"""A page with its main text, how near an extraction comes to it, and the list of all such pages."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.support.pages.kinds.sentences import Prose

GRAM = 8  # letters, as the field measures the extraction of Chinese main text


@dataclass(frozen=True, slots=True)
class KindOfPage:
    """A page, its main text line by line, and lines such as titles that may be there or not."""

    html: str
    text: tuple[str, ...]
    either: tuple[str, ...] = ()

    def f1(self, extracted: str) -> float:
        """Of the grams of letters and digits, as a multiset: twice what both have by what each has."""
        # Where much of a page is its title, an extraction with it and one without it are as good.
        bare = "\n".join(line for line in extracted.split("\n") if line not in self.either)
        wanted, found = _grams("\n".join(self.text)), _grams(bare)
        return 2 * (wanted & found).total() / ((wanted.total() + found.total()) or 1) if wanted else not found


Make = Callable[[Prose], Iterator[tuple[str, KindOfPage]]]
KINDS: dict[str, KindOfPage] = {}


def kinds(make: Make) -> Make:
    """Note all pages that a maker gives, each under the maker's name and its own."""
    for name, page in make(Prose(make.__name__)):
        KINDS[f"{make.__name__}: {name}"] = page
    return make


def p(lines: Sequence[str]) -> str:
    """Each line in a paragraph."""
    return "".join(f"<p>{line}</p>" for line in lines)


def whole(body: str, head: str = "", title: str = "河口") -> str:
    """A whole page."""
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


def _grams(text: str) -> Counter[str]:
    letters = "".join(re.findall(r"\w", text))
    return Counter(letters[at : at + GRAM] for at in range(max(1, len(letters) - GRAM + 1)) if letters)
