"""Which works a page may be told after: the likeliest stretches, and what speaks for and against each."""

from collections.abc import Callable, Iterable, Iterator
from math import inf, nextafter
from typing import NamedTuple

from matcher.suspicion.background import Background
from matcher.suspicion.characters import Characters
from matcher.suspicion.evidence import Evidence, Portion, shared_characters, weigh_above, weigh_words
from matcher.suspicion.retrieve import PAGE

SUSPECTED = 3.75  # score from which a person should look; one text in twenty on the same subject reaches it
# Share of a suspicion's score from which another work says that both are of one subject, or of one form.
RIVAL = 0.85
_SAME = 0.5  # share of two works' stretches from which they are one text, and no rivals
_PROMISING = 0.8  # that a first look may fall short of it by, for the stretches to be fitted
_SHIFTS = (-30, 0, 30)  # characters by which they are moved
_STRIDE = 60  # characters between the stretches of the rest of the page
_LEAST = 100  # characters of a stretch that is weighed


Near = Callable[[Portion], bool]  # whether a stretch of a page lies near one that is suspect


class PlacedWork(NamedTuple):
    """Stretches of a page and of a work that may tell the same. work: its text; id: whose it is."""

    id: str
    work: Characters
    page_place: Portion
    work_place: Portion


class Suspicion(NamedTuple):
    """A work that a page may be told after. rival: the best score of another text for the same stretch, 0 for none."""

    id: str
    work: Characters
    evidence: Evidence
    rival: float


def suspicions(
    page: Characters,
    pairs: Iterable[PlacedWork],
    background: Background,
    others: Callable[[Near], Iterable[PlacedWork]] = lambda _: (),
) -> list[Suspicion]:
    """The works that a page is suspected of, the likeliest first; of several for one stretch the likeliest alone, and
    none where another is nearly as close. others: further pairs, asked for where one of the first is suspect, near the
    same stretch of the page, for they may be as close.
    """
    fitted = _weighed(page, pairs, background)
    if suspect := [found.page for _, found in fitted if found.score >= SUSPECTED]:
        fitted += _weighed(page, others(lambda place: _is_near(_within(place, len(page)), suspect)), background)
    ranked = sorted(fitted, key=lambda one: (-one[1].score, one[0].id))
    found: list[Suspicion] = []
    for pair, evidence in ranked:
        if evidence.score < SUSPECTED or any(_overlap(evidence.page, other.evidence.page) for other in found):
            continue
        told = _less_the_subject(page, pair.work, evidence, background)
        if told.score < SUSPECTED:
            continue
        beside = ((rival, other) for rival, other in ranked if rival is not pair and _overlap(other.page, told.page))
        rivals = (other.score for rival, other in beside if not _one_text(pair.work, told, rival.work, other))
        found.append(Suspicion(pair.id, pair.work, told, max(rivals, default=0.0)))
    return sorted(
        (one for one in found if one.rival <= RIVAL * one.evidence.score), key=lambda one: -one.evidence.score
    )


def _weighed(
    page: Characters, pairs: Iterable[PlacedWork], background: Background
) -> list[tuple[PlacedWork, Evidence]]:
    """The pairs that promise anything, each with the evidence where it fits best."""
    least = SUSPECTED - _PROMISING
    weighed = ((pair, weigh_above(page, pair.work, *_inside(page, pair), background, least)) for pair in pairs)
    return [(pair, _fitted(page, pair, found, background)) for pair, found in weighed if found and found.score > least]


def _less_the_subject(page: Characters, work: Characters, found: Evidence, background: Background) -> Evidence:
    """The same, less what the rest of the page shares with this stretch of the work."""
    rest = (weigh_words(page, work, place, found.work, background) for place in _rest(page, found.page))
    return found._replace(elsewhere=max(rest, default=0.0))


def _one_text(mine: Characters, told: Evidence, theirs: Characters, other: Evidence) -> bool:
    """Whether two works have the same text where they are held against the page: editions are no rivals."""
    shared = shared_characters(mine, theirs, told.work, other.work)
    return shared > _SAME * min(told.work.end - told.work.begin, other.work.end - other.work.begin)


def _rest(page: Characters, told: Portion) -> Iterator[Portion]:
    """Stretches of a page beside one of it."""
    for begin in range(0, max(1, len(page) - _LEAST), _STRIDE):
        place = Portion(begin, min(len(page), begin + PAGE))
        if not _overlap(place, told):
            yield place


def _fitted(page: Characters, pair: PlacedWork, unmoved: Evidence, background: Background) -> Evidence:
    """The stretches moved to where they agree best; of several places the first."""
    moved = (
        pair._replace(page_place=_moved(pair.page_place, mine), work_place=_moved(pair.work_place, theirs))
        for mine in _SHIFTS
        for theirs in _SHIFTS
    )
    best, least = unmoved, nextafter(unmoved.score, -inf)
    for place, source in dict.fromkeys(_inside(page, one) for one in moved):
        if (place, source) == (unmoved.page, unmoved.work):
            found: Evidence | None = unmoved
        else:
            found = weigh_above(page, pair.work, place, source, background, least)
        if found and found.score > least:
            best, least = found, found.score
    return best


def _moved(place: Portion, by: int) -> Portion:
    return Portion(place.begin + by, place.end + by)


def _inside(page: Characters, pair: PlacedWork) -> tuple[Portion, Portion]:
    return _within(pair.page_place, len(page)), _within(pair.work_place, len(pair.work))


def _within(place: Portion, length: int) -> Portion:
    """A stretch of the same size inside a text of this length, or the whole text."""
    size = place.end - place.begin
    begin = max(0, min(place.begin, length - size))
    return Portion(begin, min(length, begin + size))


def _is_near(place: Portion, told: Iterable[Portion]) -> bool:
    """Whether a stretch may overlap one of these, once both are moved to where they fit."""
    return any(min(place.end, one.end) > max(place.begin, one.begin) for one in told)


def _overlap(one: Portion, other: Portion) -> bool:
    return min(one.end, other.end) - max(one.begin, other.begin) > _SHIFTS[-1]
