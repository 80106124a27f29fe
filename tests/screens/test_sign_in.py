"""Who gets in, how a session ends, and what the browser is told to refuse."""

import re
from datetime import timedelta
from urllib.parse import urljoin

import pyotp
import pytest

from tests.support.people import PASSWORD, add_user, inside, sign_in, signed_in
from tests.support.samples import TurnedClock
from tests.support.screens import MakeApp, post
from tests.support.seed import NOW
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import PLAIN_CODE, Unavailable
from wenhen.kit.rights import Role


@pytest.fixture
def watch() -> TurnedClock:
    return TurnedClock()


def test_who_is_not_signed_in_is_led_to_the_form_and_back_to_the_page(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = make_app(sign_in=True).test_client()
    for address in ("/", "/cases/1", "/reports/cases.json", "/users/", "/nowhere"):
        answer = client.get(address)
        assert (answer.status_code, answer.location.partition("?")[0]) == (303, "/sign-in/"), address
        assert "文痕" not in answer.text
    assert client.post("/suspects/decisions", data={"case": "1", "status": "confirmed"}).status_code in (303, 400)
    answer = client.get("/suspects/?status=lead")
    form = client.get(answer.location)
    assert 'name="next" value="/suspects/?status=lead"' in form.text
    assert sign_in(client, next="/suspects/?status=lead").location == "/suspects/?status=lead"
    assert inside(client)


@pytest.mark.parametrize(
    "there", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "x", "/a\nb"]
)
def test_sign_in_leads_to_no_other_site(make_app: MakeApp, store: Store, there: str) -> None:
    add_user(store)
    assert sign_in(make_app(sign_in=True).test_client(), next=there).location == "/"


