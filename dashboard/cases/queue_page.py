"""Build the rows, columns, excerpts and positions of the queue of suspects."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import render_template, url_for

from dashboard.cases.selection import FILTER_CHOICES, describe_undoable
from dashboard.frame.context import current_actor, enabled_people, measured_thresholds, services
from dashboard.frame.display import statuses_to_show, worth_text
from dashboard.frame.requests import ROWS_PER_PAGE, current_paging
from matcher.model import Passage
from wenhen.accounts.users import get_preferences
from wenhen.cases.decisions import (
    MAX_ASSIGNEE_CHARACTERS,
    MAX_CASES_PER_ACTION,
    MAX_NOTE_CHARACTERS,
    judgement_statuses,
    required_grounds,
    statuses_to_judge,
)
from wenhen.cases.filters import MAX_FILTER_NAME_CHARACTERS, Filter, Fold, Folded, find_saved_filters, fold_cases
from wenhen.cases.model import Case, CaseConditions, CaseOrder, CaseStatus
from wenhen.cases.rules import DISMISSAL_REASONS, proposed_status
from wenhen.cases.service import find_removed_works
from wenhen.context.use_cases import Product
from wenhen.sites.model import mirror_group
from wenhen.sites.service import is_known_host

# The columns of the queue, their sort orders, and the columns that a user has chosen.


COLUMN_NAMES: Final = (  # besides the number and the page
    "work",
    "holder",
    "level",
    "score",
    "share_of_page",
    "share_of_work",
    "longest_run",
    "opened_at",
    "status",
)
DEFAULT_COLUMNS: Final = ("work", "level", "score", "share_of_page", "status")
_ORDERS_BY_COLUMN: Final[dict[str, tuple[CaseOrder, ...]]] = {
    "number": (CaseOrder.NEWEST, CaseOrder.OLDEST),
    "score": (CaseOrder.LIKELIEST,),
    "share_of_page": (CaseOrder.LARGEST,),
    "opened_at": (CaseOrder.NEWEST, CaseOrder.OLDEST),
}
_ASCENDING_ORDER: Final = CaseOrder.OLDEST


def visible_columns(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return the chosen columns that exist, in list order. None selects the default columns."""
    return tuple(name for name in COLUMN_NAMES if name in (DEFAULT_COLUMNS if wanted is None else wanted))


def next_order(name: str, now: CaseOrder) -> CaseOrder | None:
    """Return the order that a click on the heading selects, or None if the column cannot be sorted."""
    orders = _ORDERS_BY_COLUMN.get(name, ())
    return next((order for order in orders if order is not now), orders[0] if orders else None)


def aria_sort(name: str, chosen: Filter) -> str | None:
    """Return the value of `aria-sort` for the column."""
    if chosen.sorted_by not in _ORDERS_BY_COLUMN.get(name, ()):
        return None
    return "ascending" if chosen.sorted_by is _ASCENDING_ORDER else "descending"


# An excerpt of the copied text for lists: the longest run of the first passages that is identical character by
# character.


