"""Lists of the chapters of a novel, as a page links to them."""

from collections.abc import Sequence
from itertools import pairwise

from crawler.extract.chapters.chapter_numbers import CHAPTER, number_in

LEAST_CHAPTERS = 10  # that a page must link to, to be a list of them


def in_reading_order(links: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The links of a page, addresses and words, with those of a list of chapters in the order in which they are read.

    Such lists begin with the newest chapters, or are turned round altogether. Where numbers come twice, as each volume
    begins anew, a list is turned round as a whole or left as it is.
    """
    by_link = [number_in(CHAPTER, words) for _, words in links]
    places = [(place, number) for place, number in enumerate(by_link) if number is not None]
    if len(places) < LEAST_CHAPTERS:
        return list(links)
    numbers = [number for _, number in places]
    order = list(places)
    if len(set(numbers)) == len(numbers):
        order.sort(key=lambda one: one[1])
    elif sum(a > b for a, b in pairwise(numbers)) > len(numbers) / 2:
        order.reverse()
    turned = list(links)
    for (place, _), (origin, _) in zip(places, order, strict=True):
        turned[place] = links[origin]
    return turned
