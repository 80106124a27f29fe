"""Filter, sort and group lists of cases, and save filters under a name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Any, Final, cast
from urllib.parse import urlencode

from matcher.model import Level
from wenhen.cases.model import CaseConditions, CaseKey, CaseOrder, CaseStatus, SavedFilter
from wenhen.cases.rules import DEFAULT_CASE_ORDER
from wenhen.context.use_cases import Acting, Product
from wenhen.kit.clock import end_of_day, start_of_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.sites.model import mirror_group
from wenhen.sites.service import find_named_host

# Grouping of cases into rows: by page or cluster, site, or work.


class Fold(StrEnum):
    """The unit of a row."""

    CLUSTER = "cluster"  # a page, or the pages of a cluster
    NONE = "none"  # one case per row
    SITE = "site"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Folded:
    """The cases of a row by number in list order, and the hosts of their pages."""

    key: str
    numbers: tuple[int, ...]
    hosts: tuple[str, ...]


def fold_cases(keys: Iterable[CaseKey], by: Fold, mains: Mapping[str, str]) -> list[Folded]:
    """Group cases into rows, ordered by their first case. Sites and works are ordered by number of cases.

    mains: main host by mirror host.
    """
    rows: dict[str, list[CaseKey]] = {}
    for case_key in keys:
        key = _fold_key(case_key, by)
        rows.setdefault(mains.get(key, key) if by is Fold.SITE else key, []).append(case_key)
    folded_rows = [_fold_row(key, cases) for key, cases in rows.items()]
    return sorted(folded_rows, key=lambda row: -len(row.numbers)) if by in (Fold.SITE, Fold.WORK) else folded_rows


def _fold_row(key: str, cases: Sequence[CaseKey]) -> Folded:
    hosts = dict.fromkeys(case["page_host"] for case in cases)
    return Folded(key, tuple(case["number"] for case in cases), tuple(hosts))


def _fold_key(key: CaseKey, by: Fold) -> str:
    if by is Fold.CLUSTER:
        return key["cluster_id"] or key["page_id"]
    if by is Fold.SITE:
        return key["page_host"]
    return key["work_id"] if by is Fold.WORK else str(key["number"])


# Filters of case lists, converted to and from URL queries and to store conditions.


NO_ASSIGNEE: Final = "none"
OWN_CASES: Final = "me"
_UNESCAPED_CHARACTERS: Final = "!$'()*,/:;?@"  # not percent-encoded in a query


class YesNo(StrEnum):
    """The value of a yes-no condition."""

    YES = "yes"
    NO = "no"


class Band(StrEnum):
    """A range of probabilities."""

    UNCERTAIN = "uncertain"  # between the two thresholds, where a person has to check
    CERTAIN = "certain"


class Counted(StrEnum):
    """The cases that statistics count."""

    COPIES = "copies"  # neither dismissed nor licensed
    CONFIRMED = "confirmed"  # confirmed by a user, whatever their status is now


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions of a case list, named as in the URL. None matches every value."""

    status: CaseStatus | None = None
    q: str | None = None  # words of the titles or the URL
    host: str | None = None
    site: str | None = None  # id of a watched site, matches all its hosts
    work: str | None = None
    holder: str | None = None  # name of the rights holder
    on: str | None = None  # page id
    cluster: str | None = None
    counted: Counted | None = None
    level: Level | None = None
    band: Band | None = None
    licensed: YesNo | None = None
    licence: str | None = None  # licence id
    credited: YesNo | None = None
    present: YesNo | None = None
    removal: YesNo | None = None  # yes: gone, removal to be confirmed
    returned: YesNo | None = None  # yes: found again after its removal
    asked: str | None = None  # user asked for a second opinion, a name or "me"
    assignee: str | None = None  # a name, "me" or "none"
    score_from: float | None = None
    score_to: float | None = None
    share_from: float | None = None
    share_to: float | None = None
    since: date | None = None  # inclusive days in China
    until: date | None = None
    order: CaseOrder | None = None  # None: by priority
    fold: Fold | None = None  # None: by cluster

    def arguments(self, **changed: object) -> dict[str, str]:
        """Return the query arguments of the filter, with some values changed."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changed
        return {name: _format_argument(value) for name, value in values.items() if value is not None and value != ""}

    @property
    def sorted_by(self) -> CaseOrder:
        """Return the order of the list."""
        return self.order or DEFAULT_CASE_ORDER

    def query(self) -> str:
        """Return the URL query of the filter, without the question mark."""
        return urlencode(self.arguments(), safe=_UNESCAPED_CHARACTERS)

    def conditions(self, acting: Acting) -> CaseConditions:
        """Return the filter as store conditions."""
        certain = acting.product.settings.matcher.certain_score
        uncertain = self.band is Band.UNCERTAIN
        return {
            "status": self.status,
            "text": self.q,
            "hosts": self._hosts(acting.product),
            "work_id": self.work,
            "holder": self.holder,
            "page_id": self.on,
            "cluster_id": self.cluster,
            "copies": True if self.counted is Counted.COPIES else None,
            "confirmed": True if self.counted is Counted.CONFIRMED else None,
            "level": self.level,
            "licensed": _yes_no_value(self.licensed),
            "licence_id": self.licence,
            "credited": _yes_no_value(self.credited),
            "present": _yes_no_value(self.present),
            "removal": True if self.removal is YesNo.YES else None,
            "returned": True if self.returned is YesNo.YES else None,
            "asked": acting.who if self.asked == OWN_CASES else self.asked,
            "assignee": {OWN_CASES: acting.who, NO_ASSIGNEE: ""}.get(self.assignee or "", self.assignee),
            "score_from": _upper_bound(self.score_from, certain if self.band is Band.CERTAIN else None),
            "score_to": _lower_bound(self.score_to, certain if uncertain else None),
            "share_from": self.share_from,
            "share_to": self.share_to,
            "since": None if self.since is None else start_of_day(self.since),
            "until": None if self.until is None else end_of_day(self.until),
        }

    def _hosts(self, product: Product) -> tuple[str, ...] | None:
        """Return the hosts of the site, restricted to the main host and its mirrors if a host is given."""
        store = product.store
        of_site = None if self.site is None else store.sites.get(self.site).hosts
        if self.host is None:
            return of_site
        counted = mirror_group(find_named_host(product, self.host), store.mirrors.mains())
        return counted if of_site is None else tuple(host for host in counted if host in of_site)

    def droppable_names(self) -> list[str]:
        """Return the names of the active conditions other than the status, which users can remove."""
        return list(self.arguments(status=None, order=None, fold=None))


def _upper_bound(*bounds: float | None) -> float | None:
    return max((bound for bound in bounds if bound is not None), default=None)


def _lower_bound(*bounds: float | None) -> float | None:
    return min((bound for bound in bounds if bound is not None), default=None)


def _yes_no_value(answer: YesNo | None) -> bool | None:
    return None if answer is None else answer is YesNo.YES


def _format_argument(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# Saved filters are private to a user, so they have no audit log.


MAX_FILTER_NAME_CHARACTERS: Final = 60


def find_saved_filters(acting: Acting) -> list[SavedFilter]:
    """Return the saved filters of this user, sorted by name."""
    return acting.product.store.filters.of_user(acting.who)


def save_filter(acting: Acting, name: str, chosen: Filter) -> SavedFilter:
    """Save a filter in place of an earlier one with this name. Raises `BadInput` for an empty name."""
    name = name.strip()[:MAX_FILTER_NAME_CHARACTERS]
    if not name:
        raise BadInput("cases.filter_unnamed")
    product = acting.product
    return product.store.filters.put(acting.who, name, chosen.query(), product.now())


def delete_filter(acting: Acting, id: str) -> None:
    """Delete a saved filter of this user. Raises `NotFound`."""
    if not acting.product.store.filters.remove(id, acting.who):
        raise NotFound("cases.no_filter", id=id)


_CONDITION_TYPES: Final[Mapping[str, Callable[[Any], object]]] = {"status": CaseStatus, "level": Level, "hosts": tuple}


def serialize_conditions(where: CaseConditions) -> dict[str, object]:
    """Return the conditions in a form that the store accepts."""
    return {name: value for name, value in where.items() if value is not None}


def parse_conditions(stored: Mapping[str, object]) -> CaseConditions:
    """Return the conditions from their stored form."""
    return cast(
        "CaseConditions", {name: _CONDITION_TYPES.get(name, _unchanged_value)(value) for name, value in stored.items()}
    )


def _unchanged_value(value: object) -> object:
    return value
