"""How sites are reached is set on the screen and by the API as by the command, and no secret is shown."""

import re
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from crawler.site_access import mask_url_password
from dashboard.sites.api import SiteSettings
from dashboard.sites.site_views import BOOLEAN_FIELDS, SITE_FIELDS
from tests.support.people import add_user, signed_in
from tests.support.screens import MARKUP, Foreign, MakeApp, MakeCaller, post
from tests.support.seed import KEY, Seeder
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role
from wenhen.kit.sealed_secrets import Seal
from wenhen.sites.commands import SETTING_HELP
from wenhen.sites.site_settings import SETTINGS

PAGE = "/sites/of/copies"
SESSION, PROXIES, ROBOTS, FONTS = (f"/sites/access/{what}/copies" for what in ("session", "proxies", "robots", "fonts"))
RENDERING = "/sites/access/rendering/copies"
SEAL = Seal(lambda: [KEY])
SECRET, WORD = "7f-geheim-9", "p4ssw0rt"
JAR = f".copies.example\tTRUE\t/\tFALSE\t0\tsid\t{SECRET}\n"
PROXY = f"http://me:{WORD}@proxy.example:3128"


@pytest.fixture
def admin(make_app: MakeApp, seed: Seeder, store: Store) -> FlaskClient:
    """An administrator's browser; there is one site, copies."""
    seed.library()
    add_user(store, "chief", Role.ADMINISTRATOR)
    return signed_in(make_app(sign_in=True), "chief")


@pytest.fixture
def operator(make_app: MakeApp, seed: Seeder, store: Store) -> FlaskClient:
    """An operator's browser; there is one site, copies."""
    seed.library()
    add_user(store, "沈")
    return signed_in(make_app(sign_in=True), "沈")


def log(store: Store) -> list[tuple[str, str, str | None, str | None]]:
    found = store.audit.find()
    return [(one.who, one.action, one.old, one.new) for one in found if one.subject == "site:copies"]


def test_every_setting_of_a_site_can_be_set_by_command_on_the_screen_and_by_the_api() -> None:
    # The command has the addresses and private addresses as arguments of their own, and pauses by a command.
    assert {*SETTING_HELP, "urls", "hosts", "internal", "paused"} == set(SETTINGS)
    assert {*SITE_FIELDS, *BOOLEAN_FIELDS, "internal"} == set(SETTINGS)
    assert set(SiteSettings().fields) == set(SETTINGS)


def test_a_session_is_kept_from_a_file_or_pasted_shown_without_its_values_and_forgotten(
    admin: FlaskClient, store: Store
) -> None:
    file = (BytesIO(("\ufeff" + JAR).encode()), "cookies.txt")
    assert post(admin, SESSION, form_at=PAGE, cookies="", file=file).status_code == 303
    assert [SEAL.open_sealed(one.value, "site:copies") for one in store.accesses.get("copies").cookies] == [SECRET]
    page = admin.get(PAGE).text
    assert "<code>sid</code>" in page
    assert SECRET not in page
    post(admin, SESSION, form_at=PAGE, cookies=f"token={SECRET}; lang=zh")
    assert [one.name for one in store.accesses.get("copies").cookies] == ["token", "lang"]
    post(admin, SESSION, form_at=PAGE, forget="1")
    assert store.accesses.get("copies").cookies == ()
    assert log(store) == [
        ("chief", "site.session", "token@copies.example lang@copies.example", None),
        ("chief", "site.session", "sid@.copies.example", "token@copies.example lang@copies.example"),
        ("chief", "site.session", None, "sid@.copies.example"),
    ]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"cookies": f"nothing {SECRET}"}, "Cookie 请给 cookies.txt 的内容"),
        ({"cookies": JAR.replace("copies", "other")}, "都不属于 copies.example"),
        ({"cookies": "#" + JAR}, "有的行不是浏览器导出的写法"),
        ({"cookies": JAR + "copies.example\tnot seven fields\n"}, "每行应有用制表符分开的七列"),
        ({"cookies": "", "file": (BytesIO(b"\xff\xfe"), "cookies.txt")}, "文件不是 UTF-8 文本"),
    ],
)
def test_what_is_no_session_is_refused_without_repeating_it(
    admin: FlaskClient, store: Store, form: dict[str, object], said: str
) -> None:
    answer = post(admin, SESSION, form_at=PAGE, **form)
    assert answer.status_code == 400
    assert said in answer.text
    assert SECRET not in answer.text
    assert store.accesses.get("copies").cookies == ()


