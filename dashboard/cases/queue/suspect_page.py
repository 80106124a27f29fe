"""The page of the queue: its rows, what they may be decided as, and the choices of whoever reads it."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from flask import render_template, url_for

from dashboard.cases import readers_decisions
from dashboard.cases.queue.columns import CHOICES as COLUMNS
from dashboard.cases.queue.columns import columns, order_by, sorted_how
from dashboard.cases.queue.excerpts import PASSAGES, Excerpt, excerpts
from dashboard.cases.queue.suspect_filter import CHOICES
from dashboard.frame.calibrated import measured_thresholds
from dashboard.frame.context import acting, services
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.reason_words import worth_text
from dashboard.frame.statuses import worth_showing
from services.cases import assignments, saved_filters
from services.cases.case_filter import Filter
from services.cases.decisions import MOST, NOTE_LENGTH, grounds_asked, judgements
from services.cases.folded_lists import Fold, Folded, folded
from services.cases.removed_works import removed_works
from services.people.preferences import preferences
from store.records import Case, CaseConditions, CaseOrder, CaseStatus
from store.rules.cases.decision_reasons import REASONS
from store.rules.web.mirror_counting import hosts_counted_as

LISTED: Final = MOST  # cases of one list, as many as are decided at once; beyond it nobody reads on, filters do
_UNFOLDED: Final = 6  # cases of one row that are shown in it
_SHARES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """One line of the list: its first case, some more of them, and all their numbers."""

    folded: Folded
    head: Case
    others: list[Case]
    excerpt: Excerpt | None
    moves: list[CaseStatus]  # that the first case may be decided as


def suspect_page(
    chosen: Filter, *, refusal: str | None = None, ticked: list[int] | None = None, sure: str | None = None
) -> str:
    """The queue. refusal: why nothing was decided; sure: what has to be agreed to before it is."""
    listed_at = services().product.now()  # before it is asked for: what comes in between counts as later
    conditions, cases = chosen.conditions(acting()), services().store.cases
    any_status: CaseConditions = {**conditions, "status": None}
    with ThreadPoolExecutor(1) as pool:  # the database looks at both side by side
        counted = pool.submit(cases.count_by_status, **any_status)
        keys = cases.keys(**conditions, order=chosen.sorted_by, limit=LISTED)
    rows = folded(keys, chosen.fold or Fold.CLUSTER, _counted_as(chosen))
    page = paging(len(rows))
    here = chosen.arguments(page=page.number if page.number > 1 else None)
    return render_template(
        "cases/suspects.html",
        here=here,
        take_back=url_for("suspects.undo", _external=False, **here),
        paging=page,
        listed=len(keys),
        listed_at=listed_at.isoformat(),
        bounded=len(keys) == LISTED,
        counts=_counts(counted.result(), chosen.status),
        refusal=refusal,
        sure=sure,
        ticked=set(ticked or ()),
        **_list(chosen, rows[page.skip : page.skip + SIZE]),
        **_headings(chosen),
        **_filtering(chosen),
        **_acts(),
    )


def _list(chosen: Filter, on_this_page: list[Folded]) -> dict[str, Any]:
    """The rows, and what their figures mean."""
    shown = _rows(on_this_page)
    return {
        "rows": shown,
        "removed": removed_works(services().product, [one for row in shown for one in (row.head, *row.others)]),
        "grouped_rows": chosen.fold in (Fold.SITE, Fold.WORK),
        "of_group": lambda row: _of_group(chosen, row),
        "worth_words": worth_text,
        "thresholds": measured_thresholds(),
        "certain": services().product.settings.matcher.certain_score,
    }


def _headings(chosen: Filter) -> dict[str, Any]:
    """The columns that this reader likes to see, and how the list is sorted by them."""
    liked = preferences(acting())
    return {
        "liked": liked,
        "columns": columns(liked.columns),
        "all_columns": COLUMNS,
        "order_by": lambda name: order_by(name, chosen.sorted_by),
        "sorted_how": lambda name: sorted_how(name, chosen),
    }


def _filtering(chosen: Filter) -> dict[str, Any]:
    """The filter as it is, what else may be chosen, and the filters that are kept."""
    store = services().store
    return {
        "filter": chosen,
        "listed_by": chosen.arguments(),
        "query": chosen.query(),
        "work": store.works.many([chosen.work]).get(chosen.work) if chosen.work else None,
        "choices": CHOICES,
        "orders": CaseOrder,
        "folds": Fold,
        "shares": _SHARES,
        "sites": store.sites.all(),
        "people": [user.name for user in store.users.all()],
        "saved": saved_filters.saved_filters(acting()),
        "name_length": saved_filters.NAME_LENGTH,
    }


def _acts() -> dict[str, Any]:
    """What may be done with the ticked rows."""
    return {
        "reasons": REASONS,
        "grounds": grounds_asked(services().product),
        "most": MOST,
        "note_length": NOTE_LENGTH,
        "assignee_length": assignments.ASSIGNEE_LENGTH,
        "undoable": readers_decisions.undoable(),
    }


def _counts(found: Mapping[CaseStatus, int], asked: CaseStatus | None) -> dict[CaseStatus | None, int]:
    """How many cases of the filter stand at each status that is worth showing; None: at any."""
    each = worth_showing({status: found.get(status, 0) for status in CaseStatus}, asked)
    every: dict[CaseStatus | None, int] = {None: sum(found.values())}
    return every | dict(each.items())


def _counted_as(chosen: Filter) -> Mapping[str, str]:
    """For each mirror the host that it is counted as; where one host was asked for, all that passed count as it."""
    mains = services().store.mirrors.mains()
    return dict.fromkeys(hosts_counted_as(chosen.host, mains), chosen.host) if chosen.host else mains


def _rows(shown: list[Folded]) -> list[SuspectRow]:
    store = services().store
    heads = store.cases.many([row.numbers[0] for row in shown], passages=PASSAGES)
    others = store.cases.many([number for row in shown for number in row.numbers[1:_UNFOLDED]])
    lines = excerpts(services().product, heads.values())
    rows = []
    for row in shown:
        head = heads.get(row.numbers[0])
        if head is not None:  # a case may have gone since it was listed
            rest = [others[number] for number in row.numbers[1:_UNFOLDED] if number in others]
            rows.append(SuspectRow(row, head, rest, lines.get(head.number), judgements(acting(), head)))
    return rows


def _of_group(chosen: Filter, row: SuspectRow) -> dict[str, str]:
    """The address of the cases of a row that stands for a site or a work."""
    return chosen.arguments(fold=None, **{"host" if chosen.fold is Fold.SITE else "work": row.folded.key})
