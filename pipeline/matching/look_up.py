"""A text looked up in an index, and two texts compared: what works, pages and `scan` share."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate

from fingerprinter.features.packing import SEGMENT_LETTERS
from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.alignment.furniture import without_furniture
from matcher.find import THOROUGHLY, Comparison, candidates, compare, settle
from matcher.ranking.narrowing import Narrowing
from matcher.verdict.attribution import attribution
from pipeline.context import App
from pipeline.matching.calibration import present_calibration
from store.errors import NotFound
from store.records import Candidate, Match, OwnerKind, Page, Work

LETTERS_TOGETHER = 4_000_000  # of works that are fetched at a time


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text copies, and how."""

    work: Work
    candidate: Candidate
    comparison: Comparison
    accuse: bool  # it opens a case
    attribution: tuple[str, ...]  # message keys: how far the text names the work as its source


def works_like(app: App, text: str) -> list[Candidate]:
    """The works that a text may be copied from, the likeliest first."""
    return _owners_like(app, OwnerKind.WORK, text)[: app.settings.matcher.candidates]


def works_like_page(app: App, page: Page, text: str) -> list[Candidate]:
    """The same for a page, of the sizes and kinds that the settings allow."""
    settings = app.settings.matcher
    narrowing = Narrowing(settings.size_within, settings.same_kind)
    if not narrowing:
        return works_like(app, text)
    ranked = _owners_like(app, OwnerKind.WORK, text)
    kind = _kind_of_site(app, page.site_id)
    works = app.store.works.many([one.owner_id for one in ranked]).values()
    allowed = {work.id for work in works if narrowing.allows(page.length, kind, work.length, work.kind)}
    return [one for one in ranked if one.owner_id in allowed][: settings.candidates]


def pages_like(app: App, text: str) -> list[str]:
    """The pages that a text may have been copied to; ids."""
    return [one.owner_id for one in _owners_like(app, OwnerKind.PAGE, text)]


def sources_among(app: App, text: str, ranked: Sequence[Candidate]) -> list[Source]:
    """The candidates that really share passages with the text, by the close comparison, the strongest first."""
    letters = read_letters(text)
    kept = without_furniture(letters.codes)
    calibration = present_calibration(app)
    works = app.store.works.many([one.owner_id for one in ranked])
    present = [one for one in ranked if one.owner_id in works and works[one.owner_id].removed_at is None]
    found = []
    texts = _with_texts(app, [(one, works[one.owner_id]) for one in present])
    for place, (candidate, work, work_text) in enumerate(texts):
        comparison = compare(
            text, letters, work_text, read_letters(work_text), calibration, thorough=place < THOROUGHLY, kept=kept
        )
        if comparison is not None:
            said = attribution(text, comparison.passages, title=work.title, author=work.author)
            found.append((work, candidate, comparison, said))
    least = app.settings.matcher.open_score
    formulaic = max((one.formulaic for one in ranked), default=0.0)
    settled = settle([comparison for _, _, comparison, _ in found], formulaic=formulaic)
    sources = [
        Source(work, candidate, comparison, comparison.accuse and comparison.verdict.score >= least, said)
        for (work, candidate, _, said), comparison in zip(found, settled, strict=True)
    ]
    return sorted(sources, key=lambda source: -source.comparison.verdict.weight)


def match_of(app: App, source: Source, page_id: str, page_version: int, side: OwnerKind, owner_id: str) -> Match:
    """What is kept of a comparison. side, owner_id: whose fingerprints stand for the page's side."""
    work, verdict = source.work, source.comparison.verdict
    return Match(
        id=f"{page_id}:{work.id}",
        page_id=page_id,
        page_version=page_version,
        work_id=work.id,
        work_version=work.version,
        page_fingerprints=tuple(one.id for one in app.store.fingerprints.of(side, owner_id)),
        work_fingerprints=tuple(one.id for one in app.store.fingerprints.of(OwnerKind.WORK, work.id)),
        hits=source.candidate.hits,
        similarity=verdict.similarity,
        score=verdict.score,
        weight=verdict.weight,
        share_of_page=verdict.share_of_page,
        share_of_work=verdict.share_of_work,
        longest_run=verdict.longest_run,
        level=verdict.level,
        reasons=(*verdict.reasons, *source.attribution),
        passages=source.comparison.passages,
        matched_at=app.now(),
    )


def _kind_of_site(app: App, site_id: str | None) -> str | None:
    """What the site carries; None for a single address, and once the site is watched no more."""
    with suppress(NotFound):
        return app.store.sites.get(site_id).kind if site_id else None
    return None


def _with_texts(app: App, works: Sequence[tuple[Candidate, Work]]) -> Iterator[tuple[Candidate, Work, str]]:
    """Works with their texts, which are fetched together, as many at a time as the memory bears."""
    waiting = list(works)
    while waiting:
        ends = accumulate(work.length for _, work in waiting)
        count = max(1, sum(end <= LETTERS_TOGETHER for end in ends))
        texts = app.store.blobs.get_texts([work.text_digest for _, work in waiting[:count]])
        for candidate, work in waiting[:count]:
            yield candidate, work, texts[work.text_digest]
        del waiting[:count]


def _owners_like(app: App, kind: OwnerKind, text: str) -> list[Candidate]:
    documents = app.store.fingerprints.reserved(kind)
    if not documents:  # a library is often imported before the first page is fetched
        return []
    merged: dict[str, Candidate] = {}
    for piece in _pieces(read_letters(text)):
        ranked = candidates(piece, app.index(kind), documents=documents)
        owners = app.store.fingerprints.owners(kind, [one.number for one in ranked])
        for one in ranked:
            if one.number not in owners:  # retired: an earlier version, or a work that was removed
                continue
            owner = owners[one.number]
            before = merged.get(owner.owner_id)
            merged[owner.owner_id] = Candidate(
                owner_id=owner.owner_id,
                owner_version=owner.owner_version,
                hits=one.hits + (before.hits if before else 0),
                expected=one.expected + (before.expected if before else 0.0),
                score=max(one.score, before.score if before else 0.0),
                formulaic=max(one.formulaic, before.formulaic if before else 0.0),
            )
    return sorted(merged.values(), key=lambda one: (-one.score, one.expected - one.hits))


def _pieces(letters: Letters) -> Iterator[Letters]:
    """A long text is looked up piece by piece, so that no single question is huge."""
    for begin in range(0, len(letters), SEGMENT_LETTERS):
        end = begin + SEGMENT_LETTERS
        yield Letters(letters.codes[begin:end], letters.starts[begin:end], letters.ends[begin:end], letters.length)
