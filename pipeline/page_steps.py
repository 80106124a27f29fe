"""The way of a page, from its captured bytes to its cases."""

from crawler.extract.page import RENDERED_HEADERS, extract
from pipeline.context import App
from pipeline.matching import fingerprints
from pipeline.matching.clustering import join_near_pages, join_near_works, page_member, tell_cases
from pipeline.matching.fingerprints import tried_before
from pipeline.matching.licensed import credited
from pipeline.matching.look_up import Source, match_of, sources_among, works_like_page
from pipeline.pages.host_templates import learn_template, leave_out_template
from pipeline.pages.page_parts import PART, PATIENCE, WAITING, follows, joined, part_of, tell_neighbours, waits
from pipeline.pages.vanished_pages import mark_cases_gone
from store.ports import Claim
from store.records import Case, CaseStatus, Match, OwnerKind, Page, Step, Work

PageClaim = Claim[Page]


def extract_page(app: App, claim: PageClaim) -> Step | None:
    """Captured bytes -> main text."""
    capture = claim.record.capture
    headers = capture.headers if capture.rendered_digest is None else RENDERED_HEADERS
    extracted = extract(app.store.blobs.get(capture.rendered_digest or capture.body_digest), headers, capture.url)
    page = claim.record
    part = part_of(app, extracted)
    if part != page.part and not app.store.pages.set_part(claim, part):
        return None
    if waits(app, part):
        app.store.pages.release(claim, due=app.now() + PATIENCE, problem=WAITING, counts=False)
        return None
    if page.version == 0:
        learn_template(app, page.host, extracted.text)
    further = follows(app, page.url, part)
    text = "" if further else leave_out_template(app, page.host, joined(app, page.url, part, extracted.text))
    read = app.store.pages.set_text(
        claim,
        text_digest=app.store.blobs.put_text(text) if text else None,
        length=len(text),
        title=extracted.title,
        author=extracted.author,
        published_at=extracted.published_at,
        charset=extracted.charset,
        note=PART if further else (None if text else "no_text"),
        next_step=Step.FINGERPRINT,
    )
    if read is not None and part is not None:
        tell_neighbours(app, read)
    return read.progress.step if read else None


def fingerprint_page(app: App, claim: PageClaim) -> Step | None:
    """Text -> fingerprints."""
    fingerprints.fingerprint(app, OwnerKind.PAGE, claim.id, claim.record.version, text_of(app, claim.record))
    return _on(app, claim, Step.INDEX)


def index_page(app: App, claim: PageClaim) -> Step | None:
    """Fingerprints -> the index over pages, so that a work that comes in later finds this page; its near duplicates
    among them.
    """
    page = claim.record
    fingerprints.index(app, OwnerKind.PAGE, claim.id, again=tried_before(page.progress))
    join_near_pages(app, page, text_of(app, page))
    return _on(app, claim, Step.LOOK_UP)


def look_up_page(app: App, claim: PageClaim) -> Step | None:
    """Text -> the works that it may be copied from, ranked."""
    page = claim.record
    ranked = works_like_page(app, page, text_of(app, page))
    return Step.ALIGN if app.store.pages.set_candidates(claim, ranked, Step.ALIGN) else None


def align_page(app: App, claim: PageClaim) -> Step | None:
    """Candidates -> passages, matches, cases. What an earlier look found and this one does not is marked as gone."""
    page = claim.record
    found = sources_among(app, text_of(app, page), app.store.pages.candidates(claim.id))
    matched, accused = set(), set()
    for source in found:
        match = match_of(app, source, page.id, page.version, OwnerKind.PAGE, page.id)
        app.store.matches.put(match)
        matched.add(match.id)
        if source.accuse and not _at_home(app, page, source.work):
            app.store.cases.open_or_update(_case(app, page, source, match))
            accused.add(match.id)
    join_near_works(app, page_member(page), found)
    tell_cases(app, page.id)
    _mark_gone(app, page, matched, accused)
    if app.store.pages.get(page.id).gone_at is not None:  # what it showed before it vanished
        mark_cases_gone(app, page.id)
    return _on(app, claim, Step.DONE)


def text_of(app: App, page: Page) -> str:
    """The main text of the page's newest capture; empty where it has none."""
    return app.store.blobs.get_text(page.text_digest) if page.text_digest else ""


def _at_home(app: App, page: Page, work: Work) -> bool:
    """Whether this is the holder's own site."""
    return work.owner is not None and app.store.holders.at_home(work.owner, page.url)


def _on(app: App, claim: PageClaim, to: Step) -> Step | None:
    return to if app.store.pages.advance(claim, to) else None


def _mark_gone(app: App, page: Page, matched: set[str], accused: set[str]) -> None:
    gone = [match.id for match in app.store.matches.of_page(page.id) if match.id not in matched]
    app.store.matches.remove(gone)
    open_cases = app.store.cases.find(page_id=page.id, limit=1000)
    app.store.cases.mark_absent([case.id for case in open_cases if case.present and case.id not in accused], app.now())


def _case(app: App, page: Page, source: Source, match: Match) -> Case:
    now = app.now()
    licence = app.store.licences.covering(page.url, source.work.id, page.capture.fetched_at)
    assert page.text_digest
    return Case(
        id=match.id,
        number=0,  # the store gives the next one
        page_id=page.id,
        work_id=source.work.id,
        status=CaseStatus.LEAD,
        opened_at=now,
        updated_at=now,
        match=match,
        capture=page.capture,
        page_url=page.url,
        page_host=page.host,
        page_title=page.title,
        page_text_digest=page.text_digest,
        work_title=source.work.title,
        work_text_digest=source.work.text_digest,
        licence_id=licence.id if licence else None,
        credited=credited(app, licence, text_of(app, page), page.capture),
    )
