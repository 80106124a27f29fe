"""Find the works that a page may paraphrase, with sentence pairs and reasons.

The reasons follow a panel of editors: theme, material, structure, order and wording. Differing numbers, words of the
subject, and another work that is nearly as close are reasons against.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from math import inf, nextafter
from typing import NamedTuple

from matcher.paraphrase.evidence import (
    Evidence,
    Portion,
    count_shared_characters,
    find_shared_runs,
    weigh_evidence,
    weigh_evidence_above,
    weigh_words,
)
from matcher.paraphrase.plain_characters import Background, PlainText, blank_portions
from matcher.paraphrase.rare_word_retrieval import PAGE_STRETCH_CHARACTERS

MIN_SUSPECTED_SCORE = 3.75  # score from which a person should look, which 1 in 20 texts on the same subject reaches
# Share of a suspicion's score from which another work shows that both share a subject or a form.
MIN_RIVAL_SHARE = 0.85
_MIN_ALIKE_RIVAL_SHARE = 0.78  # the same where likeness makes the difference
_MIN_SAME_TEXT_SHARE = 0.5  # shared part of two works' stretches from which they are one text, and no rivals
_PROMISING_MARGIN = 0.8  # score below it from which stretches are fitted
_FIT_SHIFTS = (-30, 0, 30)  # characters by which stretches are shifted
_REST_STRIDE = 60  # characters between stretches of the rest of a text
# Share that words count which the rest of the work has too. A work names its own persons and things again and again.
_WORK_SUBJECT_SHARE = 0.5
_WORK_SUBJECT_CHARACTERS = 3_000  # characters of the work on either side of a stretch where its subject is looked for
_MIN_STRETCH_CHARACTERS = 100  # characters of a weighed stretch
_MIN_COMMON_RUN = 4  # characters that a page shares with a common text in one piece, as fewer are a word


NearSuspect = Callable[[Portion], bool]  # whether a stretch of a page is near a suspect one


class PlacedWork(NamedTuple):
    """Stretches of a page and of a work that may match. work: its text. id: its owner."""

    id: str
    work: PlainText
    page_place: Portion
    work_place: Portion


WeighedWork = tuple[PlacedWork, Evidence]


class AlignedSentences(NamedTuple):
    """A sentence of the page, the work's sentence that shares most words with it, and these words.

    Portions are in code points of the originals.
    """

    page: Portion
    work: Portion
    words: tuple[str, ...]


class Suspicion(NamedTuple):
    """A work that a page may paraphrase. rival: best score of another text for the same stretch, 0 for none.

    rival_content: the same without likeness. passages: where like sentences show it, those of each passage.
    """

    id: str
    work: PlainText
    evidence: Evidence
    rival: float
    rival_content: float = 0.0
    passages: tuple[tuple[AlignedSentences, ...], ...] = ()

    @property
    def stands_out(self) -> bool:
        """Whether no other text is nearly as close."""
        evidence = self.evidence
        return (
            self.rival_content <= MIN_RIVAL_SHARE * evidence.content_score
            or self.rival <= _MIN_ALIKE_RIVAL_SHARE * evidence.score
        )


def weigh_works(page: PlainText, pairs: Iterable[PlacedWork], background: Background) -> list[WeighedWork]:
    """Return the promising pairs, each with the evidence where it fits best."""
    min_score = MIN_SUSPECTED_SCORE - _PROMISING_MARGIN
    weighed = (
        (pair, weigh_evidence_above(page, pair.work, *_clip_work_places(page, pair), background, min_score))
        for pair in pairs
    )
    return [
        (pair, _fit_stretches(page, pair, evidence, background))
        for pair, evidence in weighed
        if evidence and evidence.score > min_score
    ]


def make_near_suspect_test(page: PlainText, weighed: Iterable[WeighedWork]) -> NearSuspect | None:
    """Return a test for further stretches that may be as close as a suspect one, None without suspects."""
    suspect = [evidence.page for _, evidence in weighed if evidence.score >= MIN_SUSPECTED_SCORE]
    return (lambda place: _is_near_any(_clip_portion(place, len(page)), suspect)) if suspect else None


def find_suspicions(page: PlainText, weighed: Iterable[WeighedWork], background: Background) -> list[Suspicion]:
    """Return the works that a page may paraphrase, the likeliest first.

    Of several works for one stretch only the likeliest remains, and none where another is nearly as close. weighed:
    includes the works near suspect stretches.
    """
    ranked = sorted(weighed, key=lambda item: (-item[1].score, item[0].id))
    suspicions: list[Suspicion] = []
    for pair, evidence in ranked:
        if evidence.score < MIN_SUSPECTED_SCORE or any(
            _portions_overlap(evidence.page, other.evidence.page) for other in suspicions
        ):
            continue
        reduced = _subtract_subject(page, pair.work, evidence, background)
        if reduced.score < MIN_SUSPECTED_SCORE:
            continue
        overlapping = (
            (rival, other)
            for rival, other in ranked
            if rival is not pair and _portions_overlap(other.page, reduced.page)
        )
        rivals = [other for rival, other in overlapping if not _is_one_text(pair.work, reduced, rival.work, other)]
        suspicions.append(
            Suspicion(
                pair.id,
                pair.work,
                reduced,
                max((other.score for other in rivals), default=0.0),
                max((other.content_score for other in rivals), default=0.0),
            )
        )
    return sorted(
        (suspicion for suspicion in suspicions if suspicion.stands_out),
        key=lambda suspicion: -suspicion.evidence.score,
    )


def explain_suspicion(
    page: PlainText, suspicion: Suspicion, explained: Iterable[Portion], background: Background
) -> Evidence:
    """Return the evidence of a suspicion without the portions of the page that are nobody's own, such as forms."""
    evidence = suspicion.evidence
    own = blank_portions(page, explained)
    left = weigh_evidence(own, suspicion.work, evidence.page, evidence.work, background)
    return evidence._replace(
        words=min(evidence.words, left.words),
        characters=min(evidence.characters, left.characters),
        likeness=min(evidence.likeness, left.likeness),
        runs=left.runs,
    )


