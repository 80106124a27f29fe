"""Is a text original? Asked of the works of the library now; nothing is stored."""

from dataclasses import dataclass
from enum import StrEnum

from fingerprinter.production import query_features
from fingerprinter.reading import read_letters
from matcher.find import compare
from store.records import Level, Passage
from wenhen.app import App
from wenhen.calibrating import present_calibration
from wenhen.scanning import copied_from
from wenhen.steps.matching import Source


class Answer(StrEnum):
    """What can be said of a text."""

    PASSED = "pass"
    REFUSED = "refused"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True)
class CopiedPassage:
    """One copied passage, with both texts."""

    passage: Passage  # its "page" is the text that was asked about
    text: str
    work_text: str


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """A work that the text is copied from. Shares in [0, 1]; score is a probability."""

    work_id: str
    title: str
    author: str | None
    level: Level
    score: float
    share_of_text: float
    share_of_work: float
    passages: tuple[CopiedPassage, ...]


@dataclass(frozen=True, slots=True)
class Originality:
    """The answer for one text; works: what it is copied from, the strongest first, where the answer is REFUSED."""

    answer: Answer
    works: tuple[EarlierWork, ...] = ()


def originality(app: App, text: str) -> Originality:
    """Whether a text is original: REFUSED where a case would be opened against it, by the same rules.

    TOO_SHORT where even a word-for-word copy of the whole text would open none, so that nothing can be said.
    """
    if sources := copied_from(app, text):
        return Originality(Answer.REFUSED, tuple(_earlier(app, source, text) for source in sources))
    return Originality(Answer.PASSED if _tells(app, text) else Answer.TOO_SHORT)


def _tells(app: App, text: str) -> bool:
    letters = read_letters(text)
    if not len(query_features(letters).values):
        return False
    copy = compare(text, letters, text, letters, present_calibration(app))
    return copy is not None and copy.accuse and copy.verdict.score >= app.settings.matcher.open_score


def _earlier(app: App, source: Source, text: str) -> EarlierWork:
    work_text = app.store.blobs.get_text(source.work.text_digest)
    verdict = source.comparison.verdict
    return EarlierWork(
        work_id=source.work.id,
        title=source.work.title,
        author=source.work.author,
        level=verdict.level,
        score=verdict.score,
        share_of_text=verdict.share_of_page,
        share_of_work=verdict.share_of_work,
        passages=tuple(
            CopiedPassage(one, text[one.page_start : one.page_end], work_text[one.work_start : one.work_end])
            for one in source.comparison.passages
        ),
    )
