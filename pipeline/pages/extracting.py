"""Captured bytes to the text that is matched: what is read, less what the host shows everywhere."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.read_page import read_page
from pipeline.context import Context
from pipeline.matching.text_with_letters import Reading, keep_reading
from pipeline.outcome_of_step import Moved, each
from pipeline.pages.deciphering import DECIPHERED, deciphered
from pipeline.pages.learn_host_templates import learn_and_leave_out, learn_template, leave_out_template
from pipeline.pages.picture_budget import may_read
from pipeline.pages.read_pictures import PagePictures, pictures_of, styles_of
from pipeline.pages.text_tallies import tally, written_in
from pipeline.pages.texts_over_several_pages import (
    PART,
    PATIENCE,
    WAITING,
    follows,
    joined,
    part_of,
    tell_neighbours,
    waits,
)
from store.errors import NotFound
from store.messages import Message, message
from store.ports import Claim
from store.records import Capture, Page, PageText, Site, Step
from store.records.upkeep.problem import CRAWL

PageClaim = Claim[Page]
NO_TEXT = "no_text"
LOST = "lost"  # the word for a page of which a part cannot be read
MOST_LOST = 100  # parts of one page whose loss is told


def extract_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Captured bytes -> main text."""
    bodies = context.store.blobs.get_all({claim.record.capture.read_digest for claim in claims})
    sites = _sites_of(context, claims)
    captured = [(claim, claim.record.capture) for claim in claims]
    found, failed = each(
        captured,
        lambda claim, capture: _read(
            context, claim, sites.get(claim.record.site_id), bodies[capture.read_digest], capture
        ),
    )
    waiting = [claim for claim, one in found if one is None]
    read = [(claim, one) for claim, one in found if one is not None]
    for claim, one in read:
        for reason in one.lost[:MOST_LOST]:
            context.store.problems.put(CRAWL, claim.record.url, reason, context.now(), kind=LOST)
    whole = [(claim, one) for claim, one in read if not _in_parts(claim.record, one)]
    parts = [(claim, one) for claim, one in read if _in_parts(claim.record, one)]
    moved = _kept(context, [(*one, text) for one, text in zip(whole, _texts(context, whole), strict=True)], lease)
    told, also = each(parts, lambda claim, one: _extract_part(context, claim, one, lease))
    sent = context.store.pages.go_on(waiting, Step.READ_PICTURES, None)
    return Moved([*moved, *(claim for _, some in told for claim in some), *sent], [*failed, *also])


def _sites_of(context: Context, claims: Sequence[PageClaim]) -> dict[str | None, Site]:
    """The watched sites of these pages, by their ids; a site that is watched no longer is not among them."""
    sites: dict[str | None, Site] = {}
    for id in {claim.record.site_id for claim in claims} - {None}:
        with suppress(NotFound):
            sites[id] = context.store.sites.get(str(id))
    return sites


def _read(context: Context, claim: PageClaim, site: Site | None, body: bytes, capture: Capture) -> ExtractedPage | None:
    """What a page says; None where its pictures are to be read first."""
    pictures = pictures_of(context, capture, body)
    if pictures.unread and may_read(context, claim.record):
        return None
    text_at = site.text_at if site else None
    extracted = read_page(body, capture.read_headers, capture.url, pictures.texts, text_at, styles_of(context, capture))
    if extracted.scans and may_read(context, claim.record):
        return None
    shown = deciphered(context, claim.record, site, body, capture.read_headers, extracted)
    return replace(shown, lost=(*shown.lost, *_lost(pictures, extracted)))


def _lost(pictures: PagePictures, extracted: ExtractedPage) -> tuple[Message, ...]:
    """Why what is written in pictures is no part of the text."""
    unread = pictures.unread + len(extracted.scans)
    return (*pictures.lost, message("pictures.unread", count=unread)) if unread else pictures.lost


def _in_parts(page: Page, read: ExtractedPage) -> bool:
    """Whether the page is one of several that make a text, or was."""
    place = read.place
    return page.part is not None or place.previous_page is not None or place.next_page is not None


def _texts(context: Context, read: Sequence[tuple[PageClaim, ExtractedPage]]) -> list[str]:
    """What is matched of each page; the new ones of a host teach its template in this order. A file stays whole, so
    that its places stay true, and so does what was read from pictures.
    """
    left = {claim.id: one.text for claim, one in read if one.parts or one.pictures}
    first = [(claim.record.host, claim.id, one.text) for claim, one in read if claim.record.version == 0]
    for host in {host for host, id, _ in first if id not in left}:
        new = [(id, text) for where, id, text in first if where == host and id not in left]
        texts = learn_and_leave_out(context, host, [text for _, text in new])
        left |= {id: text for (id, _), text in zip(new, texts, strict=True)}
    for claim, one in read:
        if claim.id not in left:
            left[claim.id] = leave_out_template(context, claim.record.host, one.text)
    return [left[claim.id] for claim, _ in read]


def _extract_part(
    context: Context, claim: PageClaim, extracted: ExtractedPage, lease: timedelta | None
) -> list[PageClaim]:
    """A page that is one of several; none where it waits for the one before it, or its claim was lost."""
    page = claim.record
    part = part_of(context, extracted)
    if part != page.part and not context.store.pages.set_part(claim, part):
        return []
    if waits(context, part):
        context.store.pages.release(claim, due=context.now() + PATIENCE, problem=WAITING, counts=False)
        return []
    if page.version == 0:
        learn_template(context, page.host, extracted.text)
    further = follows(context, page.url, part)
    text = "" if further else leave_out_template(context, page.host, joined(context, page.url, part, extracted.text))
    moved = _kept(context, [(claim, extracted, text)], lease, note=PART if further else None)
    if part is not None:
        for one in moved:
            tell_neighbours(context, context.store.pages.get(one.id))
    return moved


def _kept(
    context: Context,
    read: Sequence[tuple[PageClaim, ExtractedPage, str]],
    lease: timedelta | None,
    *,
    note: str | None = None,
) -> list[PageClaim]:
    """Keep the texts, then the pages that name them. note: what is said of the pages in any case."""
    shown = [text for _, _, text in read if text]
    digests = dict(zip(shown, context.store.blobs.put_texts(shown), strict=True)) if shown else {}
    for text, digest in digests.items():
        keep_reading(context, digest, Reading(text))
    texts = [
        (
            claim,
            PageText(
                text_digest=digests.get(text),
                length=len(text),
                title=extracted.title,
                author=extracted.author,
                published_at=extracted.published_at,
                charset=extracted.charset,
                note=note or _note(extracted, text),
                **written_in(extracted, text),
            ),
        )
        for claim, extracted, text in read
    ]
    moved = context.store.pages.set_texts(texts, Step.FINGERPRINT, lease)
    tally(context, {claim.id: claim.record for claim, _, _ in read}, [claim.record for claim in moved])
    return moved


def _note(extracted: ExtractedPage, text: str) -> str | None:
    if not text:
        return NO_TEXT
    return DECIPHERED if extracted.deciphered else None