def shared_portions(page: PlainText, place: Portion, common: PlainText) -> list[Portion]:
    """Return what a stretch of a page shares with a common text, in runs of some characters."""
    runs = find_shared_runs(page, common, place, Portion(0, len(common)))
    return [Portion(run.page, run.page + run.length) for run in runs if run.length >= _MIN_COMMON_RUN]


def _subtract_subject(page: PlainText, work: PlainText, evidence: Evidence, background: Background) -> Evidence:
    """Return the evidence less the subject: what the rest of either text shares with the other's stretch."""
    whole = Portion(0, len(page))
    around = Portion(
        max(0, evidence.work.begin - _WORK_SUBJECT_CHARACTERS),
        min(len(work), evidence.work.end + _WORK_SUBJECT_CHARACTERS),
    )
    rest = [
        weigh_words(page, work, place, evidence.work, background) for place in _rest_stretches(whole, evidence.page)
    ]
    rest += [
        _WORK_SUBJECT_SHARE * weigh_words(page, work, evidence.page, place, background)
        for place in _rest_stretches(around, evidence.work)
    ]
    return evidence._replace(elsewhere=max(rest, default=0.0))


def _is_one_text(work: PlainText, evidence: Evidence, rival: PlainText, rival_evidence: Evidence) -> bool:
    """Whether two works have the same text at their stretches. Editions are no rivals."""
    shared = count_shared_characters(work, rival, evidence.work, rival_evidence.work)
    return shared > _MIN_SAME_TEXT_SHARE * min(
        evidence.work.end - evidence.work.begin, rival_evidence.work.end - rival_evidence.work.begin
    )


