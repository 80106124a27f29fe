"""Parse the filter of cases, and explain and undo the reader's decisions."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, get_args, get_type_hints

from flask import Response, request

from crawler.addresses import readable_host
from dashboard.frame.context import current_actor, services, t
from dashboard.frame.requests import choice_argument, day_argument, ordered_days, redirect_to
from wenhen.cases.decisions import (
    MAX_CASES_PER_ACTION,
    MadeDecision,
    judgement_statuses,
    last_decision,
    undo_decision,
)
from wenhen.cases.filters import Filter
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import proposed_status
from wenhen.kit.errors import BadInput, NotFound
from wenhen.reports.wording import group_digits
from wenhen.sites.service import find_named_host
from wenhen.works.service import find_named_work

_MAX_TEXT_CHARACTERS: Final = 200  # characters of a value
# The type of each condition tells how its argument is parsed.
_FILTER_TYPES: Final[dict[str, Any]] = {name: get_args(hint)[0] for name, hint in get_type_hints(Filter).items()}
FILTER_CHOICES: Final[dict[str, type[StrEnum]]] = {  # conditions of few values, beside the status
    name: kind
    for name, kind in _FILTER_TYPES.items()
    if issubclass(kind, StrEnum) and name not in ("status", "order", "fold")
}


def requested_filter() -> Filter:
    """Parse the filter in the current address. Swap days in the wrong order.

    Raises BadInput for an invalid value.
    """
    values = {name: _filter_argument(name, kind) for name, kind in _FILTER_TYPES.items()}
    values["since"], values["until"] = ordered_days(values["since"], values["until"])
    values["host"] = values["host"] and find_named_host(services().product, values["host"])
    values["work"] = values["work"] and _find_work_id(values["work"])
    return Filter(**values)


def _filter_argument(name: str, kind: Any) -> Any:
    if issubclass(kind, StrEnum):
        return choice_argument(name, kind)
    if kind is date:
        return day_argument(name)
    return _share_argument(name) if kind is float else _text_argument(name)


def back_to_case(number: int, notice: str = "", look: str = "message", *, anchor: str | None = None) -> Response:
    """Lead to the case, with the list from which it was opened."""
    return redirect_to("case.show", notice, look, number=number, _anchor=anchor, **requested_filter().arguments())


def _find_work_id(given: str) -> str:
    """Return the id of the work that has this id or title, or what was given if there is none or more than one."""
    try:
        return find_named_work(services().product, given).id
    except (BadInput, NotFound):
        return given


def _text_argument(name: str) -> str | None:
    return request.args.get(name, "").strip()[:_MAX_TEXT_CHARACTERS] or None


def _share_argument(name: str) -> float | None:
    given = request.args.get(name, "")
    if not given:
        return None
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise BadInput("cases.share", name=name, given=repr(given[:40]))
    return share


_MAX_CASES_EXPLAINED: Final = 100  # unmoved cases whose possible transitions are named
_MAX_NUMBERS_NAMED: Final = 3  # cases of a decision


def describe_ways(numbers: Sequence[int]) -> str:
    """Describe the possible transitions of the unmoved cases by status: 已排除 → 重新打开、确认侵权."""
    cases = services().store.cases.many(numbers[:_MAX_CASES_EXPLAINED], passages=1).values()
    ways = {case.status: (case, judgement_statuses(current_actor(), case)) for case in cases}
    return t("case.then").join(
        f"{t(f'status.{status}')} → {t('case.and').join(_move_label(move, [case]) for move in open) or '—'}"
        for status, (case, open) in ways.items()
    )


def list_moves(statuses: Iterable[CaseStatus]) -> str:
    """List the transitions to these statuses by the labels of their buttons."""
    return t("case.and").join(t(f"case.to_{status}") for status in statuses)


def _move_label(move: CaseStatus, cases: Iterable[Case]) -> str:
    """Return the label of the button that moves these cases. Copies that came back are pursued again."""
    again = move is CaseStatus.CONFIRMED and all(proposed_status(case) is move for case in cases)
    return t("case.accept_confirmed" if again else f"case.to_{move}")


def undo_last_decision() -> str:
    """Undo the reader's last decision, and describe the result. The next call undoes the one before.

    Cases keep their status if somebody has decided on them since.
    """
    made = last_decision(current_actor())
    if made is None:
        return t("suspects.nothing_undone")
    undone = undo_decision(current_actor(), made.batch)
    return t("suspects.undone", what=_describe_decision(replace(made, numbers=tuple(undone))))


def describe_undoable() -> str | None:
    """Describe the decision that would be undone first, or None if there is none."""
    made = last_decision(current_actor())
    return None if made is None else _describe_decision(made)


def _describe_decision(made: MadeDecision) -> str:
    """Describe the move and the cases of a decision: 确认侵权 #3、#4、#5 等 7 件."""
    numbers = t("case.and").join(f"#{number}" for number in made.numbers[:_MAX_NUMBERS_NAMED])
    few = len(made.numbers) <= _MAX_NUMBERS_NAMED
    move = t(f"case.to_{made.status}")
    return t(
        "suspects.undoable" if few else "suspects.undoable_many", move=move, numbers=numbers, count=len(made.numbers)
    )


# Decisions on many cases: when they need a confirmation, its question, and the cases that are left out.


MAX_UNCONFIRMED_CASES: Final = 20  # more cases need a confirmation
_MAX_HOSTS_NAMED: Final = 5  # hosts that the confirmation names


def needs_confirmation(numbers: Collection[int]) -> bool:
    """Return whether the number of cases needs a confirmation, and is within the limit of one decision."""
    return MAX_UNCONFIRMED_CASES < len(numbers) <= MAX_CASES_PER_ACTION


def movable_cases(numbers: Collection[int], status: CaseStatus) -> list[Case]:
    """Return the cases whose status allows this transition."""
    known = services().store.cases.many(numbers, passages=1).values()
    return [case for case in known if status in judgement_statuses(current_actor(), case)]


def confirmation_question(numbers: Collection[int], movable: Collection[Case], status: CaseStatus) -> str:
    """Name the move, the number of cases, their hosts, and how many cases cannot move."""
    hosts = sorted({readable_host(case.page_host) for case in movable})
    named = t("case.and").join(hosts[:_MAX_HOSTS_NAMED]) + ("…" if len(hosts) > _MAX_HOSTS_NAMED else "")
    move, count = _move_label(status, movable), group_digits(len(movable))
    question = t("suspects.sure", move=move, count=count, hosts=len(hosts), named=named)
    staying = len(numbers) - len(movable)
    return f"{question} {t('suspects.sure_stay', count=group_digits(staying))}" if staying else question


def cases_decided_by_others(numbers: list[int], since: datetime | None) -> list[int]:
    """Return the cases that somebody else has decided on since, or none if `since` is unknown."""
    if since is None:
        return []
    known, who = services().store.cases.many(numbers, passages=1), current_actor().who
    return [
        number
        for number, case in known.items()
        if case.decided_at is not None and case.decided_at > since and case.decided_by != who
    ]
