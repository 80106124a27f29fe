"""Secrets are sealed under a key that lies apart from the database and can be changed."""

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymongo
import pyotp
import pytest
from pydantic import SecretStr

from tests.support.acting import by
from tests.support.people import add_user
from tests.support.samples import at_once
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import SetupError
from wenhen.kit.sealed_secrets import Seal
from wenhen.runtime.processes.wsgi import reseal_stored_secrets
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import SECRET_KEY_FILE, SECRET_KEY_MARK, App, read_secret_keys, restore_secret_key
from wenhen.settings.dashboard_and_sign_in import DashboardSettings
from wenhen.sites.access import open_access, set_proxies, set_session_cookies
from wenhen.sites.service import add_site
from wenhen.webhooks.service import CASE_EVENTS, add_webhook

SECRETS = ("7f5e0c11", "s3cretword")


def with_keys(app: App, present: str, former: str | None = None) -> App:
    dashboard = DashboardSettings(secret_key=SecretStr(present), former_keys=SecretStr(former) if former else None)
    settings = app.settings.model_copy(update={"dashboard": dashboard})
    return replace(app, settings=settings, seal=Seal(lambda: read_secret_keys(settings, app.store)))


def everything(url_and_db: tuple[str, str]) -> str:
    """All that is in the database."""
    with pymongo.MongoClient[dict[str, Any]](url_and_db[0]) as client:
        database = client.get_database(url_and_db[1])
        return str([list(database.get_collection(name).find()) for name in database.list_collection_names()])


def test_no_secret_can_be_read_in_the_database_whatever_key_there_was_before(
    product: App, mongo_url_and_db: tuple[str, str]
) -> None:
    first, factor = with_keys(product, "first"), pyotp.random_base32()
    add_site(by(first), {"urls": "http://a.example/"})
    set_session_cookies(by(first), "a.example", f"sid={SECRETS[0]}")
    set_proxies(by(first), "a.example", [f"http://me:{SECRETS[1]}@proxy.example:3128"])
    hook = add_webhook(by(first), "https://receiver.example/", CASE_EVENTS)
    add_user(product.store, totp_secret=factor)  # as an earlier release kept it
    product.store.marks.set(SECRET_KEY_MARK, {"key": "first"})
    reseal_stored_secrets(first)
    kept = everything(mongo_url_and_db)
    assert not [secret for secret in (*SECRETS, hook.secret, factor, "'first'") if secret in kept]

    other = with_keys(product, "second")
    with pytest.raises(SetupError, match="WENHEN_DASHBOARD_FORMER_KEYS"):
        open_access(other, "a.example")
    reseal_stored_secrets(with_keys(product, "second", "elder first"))
    sealed = product.store.users.get("沈 yan").totp_secret or ""
    assert (first.seal.unseal(sealed, "沈 yan"), other.seal.unseal(sealed, "沈 yan")) == (None, factor)
    assert open_access(other, "a.example").cookies[0].value == SECRETS[0]
    assert SECRETS[1] in open_access(other, "a.example").proxies[0]
    assert {one.subject for one in product.store.audit.find(action="secrets.reseal")} == {
        *("user:沈 yan", "site:a.example", f"webhook:{hook.id}")
    }


def test_without_a_setting_the_key_lies_in_the_data_folder_for_its_owner_alone(store: Store, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "new")
    keys = at_once(*[lambda: read_secret_keys(settings, store)] * 4)
    assert len({key for key, *_ in keys}) == 1
    assert stat.S_IMODE((tmp_path / "new" / SECRET_KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == [SECRET_KEY_FILE]
    assert store.marks.get(SECRET_KEY_MARK) is None


def test_the_key_that_an_earlier_release_kept_in_the_database_moves_out_of_it(store: Store, tmp_path: Path) -> None:
    store.marks.set(SECRET_KEY_MARK, {"key": "of before"})
    assert read_secret_keys(Settings(data=tmp_path), store)[0] == "of before"
    given = Settings(data=tmp_path, dashboard=DashboardSettings(secret_key=SecretStr("given")))
    assert list(read_secret_keys(given, store)) == ["given", "of before"]


def test_who_puts_a_backup_back_gets_its_key_and_loses_none(store: Store, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    for key in ("of the backup", "of another"):
        restore_secret_key(settings, key)
        assert read_secret_keys(settings, store)[0] == "of the backup"
