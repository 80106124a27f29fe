"""Find what a page in letters retells of a work, sentence by sentence (`matcher.paraphrase.sentence_alignment`).

Chinese pages are left to `matcher.paraphrase.suspicions`. Of Chinese rewritings so many sentences change that pairs of
characters find few, and texts on one subject are as close.
"""

from collections.abc import Iterable, Sequence

from matcher.paraphrase.background_frequencies import Background
from matcher.paraphrase.evidence import Portion, weigh_evidence
from matcher.paraphrase.plain_characters import PlainText
from matcher.paraphrase.sentence_alignment import AlignedSentencePassage, align_sentences
from matcher.paraphrase.sentence_vectors import SentenceText, shared_words, split_sentences
from matcher.paraphrase.suspicions import AlignedSentences, Suspicion, original_portion

_MIN_LETTER_SHARE = 0.5  # share of the characters of words that are letters, from which a text is one in letters
_MAX_WEIGHED_CHARACTERS = 1_000  # characters of either side in which evidence is weighed

Passages = tuple[tuple[AlignedSentences, ...], ...]


def split_page(text: PlainText) -> SentenceText | None:
    """Split a page into sentences, None where it is not in letters."""
    codes = text.codes[text.codes > 0]
    in_letters = int((codes < 0x2E80).sum()) if len(codes) else 0
    return split_sentences(text) if in_letters > _MIN_LETTER_SHARE * len(codes) else None


def find_retold_passages(page: SentenceText, work: PlainText) -> Passages:
    """Return the passages that a page retells, each as its pairs of like sentences in the order of the page."""
    source = split_sentences(work)
    return tuple(_pair_sentences(page, source, passage) for passage in align_sentences(page, source))


def suspect_retelling(page: SentenceText, id: str, work: PlainText, background: Background) -> Suspicion | None:
    """Return the suspicion that a page retells a work, None where it retells no passage. id: the work's."""
    source = split_sentences(work)
    aligned = align_sentences(page, source)
    if not aligned:
        return None
    best = max(aligned, key=lambda passage: (passage.cosine, passage.page))
    evidence = weigh_evidence(page.text, work, _clip(best.page), _clip(best.work), background)
    passages = tuple(_pair_sentences(page, source, passage) for passage in aligned)
    return Suspicion(id, work, evidence, 0.0, passages=passages)


def _clip(portion: Portion) -> Portion:
    return Portion(portion.begin, min(portion.end, portion.begin + _MAX_WEIGHED_CHARACTERS))


def _pair_sentences(
    page: SentenceText, work: SentenceText, passage: AlignedSentencePassage
) -> tuple[AlignedSentences, ...]:
    return tuple(
        AlignedSentences(
            original_portion(page.text, page.sentence(seed.page)),
            original_portion(work.text, work.sentence(seed.work)),
            shared_words(page, work, seed.page, seed.work),
        )
        for seed in sorted(passage.seeds)
    )


def join_passages(passages: Iterable[Sequence[AlignedSentences]]) -> list[AlignedSentences]:
    """Return the sentences of all passages in the order of the page."""
    return sorted(sentences for passage in passages for sentences in passage)
