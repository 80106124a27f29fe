"""Is a text original? Asked of the works of the library now; nothing is stored."""

from datetime import datetime

from fingerprinter.features.index_features import query_features
from matcher.compare import compare
from matcher.verdict.originality_answer import Answer, CopiedPassage, EarlierWork, Originality
from matcher.verdict.quotation import copies
from pipeline.matching.calibration import present_calibration
from pipeline.matching.compare_with_candidates import Source
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import accuses_alone
from services.context import Product
from services.texts.works_copied_from import copied_from


def originality(product: Product, text: str, published_at: datetime | None = None, *, floor: int = 0) -> Originality:
    """Whether a text is original: REFUSED where a case would be opened against it, by the same rules.

    Works that were published after the text (published_at, aware) are no earlier ones; those without a date are.
    TOO_SHORT where even a word-for-word copy of the whole text would open none, so that nothing can be said, and for a
    text of fewer characters than `floor`.
    """
    reading = Reading(text)
    if sources := [source for source in copied_from(product, reading) if _is_earlier(source, published_at)]:
        return Originality(Answer.REFUSED, tuple(_earlier(product, source, text) for source in sources))
    says = len(text.strip()) >= floor and tells(product, reading)
    return Originality(Answer.PASSED if says else Answer.TOO_SHORT)


def tells(product: Product, reading: Reading) -> bool:
    """Whether a text is long enough for its copy to be found: without one, it says something that none is."""
    text, letters = reading.text, reading.letters
    if not len(query_features(letters).values):
        return False
    # The text may be part of a longer work: it tells nothing for being a whole one.
    copy = compare(text, letters, text, letters, present_calibration(product))
    alone = copy is not None and any(copies(one) for one in copy.found)
    return alone and accuses_alone(copy, product.settings.matcher.open_score)


def _is_earlier(source: Source, published_at: datetime | None) -> bool:
    theirs = source.work.published_at
    return published_at is None or theirs is None or theirs <= published_at


def _earlier(product: Product, source: Source, text: str) -> EarlierWork:
    work_text = product.store.blobs.get_text(source.work.text_digest)
    verdict = source.comparison.verdict
    return EarlierWork(
        work_id=source.work.id,
        title=source.work.title,
        author=source.work.author,
        published_at=source.work.published_at,
        level=verdict.level,
        score=verdict.score,
        share_of_text=verdict.share_of_page,
        share_of_work=verdict.share_of_work,
        passages=tuple(
            CopiedPassage(one, text[one.page_start : one.page_end], work_text[one.work_start : one.work_end])
            for one in source.comparison.passages
        ),
    )
