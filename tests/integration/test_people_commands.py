"""`wenhen users`, `tokens` and `webhooks`, and the first administrator, on real servers."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.commands.commanding import Run, command_on
from tests.support.people import acting_on
from tests.support.seed import product_over
from wenhen.accounts.passwords import verify_password
from wenhen.accounts.sessions import find_bearer
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import SetupError
from wenhen.kit.rights import Right, Role
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.processes.dashboard_process import check_dashboard_access, make_first_administrator
from wenhen.runtime.settings_sources import load_settings
from wenhen.settings.dashboard_and_sign_in import DashboardSettings


@pytest.fixture
def command(servers: ServerAddresses, redis_url: str, tmp_path: Path) -> Iterator[tuple[Run, Store]]:
    """The command on a database of this test's own, and the store behind it."""
    with command_on(servers, redis_url, tmp_path) as commanded:
        yield commanded


def test_users_are_added_changed_and_removed_by_command(command: tuple[Run, Store]) -> None:
    run, store = command
    added = run("users", "add", "沈 Yan", "--role", "lawyer")
    assert added.exit_code == 0, added.output
    given = added.stdout.strip()
    assert verify_password(store.users.get("沈 yan").password, given)
    again = run("users", "add", "沈  YAN")
    assert (again.exit_code, "already" in again.stderr) == (1, True)
    assert run("users", "role", "沈 yan", "administrator").exit_code == 0
    refused = run("users", "disable", "沈 Yan")
    assert "The last administrator has to stay" in refused.stderr
    fresh = run("users", "reset", "沈 Yan", "--second-factor").stdout.strip()
    assert verify_password(store.users.get("沈 yan").password, fresh)
    (user,) = json.loads(run("users", "list", "--json").stdout)
    assert (user["role"], user["must_change"], user["second_factor"]) == ("administrator", True, False)
    assert "password" not in user
    assert run("users", "add", "陆").exit_code == 0
    for word in ("disable", "enable", "remove"):
        assert run("users", word, "陆").exit_code == 0, word
    assert {entry.who.partition(":")[0] for entry in store.audit.find()} == {"command"}


def test_tokens_are_made_listed_and_revoked_by_command(command: tuple[Run, Store]) -> None:
    run, store = command
    run("users", "add", "沈", "--role", "operator")
    text = run("tokens", "add", "沈", "--name", "ci", "--scope", "read", "--days", "3").stdout.strip()
    product = acting_on(store, clock=lambda: store.tokens.all()[0].created_at).product
    found = find_bearer(product, text)
    assert found is not None
    assert found[2] == {Right.READ}
    refused = run("tokens", "add", "沈", "--name", "ci", "--scope", "users")
    assert "users cannot be had: the role operator has read, check" in refused.stderr
    (token,) = json.loads(run("tokens", "list", "--json").stdout)
    assert "digest" not in token
    assert run("tokens", "revoke", token["id"]).exit_code == 0
    assert find_bearer(product, text) is None


def test_webhooks_are_added_and_removed_by_command(command: tuple[Run, Store]) -> None:
    run, store = command
    secret = run("webhooks", "add", "https://receiver.example/in", "--event", "case.new").stdout.strip()
    (hook,) = store.webhooks.all()
    assert list(hook.events) == ["case.new"]
    assert (secret in hook.secret, hook.secret.startswith("sealed:")) == (False, True)
    assert "begins with http://" in run("webhooks", "add", "receiver.example").stderr
    assert "receiver.example" in run("webhooks", "list").stdout
    assert run("webhooks", "remove", hook.id).exit_code == 0
    assert store.webhooks.all() == []


def test_alerts_of_people_are_made_changed_tested_and_removed_by_command(command: tuple[Run, Store]) -> None:
    run, store = command
    run("users", "add", "沈 Yan", "--role", "lawyer")
    assert run("alerts", "add", "新案件", "--event", "new").exit_code == 2  # nobody's bell, and sent nowhere
    words = ("--event", "gone", "--event", "new", "--user", "沈 yan", "--host", "copies.example", "--assignee", "me")
    id = run("alerts", "add", "新案件", *words).stdout.strip()
    rule = store.alerts.rule(id)
    assert (rule.user, rule.user_id, rule.where["assignee"]) == ("沈 Yan", "沈 yan", "沈 Yan")
    assert "its alerts stand under the bell alone" in run("alerts", "test", id).stderr
    changes = ("--all", "--pace", "daily", "--channel", "json://127.0.0.1:9/secret", "--pause")
    edited = run("alerts", "edit", id, *changes)
    assert edited.exit_code == 0, edited.output
    assert run("alerts", "edit", id, "--resume").exit_code == 0
    (shown,) = json.loads(run("alerts", "list", "--user", "沈 Yan", "--json").stdout)
    assert (shown["name"], shown["query"], shown["pace"], shown["kind"]) == ("新案件", "", "daily", "json")
    assert (shown["events"], "channel" in shown, shown["paused_at"]) == (["new", "gone"], False, None)
    tested = run("alerts", "test", id)
    assert (tested.exit_code, "private" in tested.stderr) == (1, True), tested.output
    assert "secret" not in run("alerts", "list").stdout + "".join(str(line.new) for line in store.audit.find())
    assert run("alerts", "remove", id).exit_code == 0
    assert store.alerts.rules() == []


@pytest.mark.parametrize(("given", "shown"), [(None, True), ("河堤上的槐树 1987", False)])
def test_the_first_administrator_has_the_password_of_the_settings_or_one_that_is_shown(
    store: Store, redis_url: str, given: str | None, shown: bool
) -> None:
    with product_over(store, redis_url) as plain:
        app = replace(plain, settings=load_settings(dashboard={"password": given}))
        made = make_first_administrator(app)
        assert (made is not None) == shown
        admin = store.users.get("admin")
        assert (admin.role, admin.must_change) == (Role.ADMINISTRATOR, shown)
        assert verify_password(admin.password, given or made or "")
        assert make_first_administrator(app) is None


def test_a_weak_password_for_the_first_administrator_is_refused(store: Store, redis_url: str) -> None:
    with product_over(store, redis_url) as plain:
        app = replace(plain, settings=load_settings(dashboard={"password": "short"}))
        with pytest.raises(SetupError, match="10 to 200 characters"):
            make_first_administrator(app)


def test_a_dashboard_that_asks_nobody_starts_on_loopback_alone() -> None:
    check_dashboard_access(DashboardSettings(sign_in=False))
    check_dashboard_access(DashboardSettings(host="0.0.0.0"))
    with pytest.raises(SetupError, match="WENHEN_DASHBOARD_SIGN_IN"):
        check_dashboard_access(DashboardSettings(host="0.0.0.0", sign_in=False))
