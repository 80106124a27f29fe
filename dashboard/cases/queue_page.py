"""Build the rows, columns, excerpts and positions of the queue of suspects."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import render_template, url_for

from dashboard.cases.selection import FILTER_CHOICES, describe_undoable
from dashboard.frame.context import current_actor, measured_thresholds, services
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
)
from wenhen.cases.filters import MAX_FILTER_NAME_CHARACTERS, Filter, Fold, Folded, find_saved_filters, fold_cases
from wenhen.cases.model import Case, CaseConditions, CaseOrder, CaseStatus
from wenhen.cases.rules import DISMISSAL_REASONS
from wenhen.cases.service import find_removed_works
from wenhen.product.context import Product
from wenhen.sites.model import mirror_group

# The columns of the queue: which there are, by which of them it can be sorted, and which a person wants to see.


COLUMN_NAMES: Final = (  # besides the number and the page
    "work",
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
    """Those that are wanted and exist, in the order of the list; None: those that everybody begins with."""
    return tuple(name for name in COLUMN_NAMES if name in (DEFAULT_COLUMNS if wanted is None else wanted))


def next_order(name: str, now: CaseOrder) -> CaseOrder | None:
    """The order that a press on the heading asks for; None where the list cannot be sorted by it."""
    orders = _ORDERS_BY_COLUMN.get(name, ())
    return next((order for order in orders if order is not now), orders[0] if orders else None)


def aria_sort(name: str, chosen: Filter) -> str | None:
    """How the column is sorted at present, in the words of `aria-sort`."""
    if chosen.sorted_by not in _ORDERS_BY_COLUMN.get(name, ()):
        return None
    return "ascending" if chosen.sorted_by is _ASCENDING_ORDER else "descending"


# A line of what was copied, for lists: the longest run of the first passages that agrees character by character.


MAX_EXCERPT_PASSAGES: Final = 8  # of a case that are looked at
_CHARACTERS_BEFORE: Final = 4  # characters of the page before what was copied
_MAX_COPIED_CHARACTERS: Final = 80
_CHARACTERS_AFTER: Final = 16


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a page in one line: what was copied, and what stands around it."""

    before: str
    copied: str
    after: str


def case_excerpts(product: Product, cases: Collection[Case]) -> dict[int, Excerpt]:
    """By the number of the case; without those that have no passage, or whose text is lost."""
    longest = {case.number: _longest_span(case.match.passages) for case in cases if case.match.passages}
    texts = product.store.blobs.texts_there({case.page_text_digest for case in cases if case.number in longest})
    return {
        case.number: _cut_excerpt(texts[case.page_text_digest], longest[case.number])
        for case in cases
        if case.number in longest and case.page_text_digest in texts
    }


def _longest_span(passages: Collection[Passage]) -> tuple[int, int]:
    """The longest stretch of the page without a gap."""
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


# The page of the queue: its rows, what they may be decided as, and the choices of whoever reads it.


MAX_LISTED_CASES: Final = (
    MAX_CASES_PER_ACTION  # cases of one list, as many as are decided at once; beyond it nobody reads on, filters do
)
_MAX_UNFOLDED_CASES: Final = 6  # cases of one row that are shown in it
_SHARE_CHOICES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """One line of the list: its first case, some more of them, and all their numbers."""

    folded: Folded
    head: Case
    others: list[Case]
    excerpt: Excerpt | None
    moves: list[CaseStatus]  # that the first case may be decided as


def render_queue(
    chosen: Filter, *, refusal: str | None = None, ticked: list[int] | None = None, sure: str | None = None
) -> str:
    """The queue. refusal: why nothing was decided; sure: what has to be agreed to before it is."""
    listed_at = services().product.now()  # before it is asked for: what comes in between counts as later
    conditions, cases = chosen.conditions(current_actor()), services().store.cases
    any_status: CaseConditions = {**conditions, "status": None}
    with ThreadPoolExecutor(1) as pool:  # the database looks at both side by side
        counted = pool.submit(cases.count_by_status, **any_status)
        keys = cases.keys(**conditions, order=chosen.sorted_by, limit=MAX_LISTED_CASES)
    rows = fold_cases(keys, chosen.fold or Fold.CLUSTER, _mirror_targets(chosen))
    page = current_paging(len(rows))
    here = chosen.arguments(page=page.number if page.number > 1 else None)
    return render_template(
        "cases/suspects.html",
        here=here,
        take_back=url_for("suspects.undo", _external=False, **here),
        paging=page,
        listed=len(keys),
        listed_at=listed_at.isoformat(),
        bounded=len(keys) == MAX_LISTED_CASES,
        counts=_status_counts(counted.result(), chosen.status),
        refusal=refusal,
        sure=sure,
        ticked=set(ticked or ()),
        **_list_context(chosen, rows[page.skip : page.skip + ROWS_PER_PAGE]),
        **_heading_context(chosen),
        **_filter_context(chosen),
        **_act_context(),
    )


