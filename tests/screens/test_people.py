"""Accounts, users and the audit log on the screen."""

import re
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pyotp
import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from tests.support.people import PASSWORD, acting_on, add_user, inside, sign_in, signed_in
from tests.support.samples import TurnedClock
from tests.support.screens import MARKUP, Foreign, MakeApp, post
from tests.support.seed import NOW, Seeder
from wenhen.accounts import passwords
from wenhen.accounts.passwords import hash_password, verify_password
from wenhen.accounts.sign_in import accept_code, start_second_factor, turn_on_second_factor
from wenhen.accounts.users import create_user, first_administrator
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Role
from wenhen.kit.sealed_secrets import Seal

NEW = "another long password"


def shown_once(page: str) -> str:
    """The secret that a page shows."""
    found = re.search(r'<code class="secret">([^<]*)</code>', page)
    assert found, page
    return found[1]


def test_a_password_that_was_given_has_to_be_changed_before_anything_else(make_app: MakeApp, store: Store) -> None:
    _, given = create_user(acting_on(store), "陆 沉", Role.REVIEWER)
    app = make_app(sign_in=True)
    client, elsewhere = app.test_client(), app.test_client()
    for one in (client, elsewhere):
        assert sign_in(one, "陆 沉", given).status_code == 303
    for address in ("/suspects/", "/users/", "/reports/cases.json"):
        assert client.get(address).location == "/account/"
    for old, new, again in (("wrong", NEW, NEW), (given, "short", "short"), (given, NEW, "x"), (given, given, given)):
        form = {"old": old, "new": new, "again": again}
        assert post(client, "/account/password", form_at="/account/", **form).status_code == 400
    assert "陆" in client.get("/account/").text
    changed = post(client, "/account/password", form_at="/account/", old=given, new=NEW, again=NEW)
    assert (changed.status_code, changed.location) == (303, "/")
    assert inside(client)
    assert not inside(elsewhere)
    assert sign_in(app.test_client(), "陆 沉", given).status_code == 401
    assert sign_in(app.test_client(), "陆 沉", NEW).status_code == 303


@pytest.mark.parametrize("password", ["short", "沈 yan 沈 yan 1", "aaaaaaaaaaaaaaa", "x" * 201, "password1234"])
def test_a_password_that_is_easy_to_guess_is_refused(make_app: MakeApp, store: Store, password: str) -> None:
    add_user(store)
    client = signed_in(make_app(sign_in=True))
    form = {"old": PASSWORD, "new": password, "again": password}
    assert post(client, "/account/password", form_at="/account/", **form).status_code == 400
    assert sign_in(client.application.test_client()).status_code == 303


