"""The way of a page, from its captured bytes to its cases."""

from crawler.extract.page import RENDERED_HEADERS, ExtractedPage
from crawler.extract.read_page import read_page
from pipeline.context import Context
from pipeline.matching import fingerprints
from pipeline.matching.clustering import join_near_pages, join_near_works, page_member, tell_cases
from pipeline.matching.fingerprints import tried_before
from pipeline.matching.look_up import sources_among, works_like_page
from pipeline.matching.page_cases import keep_matches, mark_lost, open_cases
from pipeline.matching.reading import Reading
from pipeline.matching.suspicion_cases import open_suspicions
from pipeline.pages.host_templates import learn_template, leave_out_template
from pipeline.pages.page_parts import PART, PATIENCE, WAITING, follows, joined, part_of, tell_neighbours, waits
from pipeline.pages.vanished_pages import mark_cases_gone
from store.ports import Claim
from store.records import OwnerKind, Page, Part, Step
from store.records.upkeep.problem import CRAWL

LOST = "lost"  # the word for a page of which a part cannot be read
PageClaim = Claim[Page]


def extract_page(context: Context, claim: PageClaim) -> Step | None:
    """Captured bytes -> main text."""
    capture = claim.record.capture
    headers = capture.headers if capture.rendered_digest is None else RENDERED_HEADERS
    extracted = read_page(context.store.blobs.get(capture.rendered_digest or capture.body_digest), headers, capture.url)
    page = claim.record
    for reason in extracted.lost:
        context.store.problems.put(CRAWL, page.url, reason, context.now(), kind=LOST)
    part = part_of(context, extracted)
    if part != page.part and not context.store.pages.set_part(claim, part):
        return None
    if waits(context, part):
        context.store.pages.release(claim, due=context.now() + PATIENCE, problem=WAITING, counts=False)
        return None
    further = follows(context, page.url, part)
    text = "" if further else _own_text(context, page, extracted, part)
    read = context.store.pages.set_text(
        claim,
        text_digest=context.store.blobs.put_text(text) if text else None,
        length=len(text),
        title=extracted.title,
        author=extracted.author,
        published_at=extracted.published_at,
        charset=extracted.charset,
        note=PART if further else (None if text else "no_text"),
        next_step=Step.FINGERPRINT,
    )
    if read is not None and part is not None:
        tell_neighbours(context, read)
    return read.progress.step if read else None


def _own_text(context: Context, page: Page, extracted: ExtractedPage, part: Part | None) -> str:
    """With the pages that go on from it, and without what the host repeats; a file stays whole, so that its places
    stay true.
    """
    if extracted.parts:
        return extracted.text
    if page.version == 0:
        learn_template(context, page.host, extracted.text)
    return leave_out_template(context, page.host, joined(context, page.url, part, extracted.text))


def fingerprint_page(context: Context, claim: PageClaim) -> Step | None:
    """Text -> fingerprints."""
    text = _reading(context, claim.record).text
    fingerprints.fingerprint(context, OwnerKind.PAGE, claim.id, claim.record.version, text)
    return _on(context, claim, Step.INDEX)


def index_page(context: Context, claim: PageClaim) -> Step | None:
    """Fingerprints -> the index over pages, so that a work that comes in later finds this page; its near duplicates
    among them.
    """
    page = claim.record
    fingerprints.index(context, OwnerKind.PAGE, claim.id, again=tried_before(page.progress))
    join_near_pages(context, page, _reading(context, page))
    return _on(context, claim, Step.LOOK_UP)


def look_up_page(context: Context, claim: PageClaim) -> Step | None:
    """Text -> the works that it may be copied from, ranked."""
    page = claim.record
    ranked = works_like_page(context, page, _reading(context, page))
    return Step.ALIGN if context.store.pages.set_candidates(claim, ranked, Step.ALIGN) else None


def align_page(context: Context, claim: PageClaim) -> Step | None:
    """Candidates -> passages, matches, cases. Then what no letter shows, as suspicions. What an earlier look found and
    this one does not is marked as gone.
    """
    page, reading = claim.record, _reading(context, claim.record)
    found = sources_among(context, reading, context.store.pages.candidates(claim.id))
    kept = keep_matches(context, page, found)
    accused = open_cases(context, page, reading, kept)
    suspicions = open_suspicions(context, page, reading.text, [one for one in found if one.copied])
    join_near_works(context, page_member(page), found)
    tell_cases(context, page.id)
    mark_lost(context, page, kept, accused | suspicions)
    if context.store.pages.get(page.id).gone_at is not None:  # what it showed before it vanished
        mark_cases_gone(context, page.id)
    return _on(context, claim, Step.DONE)


def _reading(context: Context, page: Page) -> Reading:
    """The main text of the page's newest capture; empty where it has none."""
    return Reading(context.store.blobs.get_text(page.text_digest) if page.text_digest else "")


def _on(context: Context, claim: PageClaim, to: Step) -> Step | None:
    return to if context.store.pages.advance(claim, to) else None
