"""Find the works that a page may paraphrase, with sentence pairs and reasons."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from math import inf, nextafter
from typing import NamedTuple

from matcher.paraphrase.background_frequencies import Background
from matcher.paraphrase.evidence import Evidence, Portion, count_shared_characters, weigh_evidence_above, weigh_words
from matcher.paraphrase.plain_characters import PlainText
from matcher.paraphrase.rare_word_retrieval import PAGE_STRETCH_CHARACTERS

# Which works a page may be told after: the likeliest stretches, and what speaks for and against each.


MIN_SUSPECTED_SCORE = 3.75  # score from which a person should look; one text in twenty on the same subject reaches it
# Share of a suspicion's score from which another work says that both are of one subject, or of one form.
MIN_RIVAL_SHARE = 0.85
_MIN_SAME_TEXT_SHARE = 0.5  # share of two works' stretches from which they are one text, and no rivals
_PROMISING_MARGIN = 0.8  # that a first look may fall short of it by, for the stretches to be fitted
_FIT_SHIFTS = (-30, 0, 30)  # characters by which they are moved
_REST_STRIDE = 60  # characters between the stretches of the rest of the page
_MIN_STRETCH_CHARACTERS = 100  # characters of a stretch that is weighed


NearSuspect = Callable[[Portion], bool]  # whether a stretch of a page lies near one that is suspect


class PlacedWork(NamedTuple):
    """Stretches of a page and of a work that may tell the same. work: its text; id: whose it is."""

    id: str
    work: PlainText
    page_place: Portion
    work_place: Portion


WeighedWork = tuple[PlacedWork, Evidence]


class Suspicion(NamedTuple):
    """A work that a page may be told after. rival: the best score of another text for the same stretch, 0 for none."""

    id: str
    work: PlainText
    evidence: Evidence
    rival: float


def weigh_works(page: PlainText, pairs: Iterable[PlacedWork], background: Background) -> list[WeighedWork]:
    """The pairs that promise anything, each with the evidence where it fits best."""
    least = MIN_SUSPECTED_SCORE - _PROMISING_MARGIN
    found = (
        (pair, weigh_evidence_above(page, pair.work, *_clip_work_places(page, pair), background, least))
        for pair in pairs
    )
    return [(pair, _fit_stretches(page, pair, one, background)) for pair, one in found if one and one.score > least]


def make_near_suspect_test(page: PlainText, found: Iterable[WeighedWork]) -> NearSuspect | None:
    """Which further stretches of a page have to be weighed, for they may be as close as one that is suspect; None where
    nothing is suspect.
    """
    suspect = [evidence.page for _, evidence in found if evidence.score >= MIN_SUSPECTED_SCORE]
    return (lambda place: _is_near_any(_clip_portion(place, len(page)), suspect)) if suspect else None


def find_suspicions(page: PlainText, weighed: Iterable[WeighedWork], background: Background) -> list[Suspicion]:
    """The works that a page is suspected of, the likeliest first; of several for one stretch the likeliest alone, and
    none where another is nearly as close. weighed: also those near what is suspect.
    """
    ranked = sorted(weighed, key=lambda one: (-one[1].score, one[0].id))
    suspicions: list[Suspicion] = []
    for pair, evidence in ranked:
        if evidence.score < MIN_SUSPECTED_SCORE or any(
            _portions_overlap(evidence.page, other.evidence.page) for other in suspicions
        ):
            continue
        told = _subtract_subject(page, pair.work, evidence, background)
        if told.score < MIN_SUSPECTED_SCORE:
            continue
        beside = (
            (rival, other) for rival, other in ranked if rival is not pair and _portions_overlap(other.page, told.page)
        )
        rivals = (other.score for rival, other in beside if not _is_one_text(pair.work, told, rival.work, other))
        suspicions.append(Suspicion(pair.id, pair.work, told, max(rivals, default=0.0)))
    return sorted(
        (one for one in suspicions if one.rival <= MIN_RIVAL_SHARE * one.evidence.score),
        key=lambda one: -one.evidence.score,
    )


def _subtract_subject(page: PlainText, work: PlainText, found: Evidence, background: Background) -> Evidence:
    """The same, less what the rest of the page shares with this stretch of the work."""
    rest = (weigh_words(page, work, place, found.work, background) for place in _rest_stretches(page, found.page))
    return found._replace(elsewhere=max(rest, default=0.0))


def _is_one_text(mine: PlainText, told: Evidence, theirs: PlainText, other: Evidence) -> bool:
    """Whether two works have the same text where they are held against the page: editions are no rivals."""
    shared = count_shared_characters(mine, theirs, told.work, other.work)
    return shared > _MIN_SAME_TEXT_SHARE * min(told.work.end - told.work.begin, other.work.end - other.work.begin)


def _rest_stretches(page: PlainText, told: Portion) -> Iterator[Portion]:
    """Stretches of a page beside one of it."""
    for begin in range(0, max(1, len(page) - _MIN_STRETCH_CHARACTERS), _REST_STRIDE):
        place = Portion(begin, min(len(page), begin + PAGE_STRETCH_CHARACTERS))
        if not _portions_overlap(place, told):
            yield place


def _fit_stretches(page: PlainText, pair: PlacedWork, unmoved: Evidence, background: Background) -> Evidence:
    """The stretches moved to where they agree best; of several places the first."""
    places = dict.fromkeys(_clip_portion(_move_portion(pair.page_place, by), len(page)) for by in _FIT_SHIFTS)
    sources = dict.fromkeys(_clip_portion(_move_portion(pair.work_place, by), len(pair.work)) for by in _FIT_SHIFTS)
    best, least = unmoved, nextafter(unmoved.score, -inf)
    for place, source in product(places, sources):
        if (place, source) == (unmoved.page, unmoved.work):
            found: Evidence | None = unmoved
        else:
            found = weigh_evidence_above(page, pair.work, place, source, background, least)
        if found and found.score > least:
            best, least = found, found.score
    return best


def _move_portion(place: Portion, by: int) -> Portion:
    return Portion(place.begin + by, place.end + by)


def _clip_work_places(page: PlainText, pair: PlacedWork) -> tuple[Portion, Portion]:
    return _clip_portion(pair.page_place, len(page)), _clip_portion(pair.work_place, len(pair.work))


def _clip_portion(place: Portion, length: int) -> Portion:
    """A stretch of the same size inside a text of this length, or the whole text."""
    size = place.end - place.begin
    begin = max(0, min(place.begin, length - size))
    return Portion(begin, min(length, begin + size))


def _is_near_any(place: Portion, told: Iterable[Portion]) -> bool:
    """Whether a stretch may overlap one of these, once both are moved to where they fit."""
    return any(min(place.end, one.end) > max(place.begin, one.begin) for one in told)


def _portions_overlap(one: Portion, other: Portion) -> bool:
    return min(one.end, other.end) - max(one.begin, other.begin) > _FIT_SHIFTS[-1]


_SENTENCE_ENDS = frozenset("。！？!?；;\n")


class AlignedSentences(NamedTuple):
    """A sentence of the page, the sentence of the work that shares most words with it, and these words as the page has
    them. Places in code points of the originals.
    """

    page: Portion
    work: Portion
    words: tuple[str, ...]


def pair_sentences(page: PlainText, work: PlainText, found: Evidence) -> list[AlignedSentences]:
    """The sentences in the order of the page; one that shares nothing stands in no pair."""
    mine, theirs = _split_sentences(page.text, found.page), _split_sentences(work.text, found.work)
    shared: dict[int, Counter[int]] = {}
    words: dict[tuple[int, int], list[str]] = {}
    for run in found.runs:
        here, there = _find_sentence(mine, run.page), _find_sentence(theirs, run.work)
        shared.setdefault(here, Counter())[there] += run.length
        words.setdefault((here, there), []).append(page.text[run.page : run.page + run.length])
    best = {here: counts.most_common(1)[0][0] for here, counts in sorted(shared.items())}
    return [
        AlignedSentences(
            _original_portion(page, mine[here]), _original_portion(work, theirs[there]), tuple(words[here, there])
        )
        for here, there in best.items()
    ]


def share_in_order(pairs: Sequence[AlignedSentences]) -> float:
    """The share of neighbouring sentences of the page whose sentences in the work stand in the same order."""
    steps = [one.work.begin <= other.work.begin for one, other in pairwise(pairs)]
    return sum(steps) / len(steps) if steps else 1.0


def share_retold(pairs: Sequence[AlignedSentences], work: PlainText, found: Evidence) -> float:
    """The share of the sentences of the work's stretch that the page has told again."""
    return min(1.0, len({pair.work for pair in pairs}) / max(1, len(_split_sentences(work.text, found.work))))


