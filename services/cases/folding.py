"""Many cases as few rows: the works that one page copies, the pages of one cluster, the cases of a site or a work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from store.records import CaseKey


class Fold(StrEnum):
    """What is shown as one row."""

    CLUSTER = "cluster"  # a page, or the pages of one cluster
    NONE = "none"  # each case
    SITE = "site"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Folded:
    """The cases of one row, by number, in the order of the list."""

    key: str
    numbers: tuple[int, ...]


def folded(keys: Iterable[CaseKey], by: Fold, mains: Mapping[str, str]) -> list[Folded]:
    """The rows in the order of their first case; sites and works with most cases first.

    mains: for a host that is counted as another, that other.
    """
    rows: dict[str, list[int]] = {}
    for one in keys:
        key = _key(one, by)
        rows.setdefault(mains.get(key, key) if by is Fold.SITE else key, []).append(one["number"])
    found = [Folded(key, tuple(numbers)) for key, numbers in rows.items()]
    return sorted(found, key=lambda row: -len(row.numbers)) if by in (Fold.SITE, Fold.WORK) else found


def _key(one: CaseKey, by: Fold) -> str:
    if by is Fold.CLUSTER:
        return one["cluster_id"] or one["page_id"]
    if by is Fold.SITE:
        return one["page_host"]
    return one["work_id"] if by is Fold.WORK else str(one["number"])
