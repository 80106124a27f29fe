"""Which licence covers a page, and whether the page names its source as the licence wants."""

from collections.abc import Iterable
from datetime import datetime
from unicodedata import normalize

from store.records import Licence
from store.rules.web.url_prefix import stands_below


def covering(licences: Iterable[Licence], url: str, work_id: str, at: datetime) -> Licence | None:
    """The licence for the work, at this time, on this host and below its path.

    A prefix without a port covers every port of the host. Of several, the one for this very work and with the longest
    prefix. BadInput: the url is no address.
    """
    found = [one for one in licences if covers(one, url, work_id, at)]
    return max(found, key=lambda one: (one.work_id is not None, len(one.url_prefix)), default=None)


def covers(licence: Licence, url: str, work_id: str, at: datetime) -> bool:
    """Whether a licence allows what stands at this address, at this time."""
    return licence.work_id in (work_id, None) and _in_force(licence, at) and stands_below(url, licence.url_prefix)


def says(text: str, wanted: str) -> bool:
    """Whether the words stand in the text, whatever their width, case and spacing.

    >>> says("来源： 晨读网 ＡＢＣ", "来源:晨读网abc")
    True
    >>> says("来源：晨报", "来源：晨读网")
    False
    """
    return _plain(wanted) in _plain(text)


def _in_force(licence: Licence, at: datetime) -> bool:
    begun = licence.valid_from is None or licence.valid_from <= at
    return begun and (licence.valid_until is None or at <= licence.valid_until)


def _plain(text: str) -> str:
    return "".join(normalize("NFKC", text).casefold().split())
