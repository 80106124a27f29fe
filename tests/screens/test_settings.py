"""An administrator changes settings on screen, and tries the servers that they name."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.people import add_user, signed_in
from tests.support.screens import MakeApp, post, post_and_follow
from tests.support.servers.mail_receiver import receiving
from tests.support.servers.mailbox import PASSWORD, USER, mailbox
from wenhen.configuration.service import change_settings
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound
from wenhen.kit.rights import Right, Role
from wenhen.kit.sealed_secrets import Seal
from wenhen.operations.secret_rotation import reseal_secrets
from wenhen.runtime.live_settings import StoredValues, live_settings, plain_settings
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App

SECRET = "学而时习之 42"


def mail_form(server: str, **more: str) -> dict[str, str]:
    return {"notice.smtp": server, "notice.sender": "法务 <law@hean.example>", "notice.smtp_user": "", **more}


def test_a_change_is_stored_audited_and_in_effect_in_every_process(product: App, client: FlaskClient) -> None:
    form = {"report.holder": "河岸文艺社", "report.contact": "law@hean.example"}
    page = post_and_follow(client, "/settings/reports", form_at="/settings/", **form).text
    assert "已保存" in page
    assert 'value="河岸文艺社"' in page
    another = live_settings(product.settings, StoredValues(product.store, product.seal))
    assert (another.report.holder, another.report.contact) == ("河岸文艺社", "law@hean.example")
    lines = product.store.audit.find(action="settings.change")
    assert {(line.subject, line.old, line.new) for line in lines} == {
        ("setting:report.holder", '""', '"河岸文艺社"'),
        ("setting:report.contact", '""', '"law@hean.example"'),
    }
    post(client, "/settings/reports", form_at="/settings/", **(form | {"report.contact": ""}))
    assert [setting.id for setting in product.store.stored_settings.all()] == ["report.holder"], "defaults are not kept"


def test_what_is_stored_reaches_child_processes_by_the_store_and_not_as_variables(product: App) -> None:
    change_settings(by(product), "reports", {"report.holder": "河岸文艺社"})
    assert product.settings.report.holder == "河岸文艺社"
    assert "WENHEN_REPORT_HOLDER" not in settings_environment(product.settings)
    assert plain_settings(product.settings).report.holder == ""


def test_what_environment_or_file_sets_is_shown_with_its_source_and_cannot_be_changed(
    make_app: MakeApp, product: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WENHEN_NOTICE_TWO_PERSONS", "true")
    page = make_app(notice={"two_persons": True}).test_client().get("/settings/").text
    assert "由 WENHEN_NOTICE_TWO_PERSONS 设定" in page
    notice = product.settings.notice.model_copy(update={"two_persons": True})
    fixed = replace(product, settings=product.settings.model_copy(update={"notice": notice}))
    with pytest.raises(Conflict, match="WENHEN_NOTICE_TWO_PERSONS"):
        change_settings(by(fixed), "notices", {"notice.two_persons": False})
    change_settings(by(product), "notices", {"notice.two_persons": False, "notice.grounds": True})
    assert (fixed.settings.notice.two_persons, fixed.settings.notice.grounds) == (True, True)


def test_a_secret_is_sealed_never_shown_and_dropped_when_it_would_go_elsewhere(
    client: FlaskClient, product: App
) -> None:
    given = mail_form("mail.hean.example:587", **{"notice.smtp_password": SECRET, "notice.smtp_tls": "1"})
    assert post(client, "/settings/mail_out", form_at="/settings/", **given).status_code == 303
    assert product.settings.notice.smtp_password is not None
    assert product.settings.notice.smtp_password.get_secret_value() == SECRET
    page = client.get("/settings/").text
    assert "已设置，不再显示" in page
    stored = {setting.id: setting.value for setting in product.store.stored_settings.all()}
    audited = [(line.old, line.new) for line in product.store.audit.find(subject="setting:notice.smtp_password")]
    assert audited == [(None, "***")]
    assert SECRET not in page + str(stored)
    kept = mail_form("mail.hean.example:587", **{"notice.smtp_password": "", "notice.smtp_tls": "1"})
    post(client, "/settings/mail_out", form_at="/settings/", **kept)
    assert product.settings.notice.smtp_password is not None
    elsewhere = kept | {"notice.smtp": "evil.example:587"}
    post(client, "/settings/mail_out", form_at="/settings/", **elsewhere)
    assert product.settings.notice.smtp_password is None
    change_settings(by(product), "mail_out", {"notice.smtp_password": SECRET})
    post(client, "/settings/mail_out", form_at="/settings/", **(elsewhere | {"clear:notice.smtp_password": "1"}))
    assert product.settings.notice.smtp_password is None


def test_where_a_password_is_fixed_its_server_is_fixed_as_well(product: App) -> None:
    notice = product.settings.notice.model_copy(update={"imap_password": SECRET})
    fixed = replace(product, settings=product.settings.model_copy(update={"notice": notice}))
    with pytest.raises(Conflict, match=r"notice\.imap is set by"):
        change_settings(by(fixed), "mail_in", {"notice.imap": "evil.example:993"})


def test_stored_secrets_are_sealed_anew_under_a_new_key_and_left_out_under_an_unknown_one(product: App) -> None:
    change_settings(by(product), "mail_in", {"notice.imap_password": SECRET})
    [key] = product.seal.keys()
    turned = replace(product, seal=Seal(lambda: ["new", key]))
    reseal_secrets(by(turned))
    under_new = live_settings(product.settings, StoredValues(product.store, Seal(lambda: ["new"])))
    assert under_new.notice.imap_password is not None
    unknown = live_settings(product.settings, StoredValues(product.store, Seal(lambda: ["another"])))
    assert unknown.notice.imap_password is None


@pytest.mark.parametrize(
    ("group", "form", "told"),
    [
        ("mail_out", mail_form("mail.hean.example"), "发信服务器：写法不对"),
        ("crawling", {"crawler.delay": "-1"}, "请填写不小于 0 的数"),
        ("crawling", {"crawler.concurrency": "900"}, "请填写 1 到 64 之间的数"),
        ("crawling", {"crawler.timeout": "soon"}, "等待响应的时间"),
        ("duties", {"schedule.daily_at": "25:00"}, "写法不对"),
        ("duties", {"schedule.daily_at": "02:30", "dashboard.second_factor_for": "king"}, "必须使用两步验证的角色"),
    ],
)
def test_a_wrong_value_is_named_in_the_form_and_nothing_is_stored(
    client: FlaskClient, store: Store, group: str, form: dict[str, str], told: str
) -> None:
    answer = post(client, f"/settings/{group}", form_at="/settings/", **form)
    assert answer.status_code == 400
    assert told in answer.text
    assert store.stored_settings.all() == []


def test_the_mail_server_is_tried_and_each_step_that_fails_is_named(client: FlaskClient) -> None:
    def tried(to: str = "chief@hean.example") -> str:
        return post_and_follow(client, "/settings/mail_out/try", form_at="/settings/", to=to).text

    assert "请先填写并保存" in tried()
    with receiving() as (taken, place):
        post(client, "/settings/mail_out", form_at="/settings/", **mail_form(place))
        assert "250 queued as 4711" in tried()
        assert len(taken.taken) == 1
        assert "不接受收信地址 nobody@hean.example：550 no such user" in tried("nobody@hean.example")
        post(client, "/settings/mail_out", form_at="/settings/", **mail_form(place, **{"notice.smtp_tls": "1"}))
        assert "STARTTLS" in tried()
    assert "连不上发信服务器" in tried()


def test_the_mailbox_is_tried_and_each_step_that_fails_is_named(client: FlaskClient) -> None:
    def tried(password: str = PASSWORD, folder: str = "INBOX") -> str:
        form = {"notice.imap": place, "notice.imap_tls": "none", "notice.imap_user": USER, "notice.imap_minutes": "10"}
        form |= {"notice.imap_password": password, "notice.imap_folder": folder}
        assert post(client, "/settings/mail_in", form_at="/settings/", **form).status_code == 303
        return post_and_follow(client, "/settings/mail_in/try", form_at="/settings/").text

    with mailbox() as place:
        assert "收信正常" in tried()
        assert f"不接受用户 {USER} 的登录" in tried(password="wrong")
        assert "打不开文件夹 nowhere" in tried(folder="nowhere")
    assert "连不上收信服务器" in tried()


def test_without_an_authority_there_is_nothing_to_try(client: FlaskClient) -> None:
    assert post(client, "/settings/evidence/try", form_at="/settings/").status_code == 400
    assert post(client, "/settings/crawling/try", form_at="/settings/").status_code == 404
    assert post(client, "/settings/nothing", form_at="/settings/").status_code == 404


def test_an_authority_that_does_not_answer_is_named(client: FlaskClient) -> None:
    form = {"evidence.authorities": "http://127.0.0.1:9/tsr\r\n"}
    post(client, "/settings/evidence", form_at="/settings/", **form)
    answer = post(client, "/settings/evidence/try", form_at="/settings/")
    assert answer.status_code == 502
    assert "没有取得时间戳" in answer.text


def test_nobody_but_an_administrator_sees_or_changes_settings(make_app: MakeApp, store: Store, product: App) -> None:
    add_user(store, role=Role.LAWYER)
    assert signed_in(make_app(sign_in=True)).get("/settings/").status_code == 403
    with pytest.raises(Forbidden):
        change_settings(replace(by(product), rights=frozenset(Right) - {Right.SETTINGS}), "reports", {})
    with pytest.raises(NotFound):
        change_settings(by(product), "nothing", {})
    with pytest.raises(BadInput):
        change_settings(by(product), "notices", {"notice.counter_days": 0})