def covered_portions(pairs: Sequence[AlignedSentences]) -> tuple[Portion, Portion]:
    """What the pairs cover on either side, from the first to the last."""
    sides = [[pair.page for pair in pairs], [pair.work for pair in pairs]]
    mine, theirs = (Portion(min(one.begin for one in side), max(one.end for one in side)) for side in sides)
    return mine, theirs


def _split_sentences(text: str, place: Portion) -> list[Portion]:
    """The sentences that lie in a stretch, cut off at its ends."""
    return list(_cut_sentences(text, place))


def _cut_sentences(text: str, place: Portion) -> Iterator[Portion]:
    begin = place.begin
    for at in range(place.begin, place.end):
        if text[at] in _SENTENCE_ENDS or at == place.end - 1:
            if text[begin : at + 1].strip():
                yield Portion(begin, at + 1)
            begin = at + 1


def _find_sentence(sentences: list[Portion], at: int) -> int:
    return next(number for number, one in enumerate(sentences) if at < one.end)


def _original_portion(text: PlainText, place: Portion) -> Portion:
    return Portion(int(text.starts[place.begin]), int(text.starts[place.end]))


# Why a page may be told after a work, as a panel of editors weighs it, and what speaks against.
#
# Theme, material, structure, order and wording; then numbers that differ, words that belong to the subject, and another
# work that is nearly as close.


_MAX_NAMED_WORDS = 8  # words and numbers that a reason names


def suspicion_reasons(pairs: Sequence[AlignedSentences], found: Suspicion) -> tuple[str, ...]:
    """Message keys with their figures, such as ``structure:0.83``."""
    evidence = found.evidence
    words = dict.fromkeys(sorted((word for pair in pairs for word in pair.words), key=len, reverse=True))
    kept = sum(run.length for run in evidence.runs) / max(1, evidence.page.end - evidence.page.begin)
    told = [
        f"theme:{_join_words(words)}",
        f"material:{_join_words(evidence.shared)}" if evidence.shared else "",
        f"structure:{share_retold(pairs, found.work, evidence):.2f}",
        f"order:{share_in_order(pairs):.2f}",
        f"wording:{kept:.2f}",
        f"differing:{_join_words(evidence.different)}" if evidence.different else "",
        f"subject:{evidence.elsewhere / evidence.words:.2f}" if evidence.elsewhere else "",
        f"rival:{found.rival / evidence.score:.2f}" if found.rival else "",
    ]
    return tuple(one for one in told if one)


def _join_words(words: Sequence[str] | dict[str, None]) -> str:
    return "、".join(list(words)[:_MAX_NAMED_WORDS])
