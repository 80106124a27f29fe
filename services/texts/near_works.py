"""The works that came near a page, and why each opened a case or none."""

from dataclasses import dataclass
from enum import StrEnum

from pipeline.matching.candidates import works_like
from pipeline.matching.compare_with_candidates import Source, sources_among
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import at_home
from services.context import Product
from services.texts.pages import text_of
from store.records import Candidate, Page, Work


class Nearness(StrEnum):
    """What became of a work that came near a page."""

    CASE = "case"  # there is a case
    DUE = "due"  # opens one when the page is matched next
    AT_HOME = "at_home"  # on a site of the work's own holder
    UNLIKELY = "unlikely"  # copied, but less likely than `matcher.open_score`
    SHARED = "shared"  # another work explains it better, or it is common to many
    QUOTATION = "quotation"  # no more than a quotation
    APART = "apart"  # no passage in common


@dataclass(frozen=True, slots=True)
class NearWork:
    """A work that the look-up found for a page, and why it opened a case or none."""

    work_id: str
    work_title: str
    hits: int  # features in common
    expected: float  # of which chance alone gives so many
    nearness: Nearness
    score: float | None  # of the close comparison; None where they have no passage in common
    share_of_page: float | None
    longest_run: int | None  # code points of the page
    case: int | None  # its number


def near_works(product: Product, page: Page) -> list[NearWork]:
    """The works that came near the page when it was looked up, or would now if that found none, the nearest first."""
    text = text_of(product, page)
    if not text:
        return []
    reading = Reading(text)
    ranked = product.store.pages.candidates(page.id) or works_like(product, reading)
    works = product.store.works.many([one.owner_id for one in ranked])
    cases = {one.work_id: one.number for one in product.store.cases.of_pages([page.id]).get(page.id, [])}
    sources = {source.work.id: source for source in sources_among(product, reading, ranked)}
    return [
        _near(product, page, candidate, works[id], sources.get(id), cases.get(id))
        for candidate in ranked
        if (id := candidate.owner_id) in works
    ]


def _near(
    product: Product, page: Page, candidate: Candidate, work: Work, source: Source | None, case: int | None
) -> NearWork:
    verdict = None if source is None else source.comparison.verdict
    return NearWork(
        work_id=work.id,
        work_title=work.title,
        hits=candidate.hits,
        expected=candidate.expected,
        nearness=Nearness.CASE if case is not None else _nearness(product, page, source),
        score=None if verdict is None else verdict.score,
        share_of_page=None if verdict is None else verdict.share_of_page,
        longest_run=None if verdict is None else verdict.longest_run,
        case=case,
    )


def _nearness(product: Product, page: Page, source: Source | None) -> Nearness:
    if source is None:
        return Nearness.APART
    if source.accuse:
        return Nearness.AT_HOME if at_home(product.store.holders, source.work, page.url) else Nearness.DUE
    if not source.copied:
        return Nearness.QUOTATION
    return Nearness.UNLIKELY if source.comparison.accuse else Nearness.SHARED
