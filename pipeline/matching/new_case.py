"""A case as it is opened: what was found, and the page and the work as they were looked at."""

from pipeline.context import Context
from pipeline.full_capture import full_capture
from pipeline.matching.licensed_cases import credited
from store.records import Case, CaseStatus, Licence, Match, Page, Work


def new_case(
    context: Context,
    page: Page,
    text: str,
    work: Work,
    match: Match,
    status: CaseStatus,
    licence: Licence | None,
    found: Match | None = None,
) -> Case:
    """text: the page's. licence: the one that covers the page. found: the match with what people excluded; None where
    they excluded nothing of it.
    """
    now = context.now()
    assert page.text_digest
    return Case(
        id=match.id,
        number=0,  # the store gives the next one
        page_id=page.id,
        work_id=work.id,
        status=status,
        opened_at=now,
        updated_at=now,
        match=match,
        found=found,
        capture=full_capture(context.store, page.id, page.capture),
        page_url=page.url,
        page_host=page.host,
        page_title=page.title,
        page_text_digest=page.text_digest,
        work_title=work.title,
        work_text_digest=work.text_digest,
        licence_id=licence.id if licence else None,
        credited=credited(context, licence, text, page.capture),
    )
