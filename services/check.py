"""Which works is a text copied from? Asked of the index now; nothing is stored."""

from dataclasses import dataclass

from pipeline.matching.look_up import Source, sources_among, works_like
from pipeline.matching.reading import Reading
from services.context import Product
from store.records import Level, Passage


@dataclass(frozen=True, slots=True)
class Finding:
    """One copied passage, with both texts."""

    source: str  # where the scanned text came from
    work_id: str
    work_title: str
    level: Level
    score: float
    share_of_page: float
    share_of_work: float
    passage: Passage
    page_text: str
    work_text: str


def scan(product: Product, name: str, text: str) -> list[Finding]:
    """The passages of a text that are copied from works of the library, the likeliest work first."""
    found = copied_from(product, Reading(text))
    return [finding for source in found for finding in _findings(product, name, text, source)]


def copied_from(product: Product, reading: Reading) -> list[Source]:
    """The works that would open a case against this text."""
    return [source for source in sources_among(product, reading, works_like(product, reading)) if source.accuse]


def _findings(product: Product, name: str, text: str, source: Source) -> list[Finding]:
    work_text = product.store.blobs.get_text(source.work.text_digest)
    verdict = source.comparison.verdict
    return [
        Finding(
            source=name,
            work_id=source.work.id,
            work_title=source.work.title,
            level=verdict.level,
            score=verdict.score,
            share_of_page=verdict.share_of_page,
            share_of_work=verdict.share_of_work,
            passage=passage,
            page_text=text[passage.page_start : passage.page_end],
            work_text=work_text[passage.work_start : passage.work_end],
        )
        for passage in source.comparison.passages
    ]
