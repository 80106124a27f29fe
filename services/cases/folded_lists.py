"""Many cases as few rows: the works that one page copies, the pages of one cluster, the cases of a site or a work."""

from collections.abc import Iterable, Mapping, Sequence
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
    """The cases of one row, by number, in the order of the list, and the hosts of their pages."""

    key: str
    numbers: tuple[int, ...]
    hosts: tuple[str, ...]


def folded(keys: Iterable[CaseKey], by: Fold, mains: Mapping[str, str]) -> list[Folded]:
    """The rows in the order of their first case; sites and works with most cases first.

    mains: for a host that is counted as another, that other.
    """
    rows: dict[str, list[CaseKey]] = {}
    for one in keys:
        key = _key(one, by)
        rows.setdefault(mains.get(key, key) if by is Fold.SITE else key, []).append(one)
    found = [_row(key, cases) for key, cases in rows.items()]
    return sorted(found, key=lambda row: -len(row.numbers)) if by in (Fold.SITE, Fold.WORK) else found


def _row(key: str, cases: Sequence[CaseKey]) -> Folded:
    hosts = dict.fromkeys(one["page_host"] for one in cases)
    return Folded(key, tuple(one["number"] for one in cases), tuple(hosts))


def _key(one: CaseKey, by: Fold) -> str:
    if by is Fold.CLUSTER:
        return one["cluster_id"] or one["page_id"]
    if by is Fold.SITE:
        return one["page_host"]
    return one["work_id"] if by is Fold.WORK else str(one["number"])
