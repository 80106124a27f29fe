"""Which works is a text copied from? Asked of the index now; nothing is stored."""

from dataclasses import dataclass
from typing import NamedTuple

from pipeline.matching.calibration import known_calibration
from pipeline.matching.compare_with_candidates import Source, sources_among
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.works_of_a_batch import works_and_library_like
from services.context import Product
from services.importing.drafts_and_refusals import Refused
from services.importing.read_paths import read_sent
from store.messages import Message
from store.records import Level, Passage


class UploadedText(NamedTuple):
    """One text of a file that was sent."""

    name: str
    text: str


class CopiedPair(NamedTuple):
    """One copied passage, as it stands on either side."""

    passage: Passage
    page_text: str
    work_text: str


@dataclass(frozen=True, slots=True)
class CopiedWork:
    """A work that a text is copied from; the text is the page of these shares."""

    work_id: str
    work_title: str
    level: Level
    score: float
    share_of_page: float
    share_of_work: float
    pairs: tuple[CopiedPair, ...]


def check(product: Product, text: str) -> list[CopiedWork]:
    """The works that a text is copied from, with the passages of both sides, the likeliest first."""
    return [_copied(product, text, source) for source in copied_from(product, Reading(text))]


def copied_from(product: Product, reading: Reading) -> list[Source]:
    """The works that would open a case against this text."""
    ranked, library = works_and_library_like(product, reading, known_calibration(product))
    return [source for source in sources_among(product, reading, ranked, library) if source.accuse]


def read_upload(name: str, content: bytes, most: int) -> tuple[list[UploadedText], list[Refused]]:
    """The first texts of one file, so many at most, and what of it until there cannot be read; nothing is stored."""
    texts: list[UploadedText] = []
    refused: list[Refused] = []
    for found in read_sent(content, name):
        if isinstance(found, Refused):
            refused.append(found)
        elif len(texts) < most:
            texts.append(UploadedText(found.title, found.text))
        else:
            refused.append(Refused(name, Message("check.too_many", {"count": most})))
            break
    return texts, refused


def _copied(product: Product, text: str, source: Source) -> CopiedWork:
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
            CopiedPair(one, text[one.page_start : one.page_end], work_text[one.work_start : one.work_end])
            for one in source.comparison.passages
        ),
    )