MAX_EXCERPT_PASSAGES: Final = 8  # passages of a case to search for the excerpt
_CHARACTERS_BEFORE: Final = 4  # characters of the page before the copied text
_MAX_COPIED_CHARACTERS: Final = 80
_CHARACTERS_AFTER: Final = 16


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a page in one line: the copied text and its context."""

    before: str
    copied: str
    after: str


def case_excerpts(product: Product, cases: Collection[Case]) -> dict[int, Excerpt]:
    """Return excerpts by case number. Omit cases without passages, and cases whose text is missing from the store."""
    longest = {case.number: _longest_span(case.match.passages) for case in cases if case.match.passages}
    texts = product.store.blobs.texts_there({case.page_text_digest for case in cases if case.number in longest})
    return {
        case.number: _cut_excerpt(texts[case.page_text_digest], longest[case.number])
        for case in cases
        if case.number in longest and case.page_text_digest in texts
    }


def _longest_span(passages: Collection[Passage]) -> tuple[int, int]:
    """Return the longest stretch of the page without a gap."""
    stretches = [stretch for passage in passages for stretch in _passage_spans(passage)]
    return max(stretches, key=lambda stretch: stretch[1] - stretch[0])


def _passage_spans(passage: Passage) -> list[tuple[int, int]]:
    starts = [passage.page_start, *(end for _, end in passage.page_gaps)]
    ends = [*(start for start, _ in passage.page_gaps), passage.page_end]
    return list(zip(starts, ends, strict=True))


def _cut_excerpt(text: str, stretch: tuple[int, int]) -> Excerpt:
    start, end = stretch[0], min(stretch[1], stretch[0] + _MAX_COPIED_CHARACTERS)
    return Excerpt(
        _join_lines(text[max(0, start - _CHARACTERS_BEFORE) : start]),
        _join_lines(text[start:end]).strip(),
        _join_lines(text[end : end + _CHARACTERS_AFTER]),
    )


def _join_lines(text: str) -> str:
    return " ".join(text.split())


# The page of the queue: its rows, their possible decisions, and the reader's preferences.


MAX_LISTED_CASES: Final = (
    MAX_CASES_PER_ACTION  # the limit of one decision: nobody reads further, filters narrow the list instead
)
_MAX_UNFOLDED_CASES: Final = 6  # cases shown in one row
_SHARE_CHOICES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """One row of the list: its first case, some further ones, and the numbers of all."""

    folded: Folded
    head: Case
    others: list[Case]
    excerpt: Excerpt | None
    moves: list[CaseStatus]  # the possible decisions on the first case
    returned: bool  # the first case is a copy that came back after its removal


def render_queue(
    chosen: Filter, *, refusal: str | None = None, ticked: list[int] | None = None, sure: str | None = None
) -> str:
    """Render the queue.

    `refusal` says why a decision failed. `sure` is the question to confirm before the decision.
    """
    listed_at = services().product.now()  # read before the query: cases added in between count as later
    conditions, cases = chosen.conditions(current_actor()), services().store.cases
    any_status: CaseConditions = {**conditions, "status": None}
    with ThreadPoolExecutor(1) as pool:  # the database runs both queries in parallel
        counted = pool.submit(cases.count_by_status, **any_status)
        keys = cases.keys(**conditions, order=chosen.sorted_by, limit=MAX_LISTED_CASES)
    rows = fold_cases(keys, chosen.fold or Fold.CLUSTER, _mirror_targets(chosen))
    page = current_paging(len(rows))
    here = chosen.arguments(page=page.number if page.number > 1 else None)
    by_status = counted.result()
    return render_template(
        "cases/suspects.html",
        here=here,
        take_back=url_for("suspects.undo", _external=False, **here),
        paging=page,
        listed=len(keys),
        listed_at=listed_at.isoformat(),
        bounded=len(keys) == MAX_LISTED_CASES,
        counts=_status_counts(by_status, chosen.status),
        all_moves=_moves_of_all(chosen, conditions, by_status),
        refusal=refusal,
        sure=sure,
        ticked=set(ticked or ()),
        **_list_context(chosen, rows[page.skip : page.skip + ROWS_PER_PAGE]),
        **_heading_context(chosen),
        **_filter_context(chosen),
        **_act_context(),
    )


def _list_context(chosen: Filter, on_this_page: list[Folded]) -> dict[str, Any]:
    """Return the rows, and what their figures mean."""
    shown = _suspect_rows(on_this_page)
    return {
        "rows": shown,
        "removed": find_removed_works(
            services().product, [shown_case for row in shown for shown_case in (row.head, *row.others)]
        ),
        "holders": _holder_names(shown)
        if "holder" in visible_columns(get_preferences(current_actor()).columns)
        else {},
        "grouped_rows": chosen.fold in (Fold.SITE, Fold.WORK),
        "of_group": lambda row: _group_address(chosen, row),
        "worth_words": worth_text,
        "thresholds": measured_thresholds(),
        "certain": services().product.settings.matcher.certain_score,
    }


def _holder_names(rows: Sequence[SuspectRow]) -> dict[str, str | None]:
    """Return the holder of each work of these rows."""
    works = services().store.works.many({row.head.work_id for row in rows})
    return {id: work.owner for id, work in works.items()}


def _heading_context(chosen: Filter) -> dict[str, Any]:
    """Return the reader's columns, and the sort order of the list."""
    liked = get_preferences(current_actor())
    return {
        "liked": liked,
        "columns": visible_columns(liked.columns),
        "all_columns": COLUMN_NAMES,
        "order_by": lambda name: next_order(name, chosen.sorted_by),
        "sorted_how": lambda name: aria_sort(name, chosen),
    }


def _filter_context(chosen: Filter) -> dict[str, Any]:
    """Return the current filter, its further choices, and the saved filters."""
    store = services().store
    return {
        "filter": chosen,
        "listed_by": chosen.arguments(),
        "query": chosen.query(),
        "host_known": not chosen.host or is_known_host(services().product, chosen.host),
        "work": store.works.many([chosen.work]).get(chosen.work) if chosen.work else None,
        "choices": FILTER_CHOICES,
        "orders": CaseOrder,
        "folds": Fold,
        "shares": _SHARE_CHOICES,
        "sites": store.sites.all(),
        "people": enabled_people(),
        "saved": find_saved_filters(current_actor()),
        "name_length": MAX_FILTER_NAME_CHARACTERS,
    }


