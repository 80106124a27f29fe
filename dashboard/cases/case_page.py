"""The screen of a case: the two texts side by side, why it is one, where it stands, and what may be done."""

from collections.abc import Sequence
from typing import Any, Final

from flask import render_template, request, url_for

from dashboard.cases import readers_decisions
from dashboard.cases.exclusions import left_out
from dashboard.cases.queue.queue_place import place
from dashboard.cases.queue.suspect_filter import wanted
from dashboard.cases.side_by_side.ruler import bands, source_stretches
from dashboard.cases.side_by_side.sources import PageSource, found_together, largest, sources, together
from dashboard.cases.side_by_side.suspicion import is_copied, with_sentences
from dashboard.cases.side_by_side.texts import numbered, texts
from dashboard.frame.context import acting, services
from dashboard.frame.reason_words import weighed, worth_text
from matcher.verdict.copied_shares import Side, copied
from services.cases import assignments, comments
from services.cases.decisions import COURT_LENGTH, NOTE_LENGTH, grounds_asked, judgements, open_to
from services.cases.page_history import SHOWN, fetches
from services.cases.passage_places import places_of
from services.cases.removed_works import removed_works
from services.cases.site_record import site_record
from services.evidence.exhibits import of_case
from services.notices.platforms import platforms
from services.notices.sent_and_answered import of_case as of_notices
from services.people import preferences
from services.texts.posts import posts_of_case
from store.records import Case, CaseStatus
from store.rules.cases.case_path import NEEDS_REASON
from store.rules.cases.gone_or_back import proposed
from store.rules.working_days import working_days_after

_OTHERS: Final = 6
_WORKS: Final = 30  # of one page, listed
_SOURCES: Final = 200  # of one page, marked in its text
UNMATCHED: Final = "unmatched"  # in the address, beside the numbers of cases
_PATH: Final = (
    (CaseStatus.LEAD,),
    (CaseStatus.CONFIRMED,),
    (CaseStatus.NOTICE_SENT,),
    (CaseStatus.REMOVED, CaseStatus.REFUSED, CaseStatus.COUNTERED),
    (CaseStatus.ESCALATED,),
    (CaseStatus.COURT,),
    (CaseStatus.SETTLED, CaseStatus.LICENSED, CaseStatus.CLOSED),
)
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


def case_page(case: Case, refusal: str | None = None, mend: str | None = None) -> str:
    """The screen. refusal: why nothing was decided or said; mend: where that is put right."""
    case = with_sentences(case)
    also = _also(case)
    return render_template(
        "cases/case.html",
        case=case,
        match=case.match,
        refusal=refusal,
        mend=mend,
        **_texts(case, also),
        **_weighed(case),
        **_others(case, also),
        **_page(case),
        **_standing(case),
        **_came_from(case),
        **_forms(),
    )


def _texts(case: Case, also: Sequence[Case]) -> dict[str, Any]:
    """Both texts with their passages, and what the page has from other works."""
    each = _sources(case, also)
    shown = _shown(each)
    both = texts(services().product, case, [one.case.match for one in each], shown)
    passages = numbered(case.match)
    places, pictured = places_of(services().product, case)
    return {
        "texts": both,
        "passages": passages,
        "by_length": sorted(passages, key=lambda row: -copied([row[1]], Side.PAGE)),
        "places": places,
        "pictured": pictured,
        "posted": posts_of_case(services().product, case),
        "bands": bands(passages, both.page.length, both.work.length),
        "sources": each,
        "from_others": [(one, source_stretches(one.case.match, both.page.length)) for one in each[1:]],
        "share_together": together(each, both.page.length),
        "largest": largest(each),
        "shown": shown,
        "unmatched_shown": UNMATCHED in (_asked() or [UNMATCHED]),
    }


def _weighed(case: Case) -> dict[str, Any]:
    """Why it is a case, and what was left out of it."""
    return {
        "worth": worth_text(case.match),
        "reasons": weighed(case.match.reasons),
        "certain": services().product.settings.matcher.certain_score,
        "left_out": left_out(case),
    }


