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
from dashboard.frame.context import current_actor, enabled_people, numbered_case, services
from dashboard.frame.display import weigh_reasons, worth_text
from dashboard.frame.security import needs
from matcher.alignment.aligned_span import Side, copied_length
from wenhen.accounts.users import get_preferences
from wenhen.cases.comments_and_amounts import (
    DEFAULT_CURRENCY,
    MAX_AMOUNT_NOTE_CHARACTERS,
    MAX_COMMENT_CHARACTERS,
    is_changeable,
)
from wenhen.cases.decisions import (
    MAX_ASSIGNEE_CHARACTERS,
    MAX_COURT_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    judgement_statuses,
    open_statuses,
    required_grounds,
)
from wenhen.cases.model import AmountKind, Case, CaseStatus
from wenhen.cases.page_history import MAX_SHOWN_CAPTURES, compare_captures, list_fetches
from wenhen.cases.passages import find_passage_places
from wenhen.cases.rules import STATUSES_WITH_REASON, proposed_status
from wenhen.cases.service import find_removed_works
from wenhen.crawls.regions import regional_view
from wenhen.dossiers.service import load_site_record
from wenhen.evidence.exhibits import find_case_exhibits
from wenhen.exclusions.model import Exclusion, ExclusionScope
from wenhen.exclusions.service import find_case_exclusions, may_exclude, propose_exclusions
from wenhen.kit.clock import working_days_after
from wenhen.kit.rights import Right
from wenhen.marks.service import find_statement
from wenhen.notices.content import find_outdated_figures
from wenhen.notices.platforms import all_platforms
from wenhen.notices.sending import find_case_notices
from wenhen.pages.service import posts_of_case


@dataclass(frozen=True, slots=True)
class CaseExclusions:
    """The exclusions of a case with whether the reader may withdraw them, and the scopes open to the reader."""

    rows: list[tuple[Exclusion, bool]]
    scopes: list[ExclusionScope]
    proposed: list[Exclusion]
    whys: tuple[str, ...] = ("licence", "quotation", "public", "form")


def case_exclusions(case: Case) -> CaseExclusions:
    """Return the exclusions of a case for its screen."""
    held = find_case_exclusions(services().product, case)
    scopes = [scope for scope in ExclusionScope if may_exclude(current_actor(), scope)]
    alike = propose_exclusions(services().product, case) if scopes else []
    return CaseExclusions([(exclusion, exclusion.scope in scopes) for exclusion in held], scopes, alike)


# The screen of a case: both texts side by side, its reasons, its status, and the possible actions.


_MAX_OTHER_COPIES: Final = 6
_MAX_OTHER_WORKS: Final = 30  # of one page in the list
_MAX_SOURCES: Final = 200  # of one page marked in its text
CURRENCIES: Final = (DEFAULT_CURRENCY, "HKD", "TWD", "USD", "EUR", "GBP", "JPY")  # offered by the form
UNMATCHED_MARK: Final = "unmatched"  # value in the address, beside the case numbers
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
    """Render the screen of a case.

    `refusal` says why an action failed. `mend` is the address of the form that fixes it.
    """
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
    """Return both texts with their passages, and the page's other sources."""
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
    """Return the reasons of the case, and its exclusions."""
    return {
        "worth": worth_text(case.match),
        "reasons": weigh_reasons(case.match.reasons),
        "certain": services().product.settings.matcher.certain_score,
        "left_out": case_exclusions(case),
    }


def _other_copies(case: Case, also: Sequence[Case]) -> dict[str, Any]:
    """Return the newest other copies of the work, and the other works that the page copies."""
    cases = services().store.cases
    copies = cases.find(work_id=case.work_id, limit=_MAX_OTHER_COPIES + 1)
    return {
        "copies": [copy for copy in copies if copy.id != case.id][:_MAX_OTHER_COPIES],
        "copy_count": cases.count(work_id=case.work_id) - 1,
        "also": also[:_MAX_OTHER_WORKS],
        "more_sources": cases.count(page_id=case.page_id) - 1 - len(also) if len(also) == _MAX_SOURCES else 0,
    }


