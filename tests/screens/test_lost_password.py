"""A lost password is set anew by mail, and nobody learns who is there."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.people import PASSWORD, add_user, inside, sign_in, signed_in
from tests.support.samples import TurnedClock
from tests.support.screens import MakeApp, post, post_and_follow
from tests.support.seed import NOW
from tests.support.servers.mail_receiver import Receiver, receiving
from wenhen.accounts.users import LINK_LIFETIME, make_password_link, password_link_address
from wenhen.context.store_and_queue import Store
from wenhen.runtime.processes.dashboard_process import first_password_address, make_first_administrator
from wenhen.runtime.wiring import App

NEW = "渡口的灯 2031 夜"
MAIL = "yan@hean.example"


@pytest.fixture
def taken() -> Iterator[tuple[Receiver, str]]:
    with receiving() as found:
        yield found


@pytest.fixture
def app(make_app: MakeApp, taken: tuple[Receiver, str]) -> Flask:
    notice = {"smtp": taken[1], "smtp_tls": False, "sender": "law@hean.example"}
    return make_app(sign_in=True, notice=notice, dashboard={"address": "https://wenhen.example/desk"})


def wait_for(met: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not met():
        assert time.monotonic() < until
        time.sleep(0.02)


def ask(client: FlaskClient, asked: str) -> tuple[int, str]:
    answer = post(client, "/sign-in/forgot", form_at="/sign-in/forgot", asked=asked)
    return answer.status_code, answer.text


@pytest.mark.parametrize("asked", ["沈 Yan", MAIL.upper()])
def test_a_link_comes_by_mail_and_works_once(app: Flask, store: Store, taken: tuple[Receiver, str], asked: str) -> None:
    add_user(store, mail=MAIL)
    elsewhere, client = signed_in(app), app.test_client()
    assert ask(client, asked)[0] == 303
    wait_for(lambda: bool(taken[0].taken))
    letter = message_from_bytes(taken[0].taken[0], policy=policy.default)
    found = re.search(r"https://wenhen\.example/desk/sign-in/set/(\S+)", letter.get_content())
    assert (letter["To"], found is not None) == (MAIL, True)
    assert found
    assert found[1] not in str(list(store.password_links.table.some({})))
    address = f"/sign-in/set/{found[1]}"
    for new, again in ((NEW, "x"), ("short", "short"), ("沈 yan 沈 yan 1", "沈 yan 沈 yan 1")):
        assert post(client, address, form_at=address, new=new, again=again).status_code == 400
    page = post_and_follow(client, address, form_at=address, new=NEW, again=NEW).text
    assert "密码已设置" in page
    assert not inside(elsewhere), "sessions end"
    assert client.get(address).status_code == 404
    assert sign_in(app.test_client(), password=PASSWORD).status_code == 401
    assert sign_in(app.test_client(), password=NEW).status_code == 303
    actions = {line.action for line in store.audit.find(subject="user:沈 yan")}
    assert {"user.mail_link", "user.set_password"} <= actions


def test_whoever_is_not_there_or_has_no_address_gets_the_same_answer_and_no_mail(
    app: Flask, store: Store, taken: tuple[Receiver, str]
) -> None:
    add_user(store)
    add_user(store, "陆沉", mail="lu@hean.example", disabled_at=NOW)
    add_user(store, "顾", mail=MAIL)
    answers = {ask(app.test_client(), name) for name in ("沈 Yan", "陆沉")}
    assert len(answers) == 1
    asking = app.test_client()
    asking.environ_base["REMOTE_ADDR"] = "198.51.100.9"
    answers |= {ask(asking, name) for name in ("nobody", "顾")}
    assert len(answers) == 1
    wait_for(lambda: bool(taken[0].taken))
    assert len(taken[0].taken) == 1


def test_who_asks_again_and_again_has_to_wait(app: Flask, store: Store) -> None:
    add_user(store, mail=MAIL)
    client = app.test_client()
    statuses = [ask(client, "沈 Yan")[0] for _ in range(6)]
    assert statuses[:2] == [303, 303]
    assert statuses[-1] == 429


def test_a_link_expires_and_a_newer_one_replaces_it(make_app: MakeApp, store: Store, product: App) -> None:
    user, watch = add_user(store), TurnedClock()
    client, turned = make_app(sign_in=True, clock=watch).test_client(), replace(product, now=watch)
    first, second = (make_password_link(turned, user, LINK_LIFETIME) for _ in range(2))
    assert client.get(f"/sign-in/set/{first}").status_code == 404
    assert client.get(f"/sign-in/set/{second}").status_code == 200
    watch.now += LINK_LIFETIME + timedelta(seconds=1)
    assert client.get(f"/sign-in/set/{second}").status_code == 404


def test_without_a_mail_server_an_administrator_is_named(make_app: MakeApp) -> None:
    client = make_app(sign_in=True).test_client()
    assert "请管理员" in client.get("/sign-in/forgot").text
    assert post(client, "/sign-in/forgot", form_at="/sign-in/", asked="沈 Yan").status_code == 404


def test_an_address_of_ones_own_needs_the_password(make_app: MakeApp, store: Store) -> None:
    add_user(store)
    client = signed_in(make_app(sign_in=True))
    for password, mail in (("guess", MAIL), (PASSWORD, "no address")):
        form = {"password": password, "mail": mail}
        assert post(client, "/account/mail", form_at="/account/", **form).status_code == 400
    assert post(client, "/account/mail", form_at="/account/", password=PASSWORD, mail=MAIL).status_code == 303
    assert store.users.get("沈 yan").mail == MAIL
    post(client, "/account/mail", form_at="/account/", password=PASSWORD, mail="")
    assert store.users.get("沈 yan").mail is None


def test_the_first_administrator_chooses_a_password_in_the_browser(make_app: MakeApp, product: App) -> None:
    given = make_first_administrator(product)
    address = first_password_address(product, "http://127.0.0.1:8321/").removeprefix("http://127.0.0.1:8321")
    assert given
    client = make_app(sign_in=True, clock=product.now).test_client()
    assert post(client, address, form_at=address, new=NEW, again=NEW).status_code == 303
    assert sign_in(client, "admin", NEW).location == "/"
    assert password_link_address("http://a.example", "s") == "http://a.example/sign-in/set/s"