def test_name_and_password_let_in_however_they_are_typed(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = make_app(sign_in=True).test_client()
    assert sign_in(client, "  沈 ｙａｎ ", PASSWORD).status_code == 303
    assert inside(client)
    assert [entry.action for entry in store.audit.find(who="沈 Yan")] == ["session.begin"]


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    add_user(store, "out", disabled_at=NOW)
    client = make_app(sign_in=True).test_client()
    answers = [
        sign_in(client, name, password)
        for name, password in (("沈 Yan", "guess"), ("nobody", "guess"), ("out", PASSWORD))
    ]
    assert {answer.status_code for answer in answers} == {401}
    said = {answer.text.partition('role="alert">')[2].partition("<")[0] for answer in answers}
    assert len(said) == 1
    assert not inside(client)


def test_who_was_signed_in_before_gets_in_while_strangers_at_the_same_address_have_to_wait(
    make_app: MakeApp, store: Store, watch: TurnedClock
) -> None:
    add_user(store, "admin")
    app = make_app(sign_in=True, clock=watch)
    mine, stranger = signed_in(app, "admin"), app.test_client()
    post(mine, "/sign-in/out", form_at="/account/")
    assert [sign_in(stranger, "admin", "guess").status_code for _ in range(6)] == [401] * 5 + [429]
    answer = sign_in(stranger, "admin")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert "请 1 秒后再试" in answer.text
    assert sign_in(mine, "admin").status_code == 303
    watch.now += timedelta(seconds=1)
    assert sign_in(stranger, "admin").status_code == 303


def test_a_browser_is_known_to_whom_it_was_given_alone_and_by_nothing_that_was_made_up(
    make_app: MakeApp, store: Store
) -> None:
    add_user(store, "admin")
    add_user(store, "other")
    app = make_app(sign_in=True)
    known = signed_in(app, "other").get_cookie("wenhen-known")
    assert known is not None
    for value in (known.value, known.value[:-1], "x"):
        client = app.test_client()
        client.set_cookie("wenhen-known", value)
        for _ in range(6):
            answer = sign_in(client, "admin", "guess")
        assert answer.status_code == 429


def test_who_needs_a_second_factor_sets_one_up_before_anything_else(make_app: MakeApp, store: Store) -> None:
    add_user(store, role=Role.LAWYER)
    add_user(store, "other")
    app = make_app(sign_in=True, dashboard={"second_factor_for": (Role.LAWYER,)})
    assert inside(signed_in(app, "other"))
    client = signed_in(app)
    assert client.get("/suspects/").location == "/account/#factor"
    assert "须使用两步验证" in client.get("/account/").text
    post(client, "/account/second-factor", form_at="/account/", password=PASSWORD)
    [shown] = re.findall(r"<code>([A-Z2-7]{32})</code>", client.get("/account/").text)
    code = pyotp.TOTP(shown).at(NOW)
    assert post(client, "/account/second-factor/on", form_at="/account/", code=code).status_code == 200
    assert inside(client)


def test_an_address_that_guesses_has_to_wait_whatever_the_name(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = make_app(sign_in=True).test_client()
    answers = [sign_in(client, f"name {number}", "guess").status_code for number in range(12)]
    assert answers == [401] * 10 + [429] * 2
    other = client.application.test_client()
    other.environ_base["REMOTE_ADDR"] = "198.51.100.7"
    assert sign_in(other).status_code == 303


def test_a_session_ends_when_it_rests_and_when_its_time_is_over(
    make_app: MakeApp, store: Store, watch: TurnedClock
) -> None:
    add_user(store)
    app = make_app(sign_in=True, clock=watch)
    client = signed_in(app)
    watch.now += timedelta(hours=3)
    assert inside(client)
    watch.now += timedelta(hours=3)
    assert inside(client)
    watch.now += timedelta(hours=4)
    assert not inside(client)
    client = signed_in(app)
    for _ in range(5):
        watch.now += timedelta(hours=2)
        assert inside(client)
    watch.now += timedelta(hours=2)
    assert not inside(client)


def test_a_form_that_is_sent_after_the_session_ended_is_said_to_be_lost_and_its_page_comes_back(
    make_app: MakeApp, store: Store, watch: TurnedClock
) -> None:
    add_user(store)
    client = signed_in(make_app(sign_in=True, clock=watch))
    watch.now += timedelta(days=2)
    for page, back in (
        ("/works/new?a=1", "/works/new?a=1"),
        ("/cases/1/decision", "/"),  # nothing that can be looked at
        ("https://evil.example/works/new", "/"),
    ):
        answer = client.post("/works/new", data={"title": "河"}, headers={"Referer": urljoin("http://localhost", page)})
        assert answer.status_code == 303
        form = client.get(answer.location).text
        assert re.search(r'<p class="flash refused" role="alert">[^<]*刚才提交的内容没有送出', form)
        assert f'name="next" value="{back}"' in form
    assert "没有送出" not in client.get("/sign-in/").text


def test_signing_out_ends_the_session_for_whoever_kept_the_cookie(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    app = make_app(sign_in=True)
    client, thief = signed_in(app), app.test_client()
    cookie = client.get_cookie("wenhen")
    assert cookie
    thief.set_cookie("wenhen", cookie.value)
    assert inside(thief)
    post(client, "/sign-in/out", form_at="/account/")
    assert not inside(client)
    assert not inside(thief)


def test_a_cookie_from_before_sign_in_is_worth_nothing_after(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    app = make_app(sign_in=True)
    client = app.test_client()
    client.get("/sign-in/")
    before = client.get_cookie("wenhen")
    sign_in(client)
    other = app.test_client()
    assert before
    other.set_cookie("wenhen", before.value)
    assert not inside(other)


def test_who_is_disabled_or_loses_the_role_notices_at_the_next_request(make_app: MakeApp, store: Store) -> None:
    add_user(store, role=Role.LAWYER)
    client = signed_in(make_app(sign_in=True))
    assert client.get("/audit/").status_code == 200
    store.users.change("沈 yan", {"role": Role.OPERATOR})
    assert client.get("/audit/").status_code == 403
    store.users.change("沈 yan", {"disabled_at": NOW})
    assert not inside(client)


def test_the_cookie_is_for_this_site_alone_and_over_https_for_https_alone(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    for base, secure in (("http://localhost", False), ("https://localhost", True)):
        client = make_app(sign_in=True).test_client()
        cookie = client.get("/sign-in/", base_url=base).headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert ("Secure" in cookie) == secure
        assert cookie.startswith("__Host-wenhen=" if secure else "wenhen=")
        assert "Domain" not in cookie


def test_where_nobody_is_asked_only_loopback_names_are_answered(make_app: MakeApp) -> None:
    client = make_app().test_client()
    for host, status in (("localhost:8080", 200), ("127.0.0.1", 200), ("[::1]:8080", 200), ("evil.example", 400)):
        assert client.get("/", headers={"Host": host}).status_code == status


def test_the_health_check_needs_no_sign_in_and_tells_when_the_store_is_gone(
    make_app: MakeApp, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_app(sign_in=True).test_client()
    assert client.get("/readyz").get_json()["status"] == "ok"

    def gone() -> str:
        raise Unavailable(PLAIN_CODE, text="no MongoDB answers")

    monkeypatch.setattr(store, "ping", gone)
    assert client.get("/readyz").status_code == 503


@pytest.mark.parametrize(
    "address", ["/", "/nowhere", "/static/panes.js", "/healthz", "/reports/cases.json", "/sign-in/"]
)
@pytest.mark.parametrize("asked", [True, False])
def test_every_answer_carries_the_policy(make_app: MakeApp, address: str, asked: bool) -> None:
    headers = make_app(sign_in=asked).test_client().get(address).headers
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_what_browsers_tell_of_a_broken_policy_stands_in_the_log_in_one_line(
    make_app: MakeApp, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_app(sign_in=True).test_client()
    policy = client.get("/sign-in/").headers
    assert "report-to policy" in policy["Content-Security-Policy"]
    assert policy["Reporting-Endpoints"] == 'policy="/policy-reports"'
    old = {"csp-report": {"effective-directive": "script-src", "blocked-uri": "https://evil.example/\nfake line"}}
    new = [{"type": "csp-violation", "body": {"effectiveDirective": "img-src", "documentURL": "x" * 999}}]
    for sent in (old, new):
        assert client.post("/policy-reports", json=sent).status_code == 204
    first, second = [record.getMessage() for record in caplog.records if record.name == "dashboard.frame.security"]
    assert (
        first
        == "a page broke the policy: effectiveDirective 'script-src', blockedURL 'https://evil.example/\\nfake line'"
    )
    assert len(second) < 300
    for wrong in (b"", b"{", b"[" * 9_999, b"[" * 100_000, b"7", b'"x"'):
        assert client.post("/policy-reports", data=wrong).status_code in (400, 413)


def test_a_request_by_post_needs_the_token_of_the_session(make_app: MakeApp, store: Store) -> None:
    add_user(store, role=Role.ADMINISTRATOR)
    app = make_app(sign_in=True)
    client = signed_in(app)
    posts = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and not rule.arguments and not rule.rule.startswith("/api/")
    ]
    assert len(posts) > 15
    for address in posts:
        assert client.post(address, data={"id": "沈 yan", "status": "confirmed"}).status_code == 400, address
    assert inside(client)


@pytest.mark.parametrize("inner", [None, 5, 1.5, "a", True, [], [1]])
def test_a_report_of_another_shape_is_refused_and_never_an_error(make_app: MakeApp, inner: object) -> None:
    client = make_app(sign_in=True).test_client()
    for sent in ({"csp-report": inner}, {"csp-report": {"blocked-uri": inner}}, [{"body": inner}], inner):
        assert client.post("/policy-reports", json=sent).status_code in (204, 400), sent
