"""Describe authorised reprints, and decide which licence covers a page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from unicodedata import normalize

from wenhen.kit.clock import china_day
from wenhen.kit.web import is_below_prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """An authorised reprint: a host or address prefix that may carry one work, all of a rights holder, or all."""

    id: str
    licensee: str
    url_prefix: str  # scheme-less: host or host/path
    work_id: str | None  # None covers every work
    holder: str | None = None  # only works of this rights holder
    valid_from: datetime | None = None
    valid_until: datetime | None = None  # the first moment after its last day
    attribution: str | None = None  # what the page has to say of its source; None: nothing

    @property
    def last_day(self) -> date | None:
        """Return its last day in China, as people are told it."""
        return None if self.valid_until is None else china_day(self.valid_until - timedelta(milliseconds=1))


def find_covering_licence(
    licences: Iterable[Licence], url: str, work_id: str, moment: datetime, owner: str | None = None
) -> Licence | None:
    """The licence for the work, at this time, on this host and below its path.

    A prefix without a port covers every port of the host. Of several, the one for this very work, then for its holder,
    and with the longest prefix. owner: of the work. BadInput: the url is no address.
    """
    covering = [licence for licence in licences if is_covered_by(licence, url, work_id, moment, owner)]
    return max(
        covering,
        key=lambda licence: (licence.work_id is not None, licence.holder is not None, len(licence.url_prefix)),
        default=None,
    )


def is_covered_by(licence: Licence, url: str, work_id: str, moment: datetime, owner: str | None = None) -> bool:
    """Whether a licence allows what stands at this address, at this time."""
    return (
        licence.work_id in (work_id, None)
        and licence.holder in (owner, None)
        and _is_in_force(licence, moment)
        and is_below_prefix(url, licence.url_prefix)
    )


def has_attribution(text: str, wanted: str) -> bool:
    """Whether the words stand in the text, whatever their width, case and spacing.

    >>> has_attribution("来源： 晨读网 ＡＢＣ", "来源:晨读网abc")
    True
    >>> has_attribution("来源：晨报", "来源：晨读网")
    False
    """
    return _normalize_words(wanted) in _normalize_words(text)


def _is_in_force(licence: Licence, moment: datetime) -> bool:
    begun = licence.valid_from is None or licence.valid_from <= moment
    return begun and (licence.valid_until is None or moment <= licence.valid_until)


def _normalize_words(text: str) -> str:
    return "".join(normalize("NFKC", text).casefold().split())