def test_the_second_factor_is_proved_asked_for_and_no_code_is_taken_twice(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    watch = TurnedClock()
    app = make_app(sign_in=True, clock=watch)
    client = signed_in(app)
    assert post(client, "/account/second-factor", form_at="/account/", password="guess").status_code == 400
    post(client, "/account/second-factor", form_at="/account/", password=PASSWORD)
    stored = store.users.get("沈 yan").totp_pending
    [shown] = LexborHTMLParser(client.get("/account/").text).css("#factor ~ p code")
    secret = shown.text()
    assert secret not in str(stored)
    picture = client.get("/account/second-factor.svg")
    assert (picture.mimetype, b"style" in picture.data) == ("image/svg+xml", False)
    assert sign_in(app.test_client()).location == "/"  # not proved yet: not asked for
    assert post(client, "/account/second-factor/on", form_at="/account/", code="000000").status_code == 400
    totp = pyotp.TOTP(secret)
    page = post(client, "/account/second-factor/on", form_at="/account/", code=totp.at(watch.now)).text
    codes = shown_once(page).split()
    assert len(set(codes)) == 10
    assert codes[0] not in str(store.users.get("沈 yan").recovery)

    def answer(code: str) -> bool:
        browser = app.test_client()
        assert sign_in(browser).location == "/sign-in/code"
        assert not inside(browser)
        post(browser, "/sign-in/code", form_at="/sign-in/code", code=code)
        return inside(browser)

    assert not answer(totp.at(watch.now))  # it turned the factor on
    watch.now += timedelta(seconds=30)
    assert answer(totp.at(watch.now))
    assert not answer(totp.at(watch.now))
    assert not answer("123456")
    assert answer(codes[0].upper())
    assert not answer(codes[0])
    for password, code in ((PASSWORD, "1"), ("guess", codes[1])):
        form = {"password": password, "code": code}
        assert post(client, "/account/second-factor/off", form_at="/account/", **form).status_code == 400
    form = {"password": PASSWORD, "code": codes[1]}
    assert post(client, "/account/second-factor/off", form_at="/account/", **form).status_code == 303
    assert sign_in(app.test_client()).location == "/"


def test_the_secret_of_a_second_factor_opens_only_with_the_key_of_the_installation_and_for_its_user(
    store: Store,
) -> None:
    add_user(store)
    seal, watch = Seal(lambda: ["only for tests"]), TurnedClock()
    acting = replace(acting_on(store, clock=watch), user_id="沈 yan")
    secret = start_second_factor(acting, seal, PASSWORD)
    totp = pyotp.TOTP(secret)
    recovery, _ = turn_on_second_factor(acting, seal, totp.at(watch.now))[:2]
    user = store.users.get("沈 yan")
    assert secret not in repr([getattr(user, field) for field in ("totp_secret", "totp_pending", "recovery")])
    other = add_user(store, "顾", totp_secret=user.totp_secret)
    watch.now += timedelta(minutes=1)
    assert not accept_code(acting.product, seal, other, totp.at(watch.now))
    assert accept_code(acting.product, seal, user, totp.at(watch.now))
    watch.now += timedelta(minutes=1)
    assert not accept_code(acting.product, Seal(lambda: ["another"]), user, totp.at(watch.now))
    assert accept_code(acting.product, Seal(lambda: ["another"]), user, recovery)


def test_a_secret_that_was_stored_before_they_were_sealed_works_and_is_sealed_at_its_first_code(store: Store) -> None:
    secret = pyotp.random_base32()
    user = add_user(store, totp_secret=secret)
    seal, watch = Seal(lambda: ["only for tests"]), TurnedClock()
    product = acting_on(store, clock=watch).product
    assert accept_code(product, seal, user, pyotp.TOTP(secret).at(watch.now))
    sealed = store.users.get(user.id)
    assert secret not in str(sealed.totp_secret)
    watch.now += timedelta(minutes=1)
    assert accept_code(product, seal, sealed, pyotp.TOTP(secret).at(watch.now))


def test_half_a_sign_in_is_over_after_five_minutes_and_codes_that_are_guessed_have_to_wait(
    make_app: MakeApp, store: Store
) -> None:
    add_user(store, totp_secret=pyotp.random_base32())
    watch = TurnedClock()
    app = make_app(sign_in=True, clock=watch)
    client = app.test_client()
    sign_in(client)
    for last in range(10):
        client.environ_base["REMOTE_ADDR"] = f"198.51.100.{last}"
        answer = post(client, "/sign-in/code", form_at="/sign-in/code", code="123456")
    assert (answer.status_code, "秒后再试" in answer.text) == (429, True)
    watch.now += timedelta(minutes=6)
    assert client.get("/sign-in/code").location == "/sign-in/"


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; x64) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0",
            "Edge 120（Windows）",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox 128（Linux）"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/17.2 Safari/605.1.15", "Safari 17（macOS）"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) MicroMessenger/8.0.44(0x18002c2d)", "微信 8（iOS）"),
        (
            "Mozilla/5.0 (Linux; HarmonyOS) Chrome/99.0 HuaweiBrowser/14 Safari/537.36",
            "华为浏览器 14（鸿蒙）",
        ),
        (
            "Mozilla/5.0 (Linux; Android 13) Version/4.0 Chrome/99 MQQBrowser/14.5 Safari/537.36",
            "QQ 浏览器 14（安卓）",
        ),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/119.0.0.0 Safari/537.36", "Chrome 119（ChromeOS）"),
        ("<b>Chromeleon</b>", "其他浏览器"),
    ],
    ids=range(8),
)
def test_a_signed_in_browser_is_shown_in_words_with_the_whole_of_what_it_says_folded_below(
    make_app: MakeApp, store: Store, agent: str, shown: str
) -> None:
    add_user(store)
    client = make_app(sign_in=True).test_client()
    client.environ_base["HTTP_USER_AGENT"] = agent
    sign_in(client)
    (cell,) = LexborHTMLParser(client.get("/account/").text).css("section[aria-labelledby=sessions] tbody th")
    summary, whole = cell.css_first("details > summary"), cell.css_first("details > bdi")
    assert summary
    assert whole
    assert (summary.text(), whole.text()) == (shown, agent)


