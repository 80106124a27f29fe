"""The installation's secret key: it signs cookies and seals secrets, and lies apart from the database."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from services.sealed_secrets import Seal
from store.errors import SetupError
from store.ports import Store
from wenhen.settings import Settings

FILE: Final = "secret.key"  # in the data folder
VARIABLE: Final = "WENHEN_DASHBOARD_SECRET_KEY"
MARK: Final = "dashboard:secret_key"  # where earlier releases kept it, in the database


def seal_of(settings: Settings, store: Store) -> Seal:
    """The seal under the keys of this installation."""
    return Seal(lambda: keys_of(settings, store))


def keys_of(settings: Settings, store: Store) -> Sequence[str]:
    """The present key, and those of before that still unseal: of the settings; or, without one there, of a file in the
    data folder that the first who asks makes. Raises `SetupError` where it cannot be read or made.
    """
    given, former = settings.dashboard.secret_key, settings.dashboard.former_keys
    before = former.get_secret_value().split() if former else []
    if given:
        return given.get_secret_value(), *before, *_of_database(store)
    file = settings.data / FILE
    try:
        key = _read(file) or _make(file, next(iter(_of_database(store)), secrets.token_hex(32)))
    except OSError as error:
        raise SetupError("server.no_key", file=file, error=error.strerror) from error
    return key, *before


def put_back(settings: Settings, key: str) -> None:
    """Take over the key of another installation, whose records were put back here; one that is there stays."""
    if settings.dashboard.secret_key is None and not _read(settings.data / FILE):
        _make(settings.data / FILE, key)


def leave_database(settings: Settings, store: Store) -> None:
    """Forget the key that an earlier release kept in the database, once everything is sealed under another, or under
    the same that now lies in a file.
    """
    if _of_database(store):
        keys_of(settings, store)  # takes it over where there is no other
        store.marks.set(MARK, {})


def _of_database(store: Store) -> list[str]:
    key = (store.marks.get(MARK) or {}).get("key")
    return [str(key)] if key else []


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _make(file: Path, key: str) -> str:
    """Write it whole and for us alone; another process may have been quicker, and then its key counts."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{FILE}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            written.write(key)
            written.flush()
            os.fsync(written.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return _read(file)
    finally:
        draft.unlink(missing_ok=True)
    return key