def _list_context(chosen: Filter, on_this_page: list[Folded]) -> dict[str, Any]:
    """The rows, and what their figures mean."""
    shown = _suspect_rows(on_this_page)
    return {
        "rows": shown,
        "removed": find_removed_works(
            services().product, [shown_case for row in shown for shown_case in (row.head, *row.others)]
        ),
        "grouped_rows": chosen.fold in (Fold.SITE, Fold.WORK),
        "of_group": lambda row: _group_address(chosen, row),
        "worth_words": worth_text,
        "thresholds": measured_thresholds(),
        "certain": services().product.settings.matcher.certain_score,
    }


def _heading_context(chosen: Filter) -> dict[str, Any]:
    """The columns that this reader likes to see, and how the list is sorted by them."""
    liked = get_preferences(current_actor())
    return {
        "liked": liked,
        "columns": visible_columns(liked.columns),
        "all_columns": COLUMN_NAMES,
        "order_by": lambda name: next_order(name, chosen.sorted_by),
        "sorted_how": lambda name: aria_sort(name, chosen),
    }


def _filter_context(chosen: Filter) -> dict[str, Any]:
    """The filter as it is, what else may be chosen, and the filters that are kept."""
    store = services().store
    return {
        "filter": chosen,
        "listed_by": chosen.arguments(),
        "query": chosen.query(),
        "work": store.works.many([chosen.work]).get(chosen.work) if chosen.work else None,
        "choices": FILTER_CHOICES,
        "orders": CaseOrder,
        "folds": Fold,
        "shares": _SHARE_CHOICES,
        "sites": store.sites.all(),
        "people": [user.name for user in store.users.all()],
        "saved": find_saved_filters(current_actor()),
        "name_length": MAX_FILTER_NAME_CHARACTERS,
    }


def _act_context() -> dict[str, Any]:
    """What may be done with the ticked rows."""
    return {
        "reasons": DISMISSAL_REASONS,
        "grounds": required_grounds(services().product),
        "most": MAX_CASES_PER_ACTION,
        "note_length": MAX_NOTE_CHARACTERS,
        "assignee_length": MAX_ASSIGNEE_CHARACTERS,
        "undoable": describe_undoable(),
    }


def _status_counts(counts: Mapping[CaseStatus, int], asked: CaseStatus | None) -> dict[CaseStatus | None, int]:
    """How many cases of the filter stand at each status that is worth showing; None: at any."""
    each = statuses_to_show({status: counts.get(status, 0) for status in CaseStatus}, asked)
    every: dict[CaseStatus | None, int] = {None: sum(counts.values())}
    return every | dict(each.items())


def _mirror_targets(chosen: Filter) -> Mapping[str, str]:
    """For each mirror the host that it is counted as; where one host was asked for, all that passed count as it."""
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
        if head is not None:  # a case may have gone since it was listed
            rest = [others[number] for number in row.numbers[1:_MAX_UNFOLDED_CASES] if number in others]
            rows.append(SuspectRow(row, head, rest, lines.get(head.number), judgement_statuses(current_actor(), head)))
    return rows


def _group_address(chosen: Filter, row: SuspectRow) -> dict[str, str]:
    """The address of the cases of a row that stands for a site or a work."""
    return chosen.arguments(fold=None, **{"host" if chosen.fold is Fold.SITE else "work": row.folded.key})


class QueuePlace(NamedTuple):
    """The number of the case that follows, None after the last; `at` counts from 1, and is 0 where it is not told."""

    following: int | None
    at: int = 0
    of: int = 0


def queue_place(case: Case, chosen: Filter) -> QueuePlace:
    """The place in the list of this filter; without one, the next case that waits for a decision."""
    if not chosen.arguments():
        return QueuePlace(_next_lead(case))
    order = chosen.sorted_by
    keys = services().store.cases.keys(**chosen.conditions(current_actor()), order=order, limit=MAX_LISTED_CASES)
    return place_in_list([key["number"] for key in keys], case.number, order)


def place_in_list(numbers: list[int], number: int, order: CaseOrder) -> QueuePlace:
    """The place of a case in a list of numbers.

    One that has left the list, as a decision does, is followed by the case that stood behind it, or by the first one
    where the order does not tell which that was.
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