def test_another_browser_is_signed_out_by_itself(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    add_user(store, "other")
    app = make_app(sign_in=True)
    client, elsewhere, others = signed_in(app), signed_in(app), signed_in(app, "other")
    ids = re.findall(r'name="id" value="([0-9a-f]{64})"', client.get("/account/").text)
    assert len(ids) == 1  # not the one that is looked at
    assert post(others, "/account/sessions/end-one", form_at="/account/", id=ids[0]).status_code == 404
    assert inside(elsewhere)
    post(client, "/account/sessions/end-one", form_at="/account/", id=ids[0])
    assert (inside(client), inside(elsewhere)) == (True, False)


def test_a_token_is_made_shown_once_and_revoked(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = signed_in(make_app(sign_in=True))
    page = post(client, "/account/tokens", form_at="/account/", name="每夜", days="30", scope=["read", "check"]).text
    text = shown_once(page)
    assert text not in client.get("/account/").text
    (token,) = store.tokens.all()
    assert (token.scopes, token.expires_at) == (("check", "read"), NOW + timedelta(days=30))
    wrongs: list[dict[str, object]] = [
        {"scope": ["users"]},
        {"scope": ["x"]},
        {"scope": []},
        {"name": " "},
        {"days": "0"},
    ]
    for form in wrongs:
        wrong = {"name": "n", "days": "30", "scope": ["read"], **form}
        assert post(client, "/account/tokens", form_at="/account/", **wrong).status_code == 400
    other = add_user(store, "other")
    assert (
        post(
            signed_in(client.application, other.name), "/account/tokens/revoke", form_at="/account/", id=token.id
        ).status_code
        == 404
    )
    post(client, "/account/tokens/revoke", form_at="/account/", id=token.id)
    assert store.tokens.get(token.id).revoked_at == NOW


@pytest.fixture
def chief(make_app: MakeApp, store: Store) -> FlaskClient:
    """The browser of the administrator."""
    add_user(store, "chief", Role.ADMINISTRATOR)
    return signed_in(make_app(sign_in=True), "chief")


def test_the_administrator_adds_changes_locks_out_and_removes_users(chief: FlaskClient, store: Store) -> None:
    page = post(chief, "/users/", form_at="/users/", name=" 沈  Yan ", role="operator").text
    password = shown_once(page)
    app = chief.application
    other = app.test_client()
    assert sign_in(other, "沈 yan", password).status_code == 303
    assert post(chief, "/users/", form_at="/users/", name="沈 ＹＡＮ", role="operator").status_code == 400

    post(chief, "/users/role", form_at="/users/", id="沈 yan", role="lawyer")
    assert store.users.get("沈 yan").role is Role.LAWYER
    post(chief, "/users/disable", form_at="/users/", id="沈 yan")
    assert other.get("/account/").status_code == 303
    post(chief, "/users/enable", form_at="/users/", id="沈 yan")
    fresh = shown_once(post(chief, "/users/reset", form_at="/users/", id="沈 yan").text)
    assert sign_in(app.test_client(), "沈 yan", password).status_code == 401
    assert sign_in(app.test_client(), "沈 yan", fresh).status_code == 303
    post(chief, "/users/remove", form_at="/users/", id="沈 yan")
    assert [user.id for user in store.users.all()] == ["chief"]
    assert store.sessions.of("沈 yan") == []
    actions = [entry.action for entry in store.audit.find(subject="user:沈 yan", who="chief")]
    assert actions == [
        "user.remove",
        "user.reset_password",
        "user.enable",
        "user.disable",
        "user.role",
        "user.add",
    ]
    role = store.audit.find(action="user.role")[0]
    assert (role.old, role.new) == ("operator", "lawyer")


@pytest.mark.parametrize("way", ["role", "disable", "remove"])
def test_the_last_administrator_stays(chief: FlaskClient, store: Store, way: str) -> None:
    add_user(store, "out", Role.ADMINISTRATOR, disabled_at=NOW)
    answer = post(chief, f"/users/{way}", form_at="/users/", id="chief", role="operator")
    assert answer.status_code == 409
    assert "至少要保留一位管理员" in answer.text
    assert store.users.get("chief").role is Role.ADMINISTRATOR


def test_the_audit_log_reads_as_fields_in_the_time_of_beijing(chief: FlaskClient, store: Store) -> None:
    new = '{"status": "notice_sent", "deadline": "2026-03-12T17:30:00+00:00", "cases": [1, 2], "holder": null}'
    store.audit.add_all(NOW, "沈", "case.decide", [("case:1", "lead", new)])
    page = chief.get("/audit/").text
    assert "<bdi>lead</bdi>" in page
    assert "status: notice_sent\ndeadline: 2026-03-13 01:30:00\ncases: [1, 2]\nholder: —</bdi>" in page


def test_a_file_that_somebody_shows_is_looked_up_by_its_digest_in_the_audit_log(
    chief: FlaskClient, seed: Seeder
) -> None:
    seed.library()
    file = chief.get("/cases/1/report.json")
    digest = sha256(file.data).hexdigest()
    page = chief.get(f"/audit/?sha256={digest.upper()}").text
    assert "case:1</bdi>" in page
    assert f"sha256: {digest}" in page
    assert "file: " in page
    assert "没有符合的记录。" in chief.get(f"/audit/?sha256={sha256(b'another').hexdigest()}").text


def test_the_audit_log_is_filtered_by_the_address_and_paged(chief: FlaskClient, store: Store) -> None:
    for number in range(60):
        store.audit.add_all(
            NOW + timedelta(hours=number), "沈", "case.decide", [(f"case:{number}", "lead", "confirmed")]
        )
    page = chief.get("/audit/?who=沈").text
    assert "共 60 条" in page
    assert "case:59" in page
    assert "case:59" not in chief.get("/audit/?who=沈&page=2").text
    assert "case:3<" in chief.get("/audit/?subject=case:3").text
    assert "共 23 条" in chief.get("/audit/?who=沈&until=2026-03-06").text  # from 01:30 to midnight in Beijing
    assert "共 37 条" in chief.get("/audit/?who=沈&since=2026-03-07").text
    assert chief.get("/audit/?since=yesterday").status_code == 400
    assert "没有符合的记录" in chief.get("/audit/?action=case.undo").text


def test_what_the_screens_change_is_in_the_log(chief: FlaskClient, seed: Seeder, store: Store) -> None:
    seed.library()
    post(chief, "/licences/", form_at="/licences/", licensee="晚读网", prefix="evening.example")
    post(chief, "/sites/crawl", form_at="/sites/", id="copies")
    post(chief, "/sites/remove", form_at="/sites/", id="copies")
    assert [entry.action for entry in store.audit.find(who="chief")][:3] == ["site.remove", "site.crawl", "licence.add"]


def test_markup_in_names_agents_and_values_stays_text(chief: FlaskClient, store: Store) -> None:
    add_user(store, MARKUP[:60], Role.LAWYER)
    store.audit.add_all(NOW, MARKUP, "case.decide", [(f"case:{MARKUP}", MARKUP, MARKUP)])
    other = chief.application.test_client()
    other.environ_base["HTTP_USER_AGENT"] = MARKUP
    sign_in(other, "chief")
    pages = [chief.get(address) for address in ("/users/", "/audit/", "/account/", f"/audit/?who={MARKUP}")]
    pages += [post(chief, "/users/", form_at="/users/", name=MARKUP * 9, role="lawyer")]
    pages += [post(chief, "/account/tokens", form_at="/account/", name=MARKUP[:70], days="30", scope=["read"])]
    pages += [post(chief, "/webhooks/", form_at="/webhooks/", url=f"https://{MARKUP}", event=["case.new"])]
    for page in pages:
        assert page.status_code in (200, 400)
        assert Foreign(page.text).found == [], page.request.path


def test_the_first_administrator_is_made_once(store: Store) -> None:
    product = acting_on(store).product
    password = first_administrator(product, None)
    assert password is not None
    assert first_administrator(product, None) is None
    (user,) = store.users.all()
    assert (user.name, user.role, user.must_change) == ("admin", Role.ADMINISTRATOR, True)
    store.users.remove(user.id)
    with pytest.raises(BadInput):
        first_administrator(product, "admin12345")
    assert first_administrator(product, PASSWORD) == PASSWORD
    assert not store.users.get("admin").must_change


def test_passwords_are_kept_as_argon2id_with_the_parameters_of_rfc_9106(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher())
    kept = hash_password(PASSWORD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert verify_password(kept, PASSWORD)
    assert not verify_password(kept, PASSWORD + " ")
    assert not verify_password("nonsense", PASSWORD)


def test_a_password_of_weaker_parameters_is_hashed_anew_at_sign_in(make_app: MakeApp, store: Store) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=32, parallelism=1).hash(PASSWORD)
    add_user(store)
    store.users.change("沈 yan", {"password": weak})
    assert sign_in(make_app(sign_in=True).test_client()).status_code == 303
    assert store.users.get("沈 yan").password != weak


def test_the_cases_of_a_disabled_user_stand_with_the_account_and_go_to_nobody_disabled(
    make_app: MakeApp, store: Store
) -> None:
    Seeder(store).library()
    left = add_user(store, "李四", Role.REVIEWER)
    add_user(store, "chief", Role.ADMINISTRATOR)
    store.cases.assign([1, 2], left.name, moment=NOW)
    client = signed_in(make_app(sign_in=True), "chief")
    page = post(client, "/users/disable", form_at="/users/", id=left.id)
    assert page.status_code == 303
    assert "名下还有 2 个未结案件" in client.get("/users/").text
    assert client.get("/suspects/?assignee=李四").text.count("李四") > 2
    assert "已停用" in client.get("/cases/1").text
    refused = post(client, "/cases/3/assignee", form_at="/cases/3", assignee="李四")
    assert (refused.status_code, store.cases.get("3").assignee) == (400, None)
    assert "帐号已停用" in refused.text