def _others(case: Case, also: Sequence[Case]) -> dict[str, Any]:
    """Other copies of the work, the newest, and other works that the page copies."""
    cases = services().store.cases
    copies = cases.find(work_id=case.work_id, limit=_OTHERS + 1)
    return {
        "copies": [one for one in copies if one.id != case.id][:_OTHERS],
        "copy_count": cases.count(work_id=case.work_id) - 1,
        "also": also[:_WORKS],
        "more_sources": cases.count(page_id=case.page_id) - 1 - len(also) if len(also) == _SOURCES else 0,
    }


def _page(case: Case) -> dict[str, Any]:
    """What is known of the page: its captures, what its server said, whether it is gone, who may carry the work."""
    product, store = services().product, services().store
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    return {
        "fetches": fetches(product, case.page_id, case.capture),
        "fetches_shown": SHOWN,
        "headers": [(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        "vanished": next((one for one in store.pages.many([case.page_id]).values() if one.gone_at is not None), None),
        "licence": licences.get(case.licence_id or ""),
        "removed": removed_works(product, [case]),
        "exhibits": of_case(product, case.number),
        "site_record": site_record(product, case),
        "notices": of_notices(product, case.number),
        "found_by_search": store.discoveries.of_case(case.number),
        "receivers": {one.id: one for one in platforms(product)},
    }


def _standing(case: Case) -> dict[str, Any]:
    """Where it stands on its path, where it may go from there, and what was said of it."""
    store, following = services().store, open_to(acting(), case)
    return {
        "steps": _PATH,
        "passed": {move.status for move in case.history} | ({CaseStatus.LEAD} if is_copied(case) else set()),
        "following": following,
        "explained": readers_decisions.listed(status for status in following if status in NEEDS_REASON),
        "judged": judgements(acting(), case),
        "proposed": proposed(case),
        "comments": store.comments.of_case(case.number),
        "grounds": grounds_asked(services().product),
        "people": [user.name for user in store.users.all()],
        **_clock(case),
    }


def _clock(case: Case) -> dict[str, Any]:
    """Until when a counter-notice has to be answered at the very latest, and where that stands."""
    notice = services().product.settings.notice
    counts = case.status is CaseStatus.COUNTERED and case.deadline is not None
    latest = working_days_after(case.deadline, notice.counter_delay) if counts and case.deadline else None
    return {"counter_latest": latest, "counter_source": notice.counter_source, "counter_delay": notice.counter_delay}


def _came_from(case: Case) -> dict[str, Any]:
    """The list that it was opened from, and what follows there."""
    chosen = wanted()
    return {
        "place": place(case, chosen),
        "here": chosen.arguments(),
        "take_back": url_for("case.undo", number=case.number, _external=False, **chosen.arguments()),
        "goes_on": preferences.preferences(acting()).goes_on,
        "undoable": readers_decisions.undoable(),
    }


def _forms() -> dict[str, Any]:
    """How long what is written into the forms may be."""
    return {
        "note_length": NOTE_LENGTH,
        "court_length": COURT_LENGTH,
        "assignee_length": assignments.ASSIGNEE_LENGTH,
        "comment_length": comments.COMMENT_LENGTH,
    }


def _also(case: Case) -> list[Case]:
    """Other works that the page copies, the newest. No suspicion is a copy."""
    also = services().store.cases.find(page_id=case.page_id, limit=_SOURCES + 1)
    return [one for one in also if one.id != case.id and is_copied(one) and is_copied(case)][:_SOURCES]


def _sources(case: Case, others: Sequence[Case]) -> list[PageSource]:
    found = found_together(case, others)
    named = {id for one in found for id in one.match.also_in} - {one.work_id for one in found}
    titles = {id: work.title for id, work in services().store.works.many(named).items()}
    return sources(found, titles)


def _asked() -> list[str] | None:
    """The cases that the address wants to see marked, and UNMATCHED; None where it does not say."""
    return request.args.getlist("shown") or None


def _shown(sources: Sequence[PageSource]) -> set[int]:
    """The numbers of the sources that are marked; all unless the address says otherwise."""
    asked = _asked()
    return {one.number for one in sources if asked is None or str(one.case.number) in asked}
