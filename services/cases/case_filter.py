"""Which cases are wanted, in which order and folded by what: as an address says it, and as the store is asked."""

from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from services.acting import Acting
from services.cases.folded_lists import Fold
from services.context import Product
from store.records import CaseConditions, CaseOrder, CaseStatus, Level
from store.rules.cases.case_order import USUAL
from store.rules.china_time import beginning, ending
from store.rules.web.mirror_counting import hosts_counted_as

NOBODY: Final = "none"
ME: Final = "me"
_PLAIN: Final = "!$'()*,/:;?@"  # stand in a query as they are


class YesNo(StrEnum):
    """A question that a filter asks of a case."""

    YES = "yes"
    NO = "no"


class Band(StrEnum):
    """Where the probability lies."""

    UNCERTAIN = "uncertain"  # between the two thresholds: a person has to look closely
    CERTAIN = "certain"


class Counted(StrEnum):
    """What the figures of the overview and the analysis count."""

    COPIES = "copies"  # neither dismissed nor licensed
    CONFIRMED = "confirmed"  # by a person, whatever became of them since


@dataclass(frozen=True, slots=True)
class Filter:
    """Named as in the address; None lets every value pass."""

    status: CaseStatus | None = None
    q: str | None = None  # words of the titles or the address
    host: str | None = None
    site: str | None = None  # id of a watched site: all its hosts
    work: str | None = None
    on: str | None = None  # id of the page
    cluster: str | None = None
    counted: Counted | None = None
    level: Level | None = None
    band: Band | None = None
    licensed: YesNo | None = None
    licence: str | None = None  # its id
    credited: YesNo | None = None
    present: YesNo | None = None
    removal: YesNo | None = None  # yes: gone, to be confirmed as removed
    returned: YesNo | None = None  # yes: back after its removal
    asked: str | None = None  # whose second opinion is asked for: a name, or "me"
    assignee: str | None = None  # a name, "me" or "none"
    score_from: float | None = None
    score_to: float | None = None
    share_from: float | None = None
    share_to: float | None = None
    since: date | None = None  # days of China, both of them included
    until: date | None = None
    order: CaseOrder | None = None  # None: what is most worth a look first
    fold: Fold | None = None  # None: by cluster

    def arguments(self, **changed: object) -> dict[str, str]:
        """The filter as an address carries it, some values changed."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changed
        return {name: _written(value) for name, value in values.items() if value is not None and value != ""}

    @property
    def sorted_by(self) -> CaseOrder:
        """How the list is sorted."""
        return self.order or USUAL

    def query(self) -> str:
        """The same as it stands in an address, after the question mark."""
        return urlencode(self.arguments(), safe=_PLAIN)

    def conditions(self, acting: Acting) -> CaseConditions:
        """The filter as the store takes it."""
        certain = acting.product.settings.matcher.certain_score
        uncertain = self.band is Band.UNCERTAIN
        return {
            "status": self.status,
            "text": self.q,
            "hosts": self._hosts(acting.product),
            "work_id": self.work,
            "page_id": self.on,
            "cluster_id": self.cluster,
            "copies": True if self.counted is Counted.COPIES else None,
            "confirmed": True if self.counted is Counted.CONFIRMED else None,
            "level": self.level,
            "licensed": _truth(self.licensed),
            "licence_id": self.licence,
            "credited": _truth(self.credited),
            "present": _truth(self.present),
            "removal": True if self.removal is YesNo.YES else None,
            "returned": True if self.returned is YesNo.YES else None,
            "asked": acting.who if self.asked == ME else self.asked,
            "assignee": {ME: acting.who, NOBODY: ""}.get(self.assignee or "", self.assignee),
            "score_from": _greatest(self.score_from, certain if self.band is Band.CERTAIN else None),
            "score_to": _least(self.score_to, certain if uncertain else None),
            "share_from": self.share_from,
            "share_to": self.share_to,
            "since": None if self.since is None else beginning(self.since),
            "until": None if self.until is None else ending(self.until),
        }

    def _hosts(self, product: Product) -> tuple[str, ...] | None:
        """Of the site that is asked for, those that are counted as the host that is asked for."""
        store = product.store
        of_site = None if self.site is None else store.sites.get(self.site).hosts
        if self.host is None:
            return of_site
        counted = hosts_counted_as(self.host, store.mirrors.mains())
        return counted if of_site is None else tuple(host for host in counted if host in of_site)

    def dropped(self) -> list[str]:
        """The names of the conditions that hold, besides the status: each can be dropped."""
        return list(self.arguments(status=None, order=None, fold=None))


def _greatest(*bounds: float | None) -> float | None:
    return max((bound for bound in bounds if bound is not None), default=None)


def _least(*bounds: float | None) -> float | None:
    return min((bound for bound in bounds if bound is not None), default=None)


def _truth(answer: YesNo | None) -> bool | None:
    return None if answer is None else answer is YesNo.YES


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
