"""Secrets are sealed under a key that lies apart from the database and can be changed."""

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymongo
import pyotp
import pytest
from pydantic import SecretStr

from services.crawls.opened_access import opened_access
from services.sealed_secrets import Seal
from services.sites import site_access, sites
from services.webhooks import registry
from store.errors import SetupError
from store.ports import Store
from tests.support.acting import by
from tests.support.people import add_user
from tests.support.samples import at_once
from wenhen.processes.wsgi import seal_anew
from wenhen.secret_key import FILE, MARK, keys_of, put_back
from wenhen.settings import DashboardSettings, Settings
from wenhen.wiring import App

SECRETS = ("7f5e0c11", "s3cretword")


def with_keys(app: App, present: str, former: str | None = None) -> App:
    dashboard = DashboardSettings(secret_key=SecretStr(present), former_keys=SecretStr(former) if former else None)
    settings = app.settings.model_copy(update={"dashboard": dashboard})
    return replace(app, settings=settings, seal=Seal(lambda: keys_of(settings, app.store)))


def everything(url_and_db: tuple[str, str]) -> str:
    """All that is in the database."""
    with pymongo.MongoClient[dict[str, Any]](url_and_db[0]) as client:
        database = client.get_database(url_and_db[1])
        return str([list(database.get_collection(name).find()) for name in database.list_collection_names()])


def test_no_secret_can_be_read_in_the_database_whatever_key_there_was_before(
    product: App, mongo_url_and_db: tuple[str, str]
) -> None:
    first, factor = with_keys(product, "first"), pyotp.random_base32()
    sites.add(by(first), {"urls": "http://a.example/"})
    site_access.begin_session(by(first), "a.example", f"sid={SECRETS[0]}")
    site_access.set_proxies(by(first), "a.example", [f"http://me:{SECRETS[1]}@proxy.example:3128"])
    hook = registry.add(by(first), "https://receiver.example/", registry.TELLABLE)
    add_user(product.store, totp_secret=factor)  # as an earlier release kept it
    product.store.marks.set(MARK, {"key": "first"})
    seal_anew(first)
    kept = everything(mongo_url_and_db)
    assert not [secret for secret in (*SECRETS, hook.secret, factor, "'first'") if secret in kept]

    other = with_keys(product, "second")
    with pytest.raises(SetupError, match="WENHEN_DASHBOARD_FORMER_KEYS"):
        opened_access(other, "a.example")
    seal_anew(with_keys(product, "second", "elder first"))
    sealed = product.store.users.get("沈 yan").totp_secret or ""
    assert (first.seal.unseal(sealed, "沈 yan"), other.seal.unseal(sealed, "沈 yan")) == (None, factor)
    assert opened_access(other, "a.example").cookies[0].value == SECRETS[0]
    assert SECRETS[1] in opened_access(other, "a.example").proxies[0]
    assert {one.subject for one in product.store.audit.find(action="secrets.reseal")} == {
        *("user:沈 yan", "site:a.example", f"webhook:{hook.id}")
    }


def test_without_a_setting_the_key_lies_in_the_data_folder_for_its_owner_alone(store: Store, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "new")
    keys = at_once(*[lambda: keys_of(settings, store)] * 4)
    assert len({key for key, *_ in keys}) == 1
    assert stat.S_IMODE((tmp_path / "new" / FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]
    assert store.marks.get(MARK) is None


def test_the_key_that_an_earlier_release_kept_in_the_database_moves_out_of_it(store: Store, tmp_path: Path) -> None:
    store.marks.set(MARK, {"key": "of before"})
    assert keys_of(Settings(data=tmp_path), store)[0] == "of before"
    given = Settings(data=tmp_path, dashboard=DashboardSettings(secret_key=SecretStr("given")))
    assert list(keys_of(given, store)) == ["given", "of before"]


def test_who_puts_a_backup_back_gets_its_key_and_loses_none(store: Store, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    for key in ("of the backup", "of another"):
        put_back(settings, key)
        assert keys_of(settings, store)[0] == "of the backup"
