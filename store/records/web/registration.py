"""What a registry said of a domain on a day."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One answer by RDAP (RFC 9083). digest: sha256 of it as it came, key of the blob; url: who gave it."""

    id: str
    domain: str
    asked_at: datetime
    asked_by: str
    url: str
    digest: str
    registrar: str | None = None
    registrar_id: str | None = None  # IANA's number
    registrant: str | None = None
    abuse: tuple[str, ...] = ()
    name_servers: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    changed_at: datetime | None = None
