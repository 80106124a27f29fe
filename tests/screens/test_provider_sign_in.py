"""People sign in by a provider of OpenID Connect, whose tokens are checked, or by the header of a trusted proxy."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from wsgiref.simple_server import make_server

import pytest
from flask import Flask, jsonify
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.test import TestResponse

from tests.support.people import add_user, inside, sign_in
from tests.support.samples import TurnedClock
from tests.support.screens import MakeApp, post
from tests.support.seed import NOW
from tests.support.servers.oidc import agree, provider
from wenhen.accounts import single_sign_on
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:authlib")  # of the provider of the tests
BACK = "/sign-in/provider/back"
PEOPLE = (
    ("7f3", {"preferred_username": "沈之遥", "groups": ["law", "all"]}),
    ("9b1", {"preferred_username": "admin", "groups": ["desk"]}),
    ("c4d", {"name": "周行", "email": "zhou@hean.example"}),
)


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with provider(*PEOPLE) as address:
        yield address


@pytest.fixture
def settings(issuer: str) -> dict[str, Any]:
    return {"issuer": issuer, "client": "wenhen", "secret": "a client's secret", "label": "河岸"}


@pytest.fixture
def app(make_app: MakeApp, settings: dict[str, Any]) -> Flask:
    return real_time(make_app, settings)


def real_time(make_app: MakeApp, settings: dict[str, Any], **more: Any) -> Flask:
    """The app at the time of the provider."""
    return make_app(sign_in=True, signin=settings, clock=lambda: datetime.now(UTC), **more)


def go(client: FlaskClient, sub: str = "7f3", **more: str) -> TestResponse:
    """Sign in by the provider as this person."""
    there = client.get("/sign-in/provider/", query_string={"next": "/suspects/"}).headers["Location"]
    return client.get(BACK, query_string=agree(there, sub) | more)


def test_a_person_signs_in_by_the_provider_and_gets_an_account_of_the_lowest_role(app: Flask, store: Store) -> None:
    client = app.test_client()
    page = client.get("/sign-in/?next=/suspects/").text
    assert "用 河岸 登录" in page
    assert 'href="/sign-in/provider/?next=/suspects/"' in page
    assert 'name="password"' in page, "accounts of our own stay as the emergency door"
    answer = go(client)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/suspects/")
    assert inside(client)
    user = store.users.get("沈之遥")
    assert (user.role, user.must_change) == (Role.REVIEWER, False)
    assert user.subject
    assert user.subject.endswith(" 7f3")
    assert inside(client)
    assert go(app.test_client()).status_code == 303
    assert [user.id for user in store.users.all()] == ["沈之遥"], "the same person at the second time"
    lines = [(line.action, line.new) for line in store.audit.find(subject="user:沈之遥")]
    assert ("user.add", f"reviewer {user.subject}") in lines
    assert ("session.begin", "127.0.0.1 provider") in lines


def test_what_is_asked_of_the_provider_holds_state_nonce_and_the_challenge_of_a_kept_verifier(app: Flask) -> None:
    asked = [
        parse_qs(urlsplit(app.test_client().get("/sign-in/provider/").headers["Location"]).query) for _ in range(2)
    ]
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[0][name][0]) >= 32
        assert asked[0][name] != asked[1][name]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == ["http://localhost/sign-in/provider/back"]
    assert asked[0]["scope"] == ["openid profile email"]


def test_a_way_back_that_this_browser_did_not_begin_leads_nowhere(app: Flask, store: Store) -> None:
    client = app.test_client()
    there = client.get("/sign-in/provider/").headers["Location"]
    given = agree(there, "7f3")
    assert app.test_client().get(BACK, query_string=given).status_code == 400, "another browser"
    assert client.get(BACK, query_string=given | {"state": "x" * 32}).status_code == 400
    assert client.get(BACK, query_string=given).status_code == 400, "a second try"
    assert not inside(client)
    assert go(client, iss="https://other.example").status_code == 403
    assert go(client, error="access_denied", error_description="<b>no").status_code == 403
    assert go(client, code="made up").status_code == 403
    assert store.users.all() == []


def test_a_sign_in_that_took_too_long_begins_anew(make_app: MakeApp, settings: dict[str, Any]) -> None:
    clock = TurnedClock()
    client = make_app(sign_in=True, signin=settings, clock=clock).test_client()
    there = client.get("/sign-in/provider/").headers["Location"]
    clock.now += timedelta(minutes=11)
    answer = client.get(BACK, query_string=agree(there, "7f3"))
    assert (answer.status_code, "十分钟" in answer.text) == (400, True)


def test_groups_give_the_role_and_take_it(make_app: MakeApp, settings: dict[str, Any], store: Store) -> None:
    app = real_time(make_app, settings | {"roles": ["none=administrator", "law=lawyer", "all=operator"]})
    assert go(app.test_client()).status_code == 303
    assert store.users.get("沈之遥").role is Role.LAWYER
    store.users.change("沈之遥", {"role": Role.ADMINISTRATOR})
    assert go(app.test_client()).status_code == 303
    assert store.users.get("沈之遥").role is Role.ADMINISTRATOR, "the last administrator stays"
    add_user(store, "admin", Role.ADMINISTRATOR)
    assert go(app.test_client()).status_code == 303
    assert store.users.get("沈之遥").role is Role.LAWYER
    assert go(app.test_client(), "c4d").status_code == 303
    assert store.users.get("周行").role is Role.REVIEWER, "no group"


def test_nobody_takes_an_account_by_its_name(make_app: MakeApp, settings: dict[str, Any], store: Store) -> None:
    add_user(store, "Admin", Role.ADMINISTRATOR)
    answer = go(real_time(make_app, settings).test_client(), "9b1")
    assert (answer.status_code, "没有与登录服务商连接" in answer.text) == (403, True)
    assert store.users.get("admin").subject is None
    assert [line.action for line in store.audit.find(subject="user:admin")] == ["session.refuse"]
    adopting = real_time(make_app, settings | {"adopt": True})
    assert go(adopting.test_client(), "9b1").status_code == 303
    assert (store.users.get("admin").subject or "").endswith(" 9b1")


def test_strangers_and_disabled_people_are_refused(make_app: MakeApp, settings: dict[str, Any], store: Store) -> None:
    strict = real_time(make_app, settings | {"newcomers": "refuse"})
    answer = go(strict.test_client())
    assert (answer.status_code, "还没有 沈之遥 的账户" in answer.text) == (403, True)
    app = real_time(make_app, settings)
    assert go(app.test_client()).status_code == 303
    assert go(strict.test_client()).status_code == 303
    store.users.change("沈之遥", {"disabled_at": NOW})
    assert go(app.test_client()).status_code == 403


def test_a_second_factor_of_ours_is_asked_for_unless_the_provider_does(
    make_app: MakeApp, settings: dict[str, Any], store: Store
) -> None:
    app = real_time(make_app, settings, dashboard={"second_factor_for": (Role.REVIEWER,)})
    client = app.test_client()
    assert go(client).status_code == 303
    assert client.get("/suspects/").headers["Location"].startswith("/account/")
    trusting = real_time(
        make_app, settings | {"second_factor": True}, dashboard={"second_factor_for": (Role.REVIEWER,)}
    )
    client = trusting.test_client()
    assert go(client).status_code == 303
    assert inside(client)
    store.users.change("沈之遥", {"totp_secret": "JBSWY3DPEHPK3PXP"})
    client = app.test_client()
    assert go(client).headers["Location"] == "/sign-in/code"
    assert not inside(client)


def test_who_signs_out_is_signed_out_at_the_provider(app: Flask, issuer: str) -> None:
    client = app.test_client()
    go(client)
    answer = post(client, "/sign-in/out", form_at="/account/")
    there = urlsplit(answer.headers["Location"])
    assert f"{there.scheme}://{there.netloc}" == issuer
    assert parse_qs(there.query)["post_logout_redirect_uri"] == ["http://localhost/sign-in/"]
    assert not inside(client)


def test_without_a_provider_there_is_no_such_door(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = make_app(sign_in=True).test_client()
    assert client.get("/sign-in/provider/").status_code == 404
    assert client.get(BACK, query_string={"state": "", "code": "x"}).status_code == 404
    assert "/sign-in/provider" not in client.get("/sign-in/").text
    assert not inside(browser := app_with(make_app, header="", trusted=["127.0.0.1"]).test_client())
    assert browser.get("/suspects/", headers={"Remote-User": "沈 Yan"}).status_code == 303


class Forger:
    """A provider whose tokens are what a test makes of them."""

    def __init__(self) -> None:
        self.key, self.other = RSAKey.generate_key(2048), RSAKey.generate_key(2048)
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {"alg": "RS256"}
        self.signs: Any = self.key
        self.keys: Any = {"keys": [self.key.as_dict(private=False)]}
        self.description: dict[str, Any] = {}
        app = Flask("forger")
        self.server = make_server("127.0.0.1", 0, app)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        app.add_url_rule("/.well-known/openid-configuration", "a", lambda: jsonify(self.describe() | self.description))
        app.add_url_rule("/jwks", "b", lambda: jsonify(self.keys))
        app.add_url_rule("/token", "c", self.token, methods=["POST"])
        self.nonce = ""

    def describe(self) -> dict[str, Any]:
        ends = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/jwks"}
        return {"issuer": self.issuer, **{name: self.issuer + path for name, path in ends.items()}}

    def token(self) -> Any:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "wenhen", "sub": "1", "iat": now, "exp": now + 60, "nonce": self.nonce}
        claims = {name: value for name, value in (claims | self.claims).items() if value is not None}
        algorithms = [self.header["alg"]]
        text = jwt.encode(self.header, claims, self.signs, algorithms=algorithms)
        return jsonify(access_token="x", token_type="Bearer", id_token=text)


@pytest.fixture
def forger() -> Iterator[Forger]:
    found = Forger()
    thread = Thread(target=found.server.serve_forever, daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    single_sign_on._known.clear()


def come_back(forger: Forger, make_app: MakeApp) -> TestResponse:
    client = real_time(make_app, {"issuer": forger.issuer, "client": "wenhen"}).test_client()
    asked = parse_qs(urlsplit(client.get("/sign-in/provider/").headers["Location"]).query)
    forger.nonce = asked["nonce"][0]
    return client.get(BACK, query_string={"state": asked["state"][0], "code": "c"})


def test_clocks_may_differ_by_two_minutes(forger: Forger, make_app: MakeApp) -> None:
    now = int(time.time())
    for skew, status in ((100, 303), (-100, 303), (-400, 403), (400, 403)):
        forger.claims = {"iat": now + skew, "nbf": now + skew, "exp": now + skew + 1}
        assert come_back(forger, make_app).status_code == status, skew


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"aud": ["wenhen", "another"], "azp": "another"},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"sub": None},
    ],
)
def test_a_token_that_is_not_for_this_sign_in_proves_nothing(
    forger: Forger, make_app: MakeApp, store: Store, claims: dict[str, Any]
) -> None:
    forger.claims = claims
    answer = come_back(forger, make_app)
    assert (answer.status_code, "凭证不可信" in answer.text) == (403, True)
    assert store.users.all() == []


def test_a_token_of_another_key_or_without_a_signature_proves_nothing(forger: Forger, make_app: MakeApp) -> None:
    forger.signs = forger.other
    assert come_back(forger, make_app).status_code == 403
    forger.header, forger.signs = {"alg": "HS256"}, OctKey.import_key("a client's secret of 32 letters.")
    forger.description = {"id_token_signing_alg_values_supported": ["HS256", "none", "RS256"]}
    single_sign_on._known.clear()
    assert come_back(forger, make_app).status_code == 403
    forger.header = {"alg": "none"}
    assert come_back(forger, make_app).status_code == 403


def test_a_provider_may_change_its_keys(forger: Forger, make_app: MakeApp) -> None:
    assert come_back(forger, make_app).status_code == 303
    forger.signs, forger.keys = forger.other, {"keys": [forger.other.as_dict(private=False)]}
    assert come_back(forger, make_app).status_code == 303


def test_a_provider_that_is_silent_or_another_is_named(forger: Forger, make_app: MakeApp) -> None:
    def asked(issuer: str) -> TestResponse:
        return real_time(make_app, {"issuer": issuer, "client": "wenhen"}).test_client().get("/sign-in/provider/")

    for description in ({"issuer": "https://other.example"}, {"token_endpoint": "http://other.example/t"}):
        forger.description = description
        single_sign_on._known.clear()
        assert asked(forger.issuer).status_code in (303, 503)
    forger.description = {"issuer": "https://other.example"}
    single_sign_on._known.clear()
    answer = asked(forger.issuer)
    assert (answer.status_code, "自称 https://other.example" in answer.text) == (503, True)
    for issuer in ("http://127.0.0.1:9", f"{forger.issuer}/nowhere", "http://id.example.com"):
        assert asked(issuer).status_code == 503


# A proxy in front signs people in and names them in a header.


def app_with(make_app: MakeApp, *, own: bool = False, **settings: Any) -> Flask:
    given = {"header": "Remote-User", "groups_header": "Remote-Groups", "trusted": ["10.1.0.0/16"]}
    return make_app(own=own, sign_in=True, signin=given | settings)


def from_address(address: str, name: str = "沈之遥", groups: str = "") -> dict[str, Any]:
    said = name.encode().decode("latin-1")
    return {"environ_base": {"REMOTE_ADDR": address}, "headers": {"Remote-User": said, "Remote-Groups": groups}}


def test_a_trusted_proxy_names_the_person_and_their_groups(make_app: MakeApp, store: Store) -> None:
    app = app_with(make_app, roles=["law=lawyer"], sign_out="https://proxy.example/out")
    client = app.test_client()
    assert client.get("/suspects/", **from_address("10.1.2.3", groups="all, law")).status_code == 200
    assert store.users.get("沈之遥").role is Role.LAWYER
    assert [line.new for line in store.audit.find(action="session.begin")] == ["10.1.2.3 proxy"]
    assert client.get("/suspects/", **from_address("10.1.2.3", groups="law")).status_code == 200
    assert len(store.audit.find(action="session.begin")) == 1, "one session, not one a request"
    client.get("/suspects/", **from_address("10.1.2.3", "周行"))
    assert [user.id for user in store.users.all()] == ["周行", "沈之遥"], "another person, another session"
    assert client.get("/suspects/", environ_base={"REMOTE_ADDR": "10.1.2.3"}).status_code == 303, "no longer named"


@pytest.mark.parametrize("address", ["10.2.0.1", "192.0.2.9", "", "unix:", "::1"])
def test_nobody_gets_in_by_a_header_from_another_address(make_app: MakeApp, store: Store, address: str) -> None:
    add_user(store, "沈之遥", Role.ADMINISTRATOR, subject="proxy 沈之遥")
    app = app_with(make_app, own=True)
    given = from_address(address)
    answer = app.test_client().get("/suspects/", **given)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/sign-in/")
    given["headers"] |= {"X-Forwarded-For": "10.1.2.3", "Forwarded": "for=10.1.2.3", "X-Real-IP": "10.1.2.3"}
    assert app.test_client().get("/suspects/", **given).status_code == 303
    assert app.test_client().get("/api/v1/users", **given).status_code == 401
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1)  # type: ignore[method-assign]  # as its documentation shows
    assert app.test_client().get("/suspects/", **given).status_code == 303, "the forwarded address proves nothing"
    assert store.audit.find(action="session.begin") == []


def test_the_api_believes_no_header_even_of_the_proxy(make_app: MakeApp) -> None:
    assert app_with(make_app).test_client().get("/api/v1/users", **from_address("10.1.2.3")).status_code == 401


def test_behind_the_proxy_the_password_is_the_emergency_door(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = app_with(make_app).test_client()
    assert sign_in(client).status_code == 303
    assert client.get("/suspects/", **from_address("10.1.2.3")).status_code == 200
    assert [user.id for user in store.users.all()] == ["沈 yan"], "who signed in by password stays"
    answer = app_with(make_app).test_client().get("/suspects/", **from_address("10.1.2.3", "沈 Yan"))
    assert answer.status_code == 403