def test_proxies_are_shown_without_passwords_and_keep_them_when_the_form_is_saved_as_it_is(
    admin: FlaskClient, store: Store
) -> None:
    post(admin, PROXIES, form_at=PAGE, proxies=f"{PROXY}\r\nhttp://other.example:8080")
    page = admin.get(PAGE).text
    assert WORD not in page
    shown = re.search(r'<textarea name="proxies"[^>]*>\n([^<]*)', page)
    assert shown
    post(admin, PROXIES, form_at=PAGE, proxies=shown[1])
    kept, other = store.accesses.get("copies").proxies
    assert (WORD in kept, mask_url_password(kept), other) == (
        False,
        mask_url_password(PROXY),
        "http://other.example:8080",
    )
    refused = post(admin, PROXIES, form_at=PAGE, proxies=f"socks5://me:{WORD}@proxy.example:1")
    assert (refused.status_code, WORD in refused.text) == (400, False)
    post(admin, PROXIES, form_at=PAGE, proxies="")
    assert store.accesses.get("copies").proxies == ()
    assert [action for _, action, _, _ in log(store)] == ["site.proxies"] * 3
    assert WORD not in str(log(store))


def test_robots_txt_is_overridden_with_a_reason_for_all_to_see_and_obeyed_again(
    admin: FlaskClient, store: Store, make_app: MakeApp
) -> None:
    assert post(admin, ROBOTS, form_at=PAGE, reason=" ").status_code == 400
    assert store.sites.get("copies").ignore_robots_reason is None
    post(admin, ROBOTS, form_at=PAGE, reason=f"书面授权 2026-17{MARKUP}")
    assert store.sites.get("copies").ignore_robots_by == "chief"
    add_user(store, "沈")
    page = signed_in(make_app(sign_in=True), "沈").get(PAGE).text
    assert "书面授权 2026-17" in page
    assert Foreign(page).found == []
    post(admin, ROBOTS, form_at=PAGE, obey="1")
    assert store.sites.get("copies").ignore_robots_reason is None
    assert [line[:2] for line in log(store)] == [("chief", "site.obey_robots"), ("chief", "site.ignore_robots")]


def test_fonts_are_deciphered_for_a_reason_for_all_to_see_and_left_again(admin: FlaskClient, store: Store) -> None:
    assert post(admin, FONTS, form_at=PAGE, reason=" ").status_code == 400
    post(admin, FONTS, form_at=PAGE, reason="书面授权")
    assert (store.sites.get("copies").decipher_reason, store.sites.get("copies").decipher_by) == ("书面授权", "chief")
    assert "书面授权" in admin.get(PAGE).text
    post(admin, FONTS, form_at=PAGE, leave="1")
    assert store.sites.get("copies").decipher_reason is None
    assert [line[:2] for line in log(store)] == [("chief", "site.leave_fonts"), ("chief", "site.decipher_fonts")]


def test_what_a_crawl_learned_of_empty_pages_is_shown_with_its_page_and_undone(
    operator: FlaskClient, store: Store
) -> None:
    assert "用浏览器渲染" not in operator.get(PAGE).text.partition('id="access"')[2]
    learned = {"render_learned_at": store.sites.get("copies").added_at, "render_learned_from": "http://copies.com/app"}
    store.sites.change("copies", learned)
    assert "http://copies.com/app" in operator.get(PAGE).text
    post(operator, RENDERING, form_at=PAGE)
    site = store.sites.get("copies")
    assert (site.render_learned_at, site.render_learned_from, site.learns_render) == (None, None, False)
    assert "不再尝试" in operator.get(PAGE).text
    post(operator, RENDERING, form_at=PAGE, again="1")
    assert store.sites.get("copies").learns_render


def test_an_operator_sees_how_a_site_is_reached_and_can_change_none_of_it(operator: FlaskClient, store: Store) -> None:
    store.accesses.set_proxies("copies", [PROXY], store.sites.get("copies").added_at)
    page = operator.get(PAGE).text
    assert "1 个专用代理" in page
    assert not re.search(r"proxy\.example|<textarea name=.cookies|name=.internal", page)
    for there, form in ((SESSION, {"cookies": "a=1"}), (PROXIES, {"proxies": ""}), (ROBOTS, {"reason": "x"})):
        assert post(operator, there, form_at=PAGE, **form).status_code == 403
    assert store.accesses.get("copies").proxies == (PROXY,)
    assert log(store) == []