def _rest_stretches(whole: Portion, portion: Portion) -> Iterator[Portion]:
    """Yield the stretches of a text, or of a part of it, beside a portion."""
    for start in range(whole.begin, max(whole.begin + 1, whole.end - _MIN_STRETCH_CHARACTERS), _REST_STRIDE):
        place = Portion(start, min(whole.end, start + PAGE_STRETCH_CHARACTERS))
        if not _portions_overlap(place, portion):
            yield place


def _fit_stretches(page: PlainText, pair: PlacedWork, unmoved: Evidence, background: Background) -> Evidence:
    """Shift the stretches to the best fit, the first of several."""
    places = dict.fromkeys(_clip_portion(_move_portion(pair.page_place, shift), len(page)) for shift in _FIT_SHIFTS)
    sources = dict.fromkeys(
        _clip_portion(_move_portion(pair.work_place, shift), len(pair.work)) for shift in _FIT_SHIFTS
    )
    best, min_score = unmoved, nextafter(unmoved.score, -inf)
    for place, source in product(places, sources):
        if (place, source) == (unmoved.page, unmoved.work):
            evidence: Evidence | None = unmoved
        else:
            evidence = weigh_evidence_above(page, pair.work, place, source, background, min_score)
        if evidence and evidence.score > min_score:
            best, min_score = evidence, evidence.score
    return best


def _move_portion(place: Portion, shift: int) -> Portion:
    return Portion(place.begin + shift, place.end + shift)


def _clip_work_places(page: PlainText, pair: PlacedWork) -> tuple[Portion, Portion]:
    return _clip_portion(pair.page_place, len(page)), _clip_portion(pair.work_place, len(pair.work))


def _clip_portion(place: Portion, length: int) -> Portion:
    """Clip a stretch to a text of this length, at the same size if possible."""
    size = place.end - place.begin
    begin = max(0, min(place.begin, length - size))
    return Portion(begin, min(length, begin + size))


def _is_near_any(place: Portion, portions: Iterable[Portion]) -> bool:
    """Whether a stretch may overlap one of these after both are fitted."""
    return any(min(place.end, portion.end) > max(place.begin, portion.begin) for portion in portions)


def _portions_overlap(first: Portion, second: Portion) -> bool:
    return min(first.end, second.end) - max(first.begin, second.begin) > _FIT_SHIFTS[-1]


_SENTENCE_ENDS = frozenset("。！？!?；;\n")


def pair_passages(page: PlainText, suspicion: Suspicion) -> list[Sequence[AlignedSentences]]:
    """Return the paired sentences of each passage of a suspicion."""
    return list(suspicion.passages) or [pair_sentences(page, suspicion.work, suspicion.evidence)]


def pair_sentences(page: PlainText, work: PlainText, evidence: Evidence) -> list[AlignedSentences]:
    """Pair the sentences in the order of the page. Sentences without shared words are omitted."""
    page_sentences, work_sentences = (
        _split_sentences(page.text, evidence.page),
        _split_sentences(work.text, evidence.work),
    )
    shared: dict[int, Counter[int]] = {}
    words: dict[tuple[int, int], list[str]] = {}
    for run in evidence.runs:
        page_number, work_number = _find_sentence(page_sentences, run.page), _find_sentence(work_sentences, run.work)
        shared.setdefault(page_number, Counter())[work_number] += run.length
        words.setdefault((page_number, work_number), []).append(page.text[run.page : run.page + run.length])
    best = {page_number: counts.most_common(1)[0][0] for page_number, counts in sorted(shared.items())}
    return [
        AlignedSentences(
            original_portion(page, page_sentences[page_number]),
            original_portion(work, work_sentences[work_number]),
            tuple(words[page_number, work_number]),
        )
        for page_number, work_number in best.items()
    ]


def share_in_order(pairs: Sequence[AlignedSentences]) -> float:
    """Return the share of neighbouring page sentences whose work sentences are in the same order."""
    steps = [first.work.begin <= second.work.begin for first, second in pairwise(pairs)]
    return sum(steps) / len(steps) if steps else 1.0


