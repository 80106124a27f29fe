"""Build the screen of a case, and compare two captures of its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, render_template, request, url_for

from dashboard.cases.queue_page import queue_place
from dashboard.cases.selection import describe_undoable, list_moves, requested_filter
from dashboard.cases.side_by_side import (
    PageSource,
    case_texts,
    cases_of_same_text,
    has_copied_letters,
    largest_source,
    number_passages,
    page_sources,
    ruler_bands,
    sentences_as_passages,
    source_stretches,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.display import weigh_reasons, worth_text
from dashboard.frame.security import needs
from matcher.alignment.aligned_span import Side, copied_length
from wenhen.accounts.users import get_preferences
from wenhen.cases.decisions import (
    MAX_ASSIGNEE_CHARACTERS,
    MAX_COURT_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    judgement_statuses,
    open_statuses,
    required_grounds,
)
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.page_history import MAX_SHOWN_CAPTURES, compare_captures, list_fetches
from wenhen.cases.passages import find_passage_places
from wenhen.cases.rules import STATUSES_WITH_REASON, proposed_status
from wenhen.cases.service import MAX_COMMENT_CHARACTERS, find_removed_works, load_site_record
from wenhen.evidence.exhibits import find_case_exhibits
from wenhen.exclusions.model import Exclusion, ExclusionScope
from wenhen.exclusions.service import find_case_exclusions, may_exclude, propose_exclusions
from wenhen.kit.clock import working_days_after
from wenhen.kit.rights import Right
from wenhen.notices.platforms import all_platforms
from wenhen.notices.sending import find_case_notices
from wenhen.pages.service import posts_of_case


@dataclass(frozen=True, slots=True)
class CaseExclusions:
    """What is left out of a case, with what this reader may take back, and the scopes that are open to them."""

    rows: list[tuple[Exclusion, bool]]
    scopes: list[ExclusionScope]
    proposed: list[Exclusion]
    whys: tuple[str, ...] = ("licence", "quotation", "public", "form")


def case_exclusions(case: Case) -> CaseExclusions:
    """As the case screen shows it."""
    held = find_case_exclusions(services().product, case)
    scopes = [scope for scope in ExclusionScope if may_exclude(current_actor(), scope)]
    alike = propose_exclusions(services().product, case) if scopes else []
    return CaseExclusions([(exclusion, exclusion.scope in scopes) for exclusion in held], scopes, alike)


# The screen of a case: the two texts side by side, why it is one, where it stands, and what may be done.


_MAX_OTHER_COPIES: Final = 6
_MAX_OTHER_WORKS: Final = 30  # of one page, listed
_MAX_SOURCES: Final = 200  # of one page, marked in its text
UNMATCHED_MARK: Final = "unmatched"  # in the address, beside the numbers of cases
_STATUS_PATH: Final = (
    (CaseStatus.LEAD,),
    (CaseStatus.CONFIRMED,),
    (CaseStatus.NOTICE_SENT,),
    (CaseStatus.REMOVED, CaseStatus.REFUSED, CaseStatus.COUNTERED),
    (CaseStatus.ESCALATED,),
    (CaseStatus.COURT,),
    (CaseStatus.SETTLED, CaseStatus.LICENSED, CaseStatus.CLOSED),
)
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


def render_case(case: Case, refusal: str | None = None, mend: str | None = None) -> str:
    """The screen. refusal: why nothing was decided or said; mend: where that is put right."""
    case = sentences_as_passages(case)
    also = _other_cases_of_page(case)
    return render_template(
        "cases/case.html",
        case=case,
        match=case.match,
        refusal=refusal,
        mend=mend,
        **_text_context(case, also),
        **_reason_context(case),
        **_other_copies(case, also),
        **_page_context(case),
        **_status_context(case),
        **_queue_context(case),
        **_form_limits(),
    )


def _text_context(case: Case, also: Sequence[Case]) -> dict[str, Any]:
    """Both texts with their passages, and what the page has from other works."""
    each = _case_sources(case, also)
    shown = _marked_sources(each)
    both = case_texts(services().product, case, each, shown)
    passages = number_passages(case.match)
    places, pictured = find_passage_places(services().product, case)
    return {
        "texts": both,
        "passages": passages,
        "by_length": sorted(passages, key=lambda row: -copied_length([row[1]], Side.PAGE)),
        "places": places,
        "pictured": pictured,
        "posted": posts_of_case(services().product, case),
        "bands": ruler_bands(passages, both.page.length, both.work.length),
        "sources": each,
        "from_others": [(source, source_stretches(source.case.match, both.page.length)) for source in each[1:]],
        "share_together": both.share_together,
        "largest": largest_source(each),
        "shown": shown,
        "unmatched_shown": UNMATCHED_MARK in (_requested_marks() or [UNMATCHED_MARK]),
    }


def _reason_context(case: Case) -> dict[str, Any]:
    """Why it is a case, and what was left out of it."""
    return {
        "worth": worth_text(case.match),
        "reasons": weigh_reasons(case.match.reasons),
        "certain": services().product.settings.matcher.certain_score,
        "left_out": case_exclusions(case),
    }


def _other_copies(case: Case, also: Sequence[Case]) -> dict[str, Any]:
    """Other copies of the work, the newest, and other works that the page copies."""
    cases = services().store.cases
    copies = cases.find(work_id=case.work_id, limit=_MAX_OTHER_COPIES + 1)
    return {
        "copies": [copy for copy in copies if copy.id != case.id][:_MAX_OTHER_COPIES],
        "copy_count": cases.count(work_id=case.work_id) - 1,
        "also": also[:_MAX_OTHER_WORKS],
        "more_sources": cases.count(page_id=case.page_id) - 1 - len(also) if len(also) == _MAX_SOURCES else 0,
    }


def _page_context(case: Case) -> dict[str, Any]:
    """What is known of the page: its captures, what its server said, whether it is gone, who may carry the work."""
    product, store = services().product, services().store
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    return {
        "fetches": list_fetches(product, case.page_id, case.capture),
        "fetches_shown": MAX_SHOWN_CAPTURES,
        "headers": [(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        "vanished": next(
            (page for page in store.pages.many([case.page_id]).values() if page.gone_at is not None), None
        ),
        "licence": licences.get(case.licence_id or ""),
        "removed": find_removed_works(product, [case]),
        "exhibits": find_case_exhibits(product, case.number),
        "site_record": load_site_record(product, case),
        "notices": find_case_notices(product, case.number),
        "found_by_search": store.discoveries.of_case(case.number),
        "receivers": {platform.id: platform for platform in all_platforms(product)},
    }


def _status_context(case: Case) -> dict[str, Any]:
    """Where it stands on its path, where it may go from there, and what was said of it."""
    store, following = services().store, open_statuses(current_actor(), case)
    return {
        "steps": _STATUS_PATH,
        "passed": {move.status for move in case.history} | ({CaseStatus.LEAD} if has_copied_letters(case) else set()),
        "following": following,
        "explained": list_moves(status for status in following if status in STATUSES_WITH_REASON),
        "judged": judgement_statuses(current_actor(), case),
        "proposed": proposed_status(case),
        "comments": store.comments.of_case(case.number),
        "grounds": required_grounds(services().product),
        "people": [user.name for user in store.users.all()],
        **_deadline_context(case),
    }


def _deadline_context(case: Case) -> dict[str, Any]:
    """Until when a counter-notice has to be answered at the very latest, and where that stands."""
    notice = services().product.settings.notice
    counts = case.status is CaseStatus.COUNTERED and case.deadline is not None
    latest = working_days_after(case.deadline, notice.counter_delay) if counts and case.deadline else None
    return {"counter_latest": latest, "counter_source": notice.counter_source, "counter_delay": notice.counter_delay}


def _queue_context(case: Case) -> dict[str, Any]:
    """The list that it was opened from, and what follows there."""
    chosen = requested_filter()
    return {
        "place": queue_place(case, chosen),
        "here": chosen.arguments(),
        "take_back": url_for("case.undo", number=case.number, _external=False, **chosen.arguments()),
        "goes_on": get_preferences(current_actor()).goes_on,
        "undoable": describe_undoable(),
    }


def _form_limits() -> dict[str, Any]:
    """How long what is written into the forms may be."""
    return {
        "note_length": MAX_NOTE_CHARACTERS,
        "court_length": MAX_COURT_CHARACTERS,
        "assignee_length": MAX_ASSIGNEE_CHARACTERS,
        "comment_length": MAX_COMMENT_CHARACTERS,
    }


def _other_cases_of_page(case: Case) -> list[Case]:
    """Other works that the page copies, the newest. No suspicion is a copy."""
    also = services().store.cases.find(page_id=case.page_id, limit=_MAX_SOURCES + 1)
    return [other for other in also if other.id != case.id and has_copied_letters(other) and has_copied_letters(case)][
        :_MAX_SOURCES
    ]


def _case_sources(case: Case, others: Sequence[Case]) -> list[PageSource]:
    same_text = cases_of_same_text(case, others)
    named = {id for source in same_text for id in source.match.also_in} - {source.work_id for source in same_text}
    titles = {id: work.title for id, work in services().store.works.many(named).items()}
    return page_sources(same_text, titles)


def _requested_marks() -> list[str] | None:
    """The cases that the address wants to see marked, and UNMATCHED; None where it does not say."""
    return request.args.getlist("shown") or None


def _marked_sources(sources: Sequence[PageSource]) -> set[int]:
    """The numbers of the sources that are marked; all unless the address says otherwise."""
    asked = _requested_marks()
    return {source.number for source in sources if asked is None or str(source.case.number) in asked}


captures_blueprint = Blueprint("captures", __name__, url_prefix="/cases")


@captures_blueprint.get("/<int:number>/captures/<int:moment>")
@needs(Right.READ)
def show(number: int, moment: int) -> str:
    """What changed in the page's text from the capture before to this one."""
    case = services().store.cases.get(str(number))
    return render_template(
        "cases/capture.html", case=case, comparison=compare_captures(services().product, case.page_id, moment)
    )
