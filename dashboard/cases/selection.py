"""Parse the filter of cases, and explain and undo the reader's decisions."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from flask import request

from crawler.addresses import readable_host
from dashboard.frame.context import current_actor, services, t
from dashboard.frame.requests import choice_argument, day_argument, ordered_days
from matcher.model import Level
from wenhen.cases.decisions import (
    MAX_CASES_PER_ACTION,
    MadeDecision,
    judgement_statuses,
    last_decision,
    undo_decision,
)
from wenhen.cases.filters import Band, Counted, Filter, Fold, YesNo
from wenhen.cases.model import Case, CaseOrder, CaseStatus
from wenhen.cases.rules import proposed_status
from wenhen.kit.errors import BadInput, NotFound
from wenhen.reports.wording import group_digits
from wenhen.sites.service import find_named_host
from wenhen.works.service import find_named_work

_MAX_TEXT_CHARACTERS: Final = 200  # characters of a value
FILTER_CHOICES: Final[dict[str, type[StrEnum]]] = {
    "counted": Counted,
    "level": Level,
    "band": Band,
    "licensed": YesNo,
    "credited": YesNo,
    "present": YesNo,
    "removal": YesNo,
    "returned": YesNo,
}


def requested_filter() -> Filter:
    """Parse the filter in the current address. Swap days in the wrong order.

    Raises BadInput for an invalid value.
    """
    since, until = ordered_days(day_argument("since"), day_argument("until"))
    return Filter(
        status=choice_argument("status", CaseStatus),
        q=_text_argument("q"),
        host=find_named_host(services().product, host) if (host := _text_argument("host")) else None,
        site=_text_argument("site"),
        work=_work_argument(),
        holder=_text_argument("holder"),
        on=_text_argument("on"),
        cluster=_text_argument("cluster"),
        counted=choice_argument("counted", Counted),
        level=choice_argument("level", Level),
        band=choice_argument("band", Band),
        licensed=choice_argument("licensed", YesNo),
        licence=_text_argument("licence"),
        credited=choice_argument("credited", YesNo),
        present=choice_argument("present", YesNo),
        removal=choice_argument("removal", YesNo),
        returned=choice_argument("returned", YesNo),
        asked=_text_argument("asked"),
        assignee=_text_argument("assignee"),
        score_from=_share_argument("score_from"),
        score_to=_share_argument("score_to"),
        share_from=_share_argument("share_from"),
        share_to=_share_argument("share_to"),
        since=since,
        until=until,
        order=choice_argument("order", CaseOrder),
        fold=choice_argument("fold", Fold),
    )


def _work_argument() -> str | None:
    """Return the id of the work that the address names by its id or title.

    Return the typed value if no work, or more than one, has that name.
    """
    given = _text_argument("work")
    try:
        return given and find_named_work(services().product, given).id
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
