"""Find the works that a text or page was copied from, and check whether a text is original."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from fingerprinter.features.index_features import query_features
from matcher.attribution.align_pair import align_pair
from matcher.attribution.text_on_many_pages import StoredPages
from matcher.attribution.verdict import is_copy
from matcher.model import Answer, Candidate, CopiedPassage, EarlierWork, Level, Originality, Passage
from wenhen.cases.calibration import cached_calibration, current_calibration
from wenhen.cases.opening_rule import is_accusing_alone, is_on_own_site
from wenhen.context.use_cases import Product
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import Message
from wenhen.matching.candidate_cache import find_works_with_cache
from wenhen.matching.candidates import find_candidate_works
from wenhen.matching.comparison import Source, compare_with_candidates
from wenhen.pages.model import Page
from wenhen.pages.service import page_text
from wenhen.works.importers.drafts import Refused
from wenhen.works.importers.path_reader import read_uploaded_file
from wenhen.works.model import Work

# Look-up of the works that a text is copied from. Nothing is stored.


class UploadedText(NamedTuple):
    """One text of an uploaded file."""

    name: str
    text: str


class CopiedPair(NamedTuple):
    """One copied passage, with the text of both sides."""

    passage: Passage
    page_text: str
    work_text: str


@dataclass(frozen=True, slots=True)
class CopiedWork:
    """A work that a text is copied from. `share_of_page` is the share of that text."""

    work_id: str
    work_title: str
    level: Level
    score: float
    share_of_page: float
    share_of_work: float
    pairs: tuple[CopiedPair, ...]


def find_copied_works(product: Product, text: str) -> list[CopiedWork]:
    """Return the works that a text is copied from, with the passages of both sides, the most likely first."""
    return [_make_copied_work(product, text, source) for source in find_sources(product, TextReading(text))]


def find_sources(product: Product, reading: TextReading, pages: StoredPages | None = None) -> list[Source]:
    """Return the works that would open a case against this text.

    pages: pages that show what everybody writes, if they are not those of the store.
    """
    ranked, library = find_works_with_cache(product, reading, cached_calibration(product))
    return [source for source in compare_with_candidates(product, reading, ranked, library, pages) if source.accuse]


def read_uploaded_texts(name: str, content: bytes, most: int) -> tuple[list[UploadedText], list[Refused]]:
    """Read at most `most` texts of one file. Return them, and what could not be read up to there."""
    texts: list[UploadedText] = []
    refused: list[Refused] = []
    for upload in read_uploaded_file(content, name):
        if isinstance(upload, Refused):
            refused.append(upload)
        elif len(texts) < most:
            texts.append(UploadedText(upload.title, upload.text))
        else:
            refused.append(Refused(name, Message("check.too_many", {"count": most})))
            break
    return texts, refused


def _make_copied_work(product: Product, text: str, source: Source) -> CopiedWork:
    work_text = product.store.blobs.get_text(source.work.text_digest)
    verdict = source.comparison.verdict
    return CopiedWork(
        work_id=source.work.id,
        work_title=source.work.title,
        level=verdict.level,
        score=verdict.score,
        share_of_page=verdict.share_of_page,
        share_of_work=verdict.share_of_work,
        pairs=tuple(
            CopiedPair(
                passage, text[passage.page_start : passage.page_end], work_text[passage.work_start : passage.work_end]
            )
            for passage in source.comparison.passages
        ),
    )


# Originality check against the works of the library. Nothing is stored.


def check_originality(
    product: Product, text: str, published_at: datetime | None = None, *, floor: int = 0
) -> Originality:
    """Check whether a text is original.

    REFUSED: a case would be opened against it, by the same rules. TOO_SHORT: even a verbatim copy of the whole text
    would open no case, or the text has fewer characters than `floor`.

    published_at: aware. Works that were published later do not count; works without a date do.
    """
    reading = TextReading(text)
    if sources := [source for source in find_sources(product, reading) if _is_earlier_work(source, published_at)]:
        return Originality(Answer.REFUSED, tuple(_make_earlier_work(product, source, text) for source in sources))
    says = len(text.strip()) >= floor and is_long_enough(product, reading)
    return Originality(Answer.PASSED if says else Answer.TOO_SHORT)


def is_long_enough(product: Product, reading: TextReading) -> bool:
    """Return whether a verbatim copy of the text would be found and open a case."""
    text, letters = reading.text, reading.letters
    if not len(query_features(letters).values):
        return False
    # The text may be part of a longer work, so it is not treated as a whole work.
    shortest = product.settings.matcher.shortest_passage
    copy = align_pair(text, letters, text, letters, current_calibration(product), shortest=shortest)
    alone = copy is not None and any(is_copy(passage, shortest) for passage in copy.found)
    return alone and is_accusing_alone(copy, product.settings.matcher.open_score)


def _is_earlier_work(source: Source, published_at: datetime | None) -> bool:
    theirs = source.work.published_at
    return published_at is None or theirs is None or theirs <= published_at


def _make_earlier_work(product: Product, source: Source, text: str) -> EarlierWork:
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
            CopiedPassage(
                passage, text[passage.page_start : passage.page_end], work_text[passage.work_start : passage.work_end]
            )
            for passage in source.comparison.passages
        ),
    )


class Nearness(StrEnum):
    """The result for a work that was a candidate for a page."""

    CASE = "case"  # has a case
    DUE = "due"  # opens a case when the page is matched next
    AT_HOME = "at_home"  # the site belongs to the holder of the work
    UNLIKELY = "unlikely"  # copied, but the score is below `matcher.open_score`
    COMMON = "common"  # a common text, which opens no case
    SHARED = "shared"  # another work explains it better, or many works share it
    QUOTATION = "quotation"  # only a quotation
    APART = "apart"  # no common passage


@dataclass(frozen=True, slots=True)
class NearWork:
    """A candidate work of a page, and why it opened a case or did not."""

    work_id: str
    work_title: str
    hits: int  # common features
    expected: float  # common features expected by chance
    nearness: Nearness
    score: float | None  # of the alignment; None without a common passage
    share_of_page: float | None
    longest_run: int | None  # code points of the page
    case: int | None  # number of the case


def find_near_works(product: Product, page: Page) -> list[NearWork]:
    """Return the candidate works of a page, the nearest first.

    They are those of its last look-up, or of a new look-up if that found none.
    """
    text = page_text(product, page)
    if not text:
        return []
    reading = TextReading(text)
    ranked = product.store.pages.candidates(page.id) or find_candidate_works(product, reading)
    works = product.store.works.many([candidate.owner_id for candidate in ranked])
    cases = {case.work_id: case.number for case in product.store.cases.of_pages([page.id]).get(page.id, [])}
    sources = {source.work.id: source for source in compare_with_candidates(product, reading, ranked)}
    return [
        _make_near_work(product, page, candidate, works[id], sources.get(id), cases.get(id))
        for candidate in ranked
        if (id := candidate.owner_id) in works
    ]


def _make_near_work(
    product: Product, page: Page, candidate: Candidate, work: Work, source: Source | None, case: int | None
) -> NearWork:
    verdict = None if source is None else source.comparison.verdict
    return NearWork(
        work_id=work.id,
        work_title=work.title,
        hits=candidate.hits,
        expected=candidate.expected,
        nearness=Nearness.CASE if case is not None else _classify_nearness(product, page, source),
        score=None if verdict is None else verdict.score,
        share_of_page=None if verdict is None else verdict.share_of_page,
        longest_run=None if verdict is None else verdict.longest_run,
        case=case,
    )


def _classify_nearness(product: Product, page: Page, source: Source | None) -> Nearness:
    if source is None:
        return Nearness.APART
    if source.accuse:
        return Nearness.AT_HOME if is_on_own_site(product.store.holders, source.work, page.url) else Nearness.DUE
    if source.work.common:
        return Nearness.COMMON
    if not source.copied:
        return Nearness.QUOTATION
    return Nearness.UNLIKELY if source.comparison.accuse else Nearness.SHARED