def _act_context() -> dict[str, Any]:
    """Return the possible actions on the ticked rows."""
    return {
        "reasons": DISMISSAL_REASONS,
        "grounds": required_grounds(services().product),
        "most": MAX_CASES_PER_ACTION,
        "note_length": MAX_NOTE_CHARACTERS,
        "assignee_length": MAX_ASSIGNEE_CHARACTERS,
        "undoable": describe_undoable(),
    }


def _status_counts(counts: Mapping[CaseStatus, int], chosen: CaseStatus | None) -> dict[CaseStatus | None, int]:
    """Return the number of cases for each status worth showing. None stands for all statuses."""
    each = statuses_to_show({status: counts.get(status, 0) for status in CaseStatus}, chosen)
    every: dict[CaseStatus | None, int] = {None: sum(counts.values())}
    return every | dict(each.items())


def _moves_of_all(chosen: Filter, conditions: CaseConditions, counts: Mapping[CaseStatus, int]) -> list[CaseStatus]:
    """Return the possible decisions on all cases of the filter: those that at least one of them allows."""
    statuses = [status for status in counts if chosen.status in (None, status)]
    moves = {move for status in statuses for move in statuses_to_judge(current_actor(), status)}
    if CaseStatus.CONFIRMED not in moves and CaseStatus.REMOVED in statuses:
        returned: CaseConditions = {**conditions, "returned": True}
        if services().store.cases.count(**returned):
            moves.add(CaseStatus.CONFIRMED)
    return sorted(moves)


def _mirror_targets(chosen: Filter) -> Mapping[str, str]:
    """Map each mirror to its main host.

    If the filter names a host, all hosts of its group map to that one.
    """
    mains = services().store.mirrors.mains()
    return dict.fromkeys(mirror_group(chosen.host, mains), chosen.host) if chosen.host else mains


def _suspect_rows(shown: list[Folded]) -> list[SuspectRow]:
    store = services().store
    heads = store.cases.many([row.numbers[0] for row in shown], passages=MAX_EXCERPT_PASSAGES)
    others = store.cases.many([number for row in shown for number in row.numbers[1:_MAX_UNFOLDED_CASES]])
    lines = case_excerpts(services().product, heads.values())
    rows = []
    for row in shown:
        head = heads.get(row.numbers[0])
        if head is not None:  # the case may have disappeared since the list was made
            rest = [others[number] for number in row.numbers[1:_MAX_UNFOLDED_CASES] if number in others]
            moves = judgement_statuses(current_actor(), head)
            came_back = proposed_status(head) is CaseStatus.CONFIRMED
            rows.append(SuspectRow(row, head, rest, lines.get(head.number), moves, came_back))
    return rows


def _group_address(chosen: Filter, row: SuspectRow) -> dict[str, str]:
    """Return the address of the cases of a row that groups a site or a work."""
    return chosen.arguments(fold=None, **{"host" if chosen.fold is Fold.SITE else "work": row.folded.key})


class QueuePlace(NamedTuple):
    """The number of the next case, None after the last. `at` counts from 1, and is 0 if unknown."""

    following: int | None
    at: int = 0
    of: int = 0


def queue_place(case: Case, chosen: Filter) -> QueuePlace:
    """Return the case's place in the filtered list. Without a filter, return the next undecided case."""
    if not chosen.arguments():
        return QueuePlace(_next_lead(case))
    order = chosen.sorted_by
    keys = services().store.cases.keys(**chosen.conditions(current_actor()), order=order, limit=MAX_LISTED_CASES)
    return place_in_list([key["number"] for key in keys], case.number, order)


def place_in_list(numbers: list[int], number: int, order: CaseOrder) -> QueuePlace:
    """Return the place of a case in a list of numbers.

    A decision may remove the case from the list. The next case is then the one behind its former place, or the first
    one if the order does not reveal that place.
    """
    if number in numbers:
        position = numbers.index(number)
        return QueuePlace(next(iter(numbers[position + 1 :]), None), position + 1, len(numbers))
    behind = {
        CaseOrder.NEWEST: (other for other in numbers if other < number),
        CaseOrder.OLDEST: (other for other in numbers if other > number),
    }.get(order, iter(numbers))
    return QueuePlace(next(behind, None), 0, len(numbers))


def _next_lead(case: Case) -> int | None:
    cases = services().store.cases
    older = cases.find(status=CaseStatus.LEAD, below=case.number, limit=1)
    newest = older or cases.find(status=CaseStatus.LEAD, limit=1)
    return next((lead.number for lead in newest if lead.number != case.number), None)
