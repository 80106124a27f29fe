"""The mailbox in which answers to notices arrive, read by IMAP (RFC 9051). Nothing is changed or removed in it."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from pipeline.setting_sections import NoticeSettings
from store.errors import Unavailable

MOST_MB: Final = 30  # of one mail; of a larger one the head alone is taken
_PATIENCE: Final = 30  # seconds that the server may be silent
_TOLD: Final = 200  # characters of what it says


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail as it lies there. uid: its number in the folder; at: when the server had it; size: bytes; whole: whether
    `content` is all of it.
    """

    uid: int
    at: datetime
    size: int
    content: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A folder that is open for reading. validity: as long as it stays, a number names the same mail."""

    validity: int
    _client: IMAPClient

    def after(self, uid: int, since: date | None) -> list[int]:
        """The numbers beyond `uid`, ascending, of mails that came since that day."""
        criteria: list[Any] = ["UID", f"{uid + 1}:*", *(["SINCE", since] if since else [])]
        # A range that ends in "*" holds the last mail, whatever it begins with.
        return sorted(found for found in self._client.search(criteria) if found > uid)

    def take(self, uid: int) -> Mail | None:
        """One of them; None where it is gone meanwhile."""
        told = self._client.fetch([uid], ["RFC822.SIZE", "INTERNALDATE"]).get(uid)
        if told is None:
            return None
        size, whole = int(told[b"RFC822.SIZE"]), int(told[b"RFC822.SIZE"]) <= MOST_MB * 2**20
        part = "BODY[]" if whole else "BODY[HEADER]"
        got = self._client.fetch([uid], [part.replace("BODY", "BODY.PEEK")]).get(uid, {})
        content = got.get(part.encode())
        return Mail(uid, told[b"INTERNALDATE"], size, content, whole) if content else None


@contextmanager
def opened(settings: NoticeSettings) -> Iterator[Mailbox]:
    """The folder that the settings name. Raises `Unavailable`, which holds for what is done with it too."""
    host, _, port = settings.imap.rpartition(":")
    context = ssl.create_default_context()
    password = settings.imap_password.get_secret_value() if settings.imap_password else ""
    direct = settings.imap_tls == "tls"
    try:
        with IMAPClient(host, int(port), ssl=direct, ssl_context=context if direct else None, timeout=_PATIENCE) as one:
            one.normalise_times = False  # with their zone
            if settings.imap_tls == "starttls":
                one.starttls(context)
            one.login(settings.imap_user, password)
            folder = one.select_folder(settings.imap_folder, readonly=True)
            yield Mailbox(int(folder[b"UIDVALIDITY"]), one)
    except (OSError, IMAPClientError, ValueError, KeyError) as error:
        raise Unavailable("replies.no_mailbox", said=(str(error) or type(error).__name__)[:_TOLD]) from error
