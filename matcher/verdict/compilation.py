"""Many whole sentences of different works on one page: each alone is a quotation, together they are a compilation."""

from collections.abc import Iterable, Sequence

from matcher.alignment.align import Aligned
from matcher.verdict.shared_with_others import Shared, Sharing

WORKS = 5  # of which a page has a sentence each, from which that is a matter for a person
_SENTENCE = 30  # letters
_EXACT = 0.97  # share of them that are the same characters
_OWN = 0.999  # share of it that is the work's own


def compilation(works: Sequence[Shared]) -> list[tuple[int, Aligned]]:
    """The works of which a page is compiled and the sentence of each, the longest first; none where they are few.

    What stands in several works, and what overlaps on the page, counts once at most.
    """
    pieces = [(number, piece) for number, work in enumerate(works) for piece in work.aligned if _as_it_stands(piece)]
    if len({number for number, _ in pieces}) < WORKS or _most_apart(piece for _, piece in pieces) < WORKS:
        return []
    sharing = Sharing(works)
    own = [(number, piece) for number, piece in pieces if sharing.own_share(number, piece) >= _OWN]
    chosen: dict[int, Aligned] = {}
    for number, piece in sorted(own, key=lambda one: (-one[1].weight, one[0])):
        if number not in chosen and not any(_overlap(piece, other) for other in chosen.values()):
            chosen[number] = piece
    return list(chosen.items()) if len(chosen) >= WORKS else []


def _as_it_stands(one: Aligned) -> bool:
    return one.letters >= _SENTENCE and one.exact >= _EXACT * one.letters


def _most_apart(pieces: Iterable[Aligned]) -> int:
    """Of how many at most none overlaps another: of those that many works share, few."""
    count = reach = 0
    for end, start in sorted((one.passage.page_end, one.passage.page_start) for one in pieces):
        if start >= reach:
            count, reach = count + 1, end
    return count


def _overlap(one: Aligned, other: Aligned) -> bool:
    a, b = one.passage, other.passage
    return a.page_start < b.page_end and b.page_start < a.page_end