def share_retold(pairs: Sequence[AlignedSentences], work: PlainText, evidence: Evidence) -> float:
    """Return the share of the sentences of the work's stretch that the page retells."""
    return min(1.0, len({pair.work for pair in pairs}) / max(1, len(_split_sentences(work.text, evidence.work))))


def covered_portions(pairs: Sequence[AlignedSentences]) -> tuple[Portion, Portion]:
    """Return what the pairs cover on either side, from the first to the last."""
    sides = [[pair.page for pair in pairs], [pair.work for pair in pairs]]
    page, work = (
        Portion(min(portion.begin for portion in side), max(portion.end for portion in side)) for side in sides
    )
    return page, work


def _split_sentences(text: str, place: Portion) -> list[Portion]:
    """Split a stretch into sentences, which its ends cut off."""
    return list(_cut_sentences(text, place))


def _cut_sentences(text: str, place: Portion) -> Iterator[Portion]:
    begin = place.begin
    for offset in range(place.begin, place.end):
        if text[offset] in _SENTENCE_ENDS or offset == place.end - 1:
            if text[begin : offset + 1].strip():
                yield Portion(begin, offset + 1)
            begin = offset + 1


def _find_sentence(sentences: list[Portion], offset: int) -> int:
    return next(number for number, sentence in enumerate(sentences) if offset < sentence.end)


def original_portion(text: PlainText, place: Portion) -> Portion:
    """Return a stretch of plain characters in code points of the original."""
    return Portion(int(text.starts[place.begin]), int(text.starts[place.end]))


_MAX_NAMED_WORDS = 8  # most words and numbers in a reason
_MAX_SUMMARY_SHARE = 0.5  # length of the page's sentences over that of the work's part, up to which they summarize it
_MIN_REWRITTEN_SHARE = 0.5  # share of the work's sentences, from which the page rewrites it sentence by sentence ...
_MIN_ORDER_SHARE = 0.75  # ... in its order


def suspicion_reasons(pairs: Sequence[AlignedSentences], suspicion: Suspicion) -> tuple[str, ...]:
    """Return message keys with their figures, such as ``structure:0.83``."""
    evidence = suspicion.evidence
    words = dict.fromkeys(sorted((word for pair in pairs for word in pair.words), key=len, reverse=True))
    shared = sum(run.length for run in evidence.runs) / max(1, evidence.page.end - evidence.page.begin)
    reasons = [
        retelling_kind(pairs, suspicion),
        f"theme:{_join_words(words)}",
        f"material:{_join_words(evidence.shared)}" if evidence.shared else "",
        f"structure:{share_retold(pairs, suspicion.work, evidence):.2f}",
        f"order:{share_in_order(pairs):.2f}",
        f"wording:{shared:.2f}",
        f"differing:{_join_words(evidence.different)}" if evidence.different else "",
        f"subject:{evidence.elsewhere / evidence.words:.2f}" if evidence.elsewhere else "",
        f"rival:{suspicion.rival / evidence.score:.2f}" if suspicion.rival else "",
    ]
    return tuple(reason for reason in reasons if reason)


def retelling_kind(pairs: Sequence[AlignedSentences], suspicion: Suspicion) -> str:
    """Return the message key of how a page seems to retell a work, with its figure; empty without sentences."""
    if not pairs:
        return ""
    length = sum(page.end - page.begin for page in {pair.page for pair in pairs})
    _, part = covered_portions(pairs)
    if length <= _MAX_SUMMARY_SHARE * (part.end - part.begin):
        return f"retold_summary:{length / (part.end - part.begin):.2f}"
    share = share_retold(pairs, suspicion.work, suspicion.evidence)
    if share < _MIN_REWRITTEN_SHARE:
        return f"retold_anew:{share:.2f}"
    order = share_in_order(pairs)
    return f"retold_{'sentences' if order >= _MIN_ORDER_SHARE else 'reordered'}:{order:.2f}"


def _join_words(words: Sequence[str] | dict[str, None]) -> str:
    return "、".join(list(words)[:_MAX_NAMED_WORDS])
