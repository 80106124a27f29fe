"""A decision on many cases at once: from how many on it has to be agreed to, and what is asked then."""

from collections.abc import Collection
from typing import Final

from dashboard.frame.context import services
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