def test_private_addresses_are_an_administrators_decision_in_every_form(
    operator: FlaskClient, admin: FlaskClient, store: Store
) -> None:
    new = {"urls": "http://new.example/", "every": "12", "max_pages": "50", "max_depth": "3"}
    post(operator, "/sites/", form_at="/sites/", **new, internal="yes")
    assert not store.sites.get("new.example").internal, "what an operator's form does not have says nothing"
    assert post(operator, "/sites/find", form_at="/sites/", url="http://10.0.0.1/", internal="yes").status_code == 403
    table = b"urls,internal\nhttp://a.example/,yes\nhttp://b.example/,no\n"
    refused = post(operator, "/sites/take", form_at="/sites/", file=(BytesIO(table), "sites.csv"))
    assert "第 2 行：内网 — 允许内网地址的站点只能由管理员添加。" in refused.text
    assert {site.id for site in store.sites.all()} == {"copies", "new.example", "b.example"}
    post(admin, "/sites/of/new.example", form_at="/sites/of/new.example", **new, internal="yes")
    assert store.sites.get("new.example").internal
    for further in ({"hosts": "10.0.0.1"}, {"urls": "http://10.0.0.1/"}):
        answer = post(operator, "/sites/of/new.example", form_at="/sites/of/new.example", **{**new, **further})
        assert answer.status_code == 403
    assert post(operator, "/sites/of/new.example", form_at="/sites/of/new.example", **new).status_code == 303
    assert store.sites.get("new.example").internal
    assert store.sites.get("new.example").hosts == ("new.example",)


def test_headers_mirrors_and_an_id_are_set_on_the_screen(admin: FlaskClient, store: Store) -> None:
    new = {"urls": "http://new.example/", "every": "12", "max_pages": "50", "max_depth": "3", "id": "new-novels"}
    post(admin, "/sites/", form_at="/sites/", **new, headers="mobile", mirrors="m.new.example")
    site = store.sites.get("new-novels")
    assert (site.header_profile, site.mirrors) == ("mobile", ("m.new.example",))
    page = admin.get("/sites/of/new-novels").text
    assert "<dt>镜像</dt>" in page
    assert '<option value="mobile" selected>' in page
    post(admin, "/sites/of/new-novels", form_at="/sites/of/new-novels", **new, headers="default", mirrors="")
    site = store.sites.get("new-novels")
    assert (site.header_profile, site.mirrors, store.mirrors.mains()) == ("default", (), {})


def test_one_setting_of_several_sites_is_changed_at_once_or_of_none(operator: FlaskClient, store: Store) -> None:
    for host in ("a.example", "b.example"):
        new = {"urls": f"http://{host}/", "every": "12", "max_pages": "50", "max_depth": "3", "tags": "小说"}
        post(operator, "/sites/", form_at="/sites/", **new)
    many = {"what": "set", "setting": "every", "all": "1", "tag": "小说"}
    refused = post(operator, "/sites/bulk", form_at="/sites/", **many, value="0")
    assert (refused.status_code, "间隔（小时） — 0 不在 0.1 到 8,760 之间。" in refused.text) == (400, True)
    assert {site.id: site.interval_hours for site in store.sites.all()} == {
        "a.example": 12,
        "b.example": 12,
        "copies": 24,
    }
    assert post(operator, "/sites/bulk", form_at="/sites/", **many, value="6").status_code == 303
    assert {site.id: site.interval_hours for site in store.sites.all()} == {
        "a.example": 6,
        "b.example": 6,
        "copies": 24,
    }
    some = {"what": "set", "setting": "headers", "value": "mobile", "id": ["copies", "gone"]}
    post(operator, "/sites/bulk", form_at="/sites/", **some)
    assert [site.id for site in store.sites.all() if site.header_profile == "mobile"] == ["copies"]
    assert post(operator, "/sites/bulk", form_at="/sites/", what="set", setting="internal").status_code == 400
    assert [line[1] for line in log(store)] == ["site.edit"]


