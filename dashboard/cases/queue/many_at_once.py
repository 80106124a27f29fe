"""A decision on many cases at once: when it has to be agreed to, what is asked then, and what is left out."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from services.cases.decisions import MOST
from store.records import CaseStatus

SURE: Final = 20  # cases, beyond which it has to be agreed to
_HOSTS: Final = 5  # that are named when it is


def has_to_be_agreed_to(numbers: Collection[int]) -> bool:
    """Whether these are many, though not more than may be decided at once."""
    return SURE < len(numbers) <= MOST


def question(numbers: Collection[int], status: CaseStatus) -> str:
    """What is about to be done to how many cases, and of which hosts."""
    hosts = sorted({case.page_host for case in services().store.cases.many(numbers).values()})
    named = t("case.and").join(hosts[:_HOSTS]) + ("…" if len(hosts) > _HOSTS else "")
    return t("suspects.sure", move=t(f"case.to_{status}"), count=len(numbers), hosts=len(hosts), named=named)


def decided_by_others(numbers: list[int], since: datetime | None) -> list[int]:
    """Those of the cases that somebody else has decided since; none where nobody knows since when."""
    if since is None:
        return []
    known, who = services().store.cases.many(numbers, passages=1), acting().who
    return [
        number
        for number, case in known.items()
        if case.decided_at is not None and case.decided_at > since and case.decided_by != who
    ]
