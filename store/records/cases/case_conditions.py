"""Which cases are wanted."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from store.records.cases.case import CaseStatus
from store.records.cases.match import Level


class CaseConditions(TypedDict, total=False):
    """All of them must hold; one that is absent or None lets every case pass."""

    status: CaseStatus | None
    host: str | None
    hosts: Sequence[str] | None  # any of these
    work_id: str | None
    page_id: str | None
    cluster_id: str | None
    level: Level | None
    copies: bool | None  # True: those that count as copies, neither dismissed nor licensed
    confirmed: bool | None  # True: those that a person has confirmed, whatever became of them since
    licensed: bool | None
    licence_id: str | None
    credited: bool | None  # False: a licensed one whose source is not named as the licence wants
    present: bool | None
    assignee: str | None  # "": nobody
    removal: bool | None  # True: gone, while it is still pursued: to be confirmed as removed
    returned: bool | None  # True: removed, and found again since
    asked: str | None  # whose second opinion is asked for
    score_from: float | None  # probability, this one included
    score_to: float | None  # this one not
    share_from: float | None  # of the page
    share_to: float | None
    since: datetime | None  # opened at this time or later
    until: datetime | None  # opened before
    text: str | None  # words of the titles or the address
    numbers: Sequence[int] | None
    below: int | None  # a number smaller than this
    above: int | None


class CaseKey(TypedDict):
    """What a list has to know of a case in order to fold it."""

    number: int
    page_id: str
    cluster_id: str | None
    page_host: str
    work_id: str