@pytest.mark.parametrize("there", [SESSION, PROXIES, ROBOTS])
def test_a_forged_form_changes_nothing(admin: FlaskClient, store: Store, there: str) -> None:
    assert admin.post(there, data={"cookies": "a=1", "proxies": PROXY, "reason": "x"}).status_code == 400
    assert log(store) == []


def test_a_program_does_the_same_and_is_told_no_secret(caller: MakeCaller, seed: Seeder, store: Store) -> None:
    seed.library()
    call = caller()
    session = call("PUT", "/sites/copies/session", json={"cookies": JAR}).get_json()
    assert [(one["name"], one["domain"], "value" in one) for one in session["cookies"]] == [
        ("sid", ".copies.example", False)
    ]
    call("PUT", "/sites/copies/proxies", json={"proxies": [PROXY]})
    answer = call("GET", "/sites/copies/access")
    assert answer.get_json()["proxies"] == ["http://me:***@proxy.example:3128"]
    assert SECRET not in answer.text
    assert call("PUT", "/sites/copies/robots", json={"reason": "授权"}).get_json()["ignore_robots_reason"] == "授权"
    assert call("DELETE", "/sites/copies/robots").get_json()["ignore_robots_reason"] is None
    assert call("PUT", "/sites/copies/fonts", json={"reason": "授权"}).get_json()["decipher_reason"] == "授权"
    assert call("DELETE", "/sites/copies/fonts").get_json()["decipher_reason"] is None
    assert call("DELETE", "/sites/copies/learned-rendering").get_json()["learns_render"] is False
    assert call("PUT", "/sites/copies/learned-rendering").get_json()["learns_render"] is True
    assert call("DELETE", "/sites/copies/session").status_code == 204
    assert call("PUT", "/sites/copies/proxies", json={"proxies": ["socks5://a"]}).status_code == 400
    assert call("GET", "/sites/nowhere/access").status_code == 404
    assert store.accesses.get("copies").cookies == ()


def test_a_program_of_an_operator_is_turned_away_where_an_administrator_decides(
    caller: MakeCaller, seed: Seeder, store: Store
) -> None:
    seed.library()
    call = caller(Role.OPERATOR)
    asked: list[tuple[str, str, dict[str, object] | None]] = [
        ("GET", "access", None),
        ("PUT", "session", {"cookies": "a=1"}),
        ("PUT", "proxies", {"proxies": []}),
        ("PUT", "robots", {"reason": "x"}),
        ("PUT", "fonts", {"reason": "x"}),
    ]
    for method, what, body in asked:
        assert call(method, f"/sites/copies/{what}", json=body).status_code == 403
    assert call("PATCH", "/sites/copies", json={"internal": True}).status_code == 403
    assert call("POST", "/sites", json={"urls": ["http://10.0.0.1/"], "internal": True}).status_code == 403
    assert call("POST", "/sites/find", json={"url": "http://10.0.0.1/", "internal": True}).status_code == 403
    assert not store.sites.get("copies").internal


def test_a_program_imports_sites_finds_them_by_tag_and_their_runs(caller: MakeCaller, store: Store) -> None:
    call = caller()
    table = "urls,id,tags\nhttp://a.example/,first,小说\nhttp://b.example/,,\nnothing,,\n".encode()
    taken = call("POST", "/sites/import", data={"file": (BytesIO(table), "sites.csv")}).get_json()
    assert [site["id"] for site in taken["added"]] == ["first", "b.example"]
    assert [one["what"] for one in taken["refused"]] == ["4"]
    assert call("POST", "/sites/import", data={"file": (BytesIO(b"\xff"), "sites.csv")}).status_code == 400
    assert [site["id"] for site in call("GET", "/sites?tag=小说").get_json()] == ["first"]
    call("POST", "/sites/first/crawl")
    assert len(call("GET", "/runs?subject=first").get_json()) == 1
    assert call("GET", "/runs?subject=b.example").get_json() == []
    own = call("POST", "/sites", json={"urls": ["http://a.example/b"], "id": "second", "headers": "mobile"}).get_json()
    assert (own["id"], own["header_profile"]) == ("second", "mobile")
    assert call("POST", "/sites", json={"urls": ["http://c.example"], "id": "a/b"}).status_code == 400
    assert call("POST", "/sites/find", json={"url": "http://127.0.0.1:9/"}).status_code in {400, 422}