def _page_context(case: Case) -> dict[str, Any]:
    """Return the page's captures, response headers and removal, and the licence that covers it."""
    product, store = services().product, services().store
    notices = find_case_notices(product, case.number)
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    return {
        "fetches": list_fetches(product, case.page_id, case.capture),
        "fetches_shown": MAX_SHOWN_CAPTURES,
        "regional": regional_view(product, case.page_id),
        "headers": [(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        "vanished": next(
            (page for page in store.pages.many([case.page_id]).values() if page.gone_at is not None), None
        ),
        "licence": licences.get(case.licence_id or ""),
        "removed": find_removed_works(product, [case]),
        "exhibits": find_case_exhibits(product, case.number),
        "mark_statement": find_statement(product, case.number) if current_actor().may(Right.DETAILS) else None,
        "site_record": load_site_record(product, case),
        "notices": notices,
        "outdated": find_outdated_figures(case, notices),
        "found_by_search": store.discoveries.of_case(case.number),
        "receivers": {platform.id: platform for platform in all_platforms(product)},
    }


def _status_context(case: Case) -> dict[str, Any]:
    """Return the status of the case, its possible transitions, and its comments."""
    store, following = services().store, open_statuses(current_actor(), case)
    comments = store.comments.of_case(case.number)
    return {
        "steps": _STATUS_PATH,
        "passed": {move.status for move in case.history} | ({CaseStatus.LEAD} if has_copied_letters(case) else set()),
        "following": following,
        "explained": list_moves(status for status in following if status in STATUSES_WITH_REASON),
        "judged": judgement_statuses(current_actor(), case),
        "proposed": proposed_status(case),
        "comments": comments,
        "changeable": {one.id for one in comments if is_changeable(current_actor(), one)},
        "amounts": store.amounts.of_case(case.number),
        "amount_kinds": list(AmountKind),
        "currencies": CURRENCIES,
        "amount_note_length": MAX_AMOUNT_NOTE_CHARACTERS,
        "grounds": required_grounds(services().product),
        "assignee_disabled": any(user.disabled_at and user.name == case.assignee for user in store.users.all()),
        "people": enabled_people(),
        **_deadline_context(case),
    }


def _deadline_context(case: Case) -> dict[str, Any]:
    """Return the latest day to answer a counter-notice, and the legal source of the delay."""
    notice = services().product.settings.notice
    counts = case.status is CaseStatus.COUNTERED and case.deadline is not None
    latest = working_days_after(case.deadline, notice.counter_delay) if counts and case.deadline else None
    return {"counter_latest": latest, "counter_source": notice.counter_source, "counter_delay": notice.counter_delay}


def _queue_context(case: Case) -> dict[str, Any]:
    """Return the position in the list from which the case was opened, and the next case."""
    chosen = requested_filter()
    return {
        "place": queue_place(case, chosen),
        "here": chosen.arguments(),
        "take_back": url_for("case.undo", number=case.number, _external=False, **chosen.arguments()),
        "goes_on": get_preferences(current_actor()).goes_on,
        "undoable": describe_undoable(),
    }


def _form_limits() -> dict[str, Any]:
    """Return the length limits of the form fields."""
    return {
        "note_length": MAX_NOTE_CHARACTERS,
        "court_length": MAX_COURT_CHARACTERS,
        "assignee_length": MAX_ASSIGNEE_CHARACTERS,
        "comment_length": MAX_COMMENT_CHARACTERS,
    }


def _other_cases_of_page(case: Case) -> list[Case]:
    """Return the newest other cases of the page. Omit suspicions, and return none for one: they are not copies."""
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
    """Return the case numbers to mark, and possibly UNMATCHED_MARK, or None if the address does not name any."""
    return request.args.getlist("shown") or None


def _marked_sources(sources: Sequence[PageSource]) -> set[int]:
    """Return the numbers of the marked sources. All are marked unless the address restricts them."""
    requested = _requested_marks()
    return {source.number for source in sources if requested is None or str(source.case.number) in requested}


captures_blueprint = Blueprint("captures", __name__, url_prefix="/cases")


@captures_blueprint.get("/<int:number>/captures/<int:moment>")
@needs(Right.READ)
def show(number: int, moment: int) -> str:
    """Show how the page's text changed since the previous capture."""
    case = numbered_case(number)
    return render_template(
        "cases/capture.html", case=case, comparison=compare_captures(services().product, case.page_id, moment)
    )
