"""An authorised reprint."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """An authorised reprint: a host or address prefix that may carry one work, or all."""

    id: str
    licensee: str
    url_prefix: str  # scheme-less: host or host/path
    work_id: str | None  # None covers every work
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    attribution: str | None = None  # what the page has to say of its source; None: nothing
