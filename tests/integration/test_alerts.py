"""People are told what their rules ask for: under the bell, by mail and by chat, once, and again until it is taken."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import apprise
import pytest
from pydantic import SecretStr

from tests.support.acting import by
from tests.support.alerts import Mailbox, at, turn
from tests.support.seed import NOW, Seeder
from wenhen.alerts.alert_rules import (
    create_alert_rule,
    delete_alert_rule,
    make_mail_channel,
    mark_alerts_seen,
    rule_letters,
    send_test_letter,
    update_alert_rule,
)
from wenhen.alerts.model import AlertEvent, AlertPace
from wenhen.alerts.notifications import create_notifications, send_due_letters
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseDecision, CaseStatus
from wenhen.cases.repository import Cases
from wenhen.kit.clock import ALERT_RETENTION
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.rights import Right
from wenhen.kit.sealed_secrets import is_sealed
from wenhen.runtime.wiring import App
from wenhen.settings.notices_and_reports import NoticeSettings


@pytest.fixture
def chat() -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """An HTTP receiver that takes everything: its port, and what came."""
    told: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, told
    server.shutdown()
    server.server_close()


def test_a_new_case_stands_under_the_bell_and_is_mailed_until_it_is_taken_and_never_twice(
    product: App, seed: Seeder, mailbox: Mailbox
) -> None:
    mailbox.refusals = 1
    app = at(product, NOW - timedelta(minutes=1))
    channel = f"mailto://127.0.0.1:{mailbox.port}?from=wenhen@example.org&to=lu@example.org"
    rule = create_alert_rule(by(app), "新案件", Filter(), [AlertEvent.NEW], channel=channel)
    assert is_sealed(app.store.alerts.rule(rule.id).channel or "")
    seed.work()
    seed.case()
    app = at(product, NOW + timedelta(minutes=1))
    turn(app)
    [alert] = app.store.alerts.of_user("陆")
    assert (alert.event, alert.case_number) == (AlertEvent.NEW, 1)
    assert app.store.alerts.unseen("陆") == 1
    [letter] = app.store.alerts.letters(rule.id)
    assert letter.taken_at is None
    assert letter.problem is not None
    for minutes in (3, 4, 5):
        turn(at(product, NOW + timedelta(minutes=minutes)))
    [mail] = mailbox.letters
    assert mail["to"] == "lu@example.org"
    assert "新案件" in mail["subject"]
    body = mail.get_body(("plain", "html"))
    assert body is not None
    assert "#1 新发现" in body.get_content()
    mark_alerts_seen(by(app))
    assert app.store.alerts.unseen("陆") == 0


def test_a_plain_mail_address_is_reached_through_the_mail_server_of_notices(product: App, mailbox: Mailbox) -> None:
    with pytest.raises(BadInput, match="no mail server"):
        create_alert_rule(by(product), "邮件", Filter(), [AlertEvent.NEW], channel="lu@example.org")
    notice = product.settings.notice.model_copy(
        update={"smtp": f"127.0.0.1:{mailbox.port}", "smtp_tls": False, "sender": "文痕 <wenhen@example.org>"}
    )
    app = replace(at(product, NOW, private=False), settings=product.settings.model_copy(update={"notice": notice}))
    rule = create_alert_rule(by(app), "邮件", Filter(), [AlertEvent.NEW], channel="lu@example.org")
    assert (rule.kind, rule.unencrypted, is_sealed(rule.channel or "")) == ("mail", True, True)
    send_test_letter(by(app), rule.id)
    send_due_letters(app)
    [mail] = mailbox.letters
    assert (mail["to"], "wenhen@example.org" in mail["from"]) == ("lu@example.org", True)
    [letter] = app.store.alerts.letters(rule.id)
    assert (letter.problem, letter.taken_at) == (None, NOW)

    send_test_letter(by(app), rule.id)
    send_due_letters(at(product, NOW + timedelta(minutes=1)))  # the server was taken out of the settings since
    problems = [str(letter.problem) for letter in app.store.alerts.letters(rule.id) if letter.problem]
    assert len(problems) == 1
    assert "notice.smtp" in problems[0]


@pytest.mark.parametrize("sender", ["wenhen@example.org", "文痕 <wenhen@example.org>"])
def test_what_a_password_holds_is_no_part_of_the_address(sender: str) -> None:
    settings = NoticeSettings(
        smtp="mail.example:587", smtp_user="us@er", smtp_password=SecretStr("p/w?&@"), sender=sender
    )
    way: Any = apprise.Apprise.instantiate(make_mail_channel("lu@example.org", settings))
    assert (way.smtp_host, way.port, way.secure, way.user, way.password) == (
        "mail.example",
        587,
        True,
        "us@er",
        "p/w?&@",
    )
    assert way.from_addr[1] == "wenhen@example.org"
    assert [address for _, address in way.targets] == ["lu@example.org"]


def test_a_digest_goes_out_in_the_morning_with_what_fits_the_rule_alone(
    product: App, seed: Seeder, chat: tuple[int, list[dict[str, Any]]]
) -> None:
    port, told = chat
    app = at(product, NOW - timedelta(minutes=1))
    chosen = Filter(host="copies.example")
    create_alert_rule(
        by(app), "日报", chosen, [AlertEvent.NEW], pace=AlertPace.DAILY, channel=f"json://127.0.0.1:{port}/hook"
    )
    seed.library()
    fitting = {one["number"] for one in app.store.cases.keys(limit=10, host="copies.example")}
    assert 0 < len(fitting) < 4
    turn(at(product, NOW + timedelta(minutes=1)))
    assert told == []
    for minutes in (0, 10):
        turn(at(product, NOW + timedelta(days=1, minutes=minutes)))
    [letter] = told
    assert f"（{len(fitting)}）" in letter["title"]
    assert {int(line[1:].split()[0]) for line in letter["message"].splitlines() if line.startswith("#")} == fitting


def test_each_event_is_told_to_whom_it_concerns(product: App, seed: Seeder) -> None:
    app = at(product, NOW - timedelta(minutes=1))
    for who in ("陆", "沈"):
        create_alert_rule(by(app, who), "全部", Filter(), [one for one in AlertEvent if one is not AlertEvent.NEW])
    seed.library()
    store = app.store
    store.cases.assign([1], "陆", moment=NOW)
    store.cases.ask([2], "沈", by="陆", moment=NOW)
    seed.case("https://copies.example/answered")
    moves = ((3, CaseStatus.REMOVED), (4, CaseStatus.NOTICE_SENT), (5, CaseStatus.COUNTERED))
    for number, status in moves:
        store.cases.decide_many(
            [number],
            CaseDecision(status=status, by="陆", at=NOW, deadline=NOW),
            only_from=list(CaseStatus),
            batch=str(number),
        )
    create_notifications(at(product, NOW + timedelta(minutes=1)))
    create_notifications(at(product, NOW + timedelta(minutes=2)))
    of = {who: {(one.case_number, one.event) for one in store.alerts.of_user(who)} for who in ("陆", "沈")}
    assert (1, AlertEvent.ASSIGNED) in of["陆"]
    assert (1, AlertEvent.ASSIGNED) not in of["沈"]
    assert (2, AlertEvent.ASKED) in of["沈"]
    for told in of.values():
        assert {(3, AlertEvent.RETURNED), (4, AlertEvent.OVERDUE), (5, AlertEvent.OVERDUE)} <= told


def test_a_deadline_that_goes_by_is_told_however_many_went_by_before_and_nobody_answered(
    product: App, seed: Seeder
) -> None:
    seed.work()
    seed.case()
    cases = product.store.cases
    cases.decide_many(
        [1],
        CaseDecision(status=CaseStatus.NOTICE_SENT, by="陆", at=NOW, deadline=NOW + timedelta(days=7)),
        only_from=list(CaseStatus),
        batch="1",
    )
    assert isinstance(cases, Cases)
    [noticed] = cases.table.some({"number": 1})
    long_ago = NOW - timedelta(days=90)
    cases.table.add_all(
        [{**noticed, "_id": f"{n}", "number": n, "deadline": long_ago, "updated_at": long_ago} for n in range(2, 503)]
    )
    create_alert_rule(by(at(product, NOW)), "过期", Filter(), [AlertEvent.OVERDUE])
    create_notifications(at(product, NOW + timedelta(days=1)))
    assert product.store.alerts.of_user("陆") == [], "what happened before the rule was made is not told"
    create_notifications(at(product, NOW + timedelta(days=7, minutes=1)))
    create_notifications(at(product, NOW + timedelta(days=7, minutes=2)))
    assert [(one.case_number, one.event) for one in product.store.alerts.of_user("陆")] == [(1, AlertEvent.OVERDUE)]


def test_what_happened_so_long_ago_that_its_alert_is_forgotten_is_not_told_again(product: App, seed: Seeder) -> None:
    app = at(product, NOW - timedelta(minutes=1))
    create_alert_rule(by(app), "全部", Filter(), [AlertEvent.NEW])
    seed.work()
    seed.case()
    year_later = NOW + ALERT_RETENTION + timedelta(days=1)
    product.store.cases.assign([1], "沈", moment=year_later)
    create_notifications(at(product, year_later))
    assert product.store.alerts.of_user("陆") == []


def test_a_letter_does_not_reach_the_servers_beside_us(
    product: App, seed: Seeder, chat: tuple[int, list[dict[str, Any]]]
) -> None:
    port, told = chat
    app = at(product, NOW - timedelta(minutes=1))
    rule = create_alert_rule(by(app), "x", Filter(), [AlertEvent.NEW], channel=f"json://127.0.0.1:{port}/")
    seed.work()
    seed.case()
    turn(at(product, NOW + timedelta(minutes=1), private=False))
    assert told == []
    [letter] = app.store.alerts.letters(rule.id)
    assert letter.problem is not None
    assert letter.problem.code == "webhooks.private_address"


def test_a_channel_that_comes_later_gets_no_old_alerts(
    product: App, seed: Seeder, chat: tuple[int, list[dict[str, Any]]]
) -> None:
    port, told = chat
    app = at(product, NOW - timedelta(minutes=1))
    rule = create_alert_rule(by(app), "x", Filter(), [AlertEvent.NEW])
    seed.work()
    seed.case()
    app = at(product, NOW + timedelta(minutes=1))
    turn(app)
    update_alert_rule(by(app), rule.id, channel=f"json://127.0.0.1:{port}/hook")
    turn(at(product, NOW + timedelta(minutes=2)))
    assert app.store.alerts.unseen("陆") == 1, "it stands under the bell"
    assert told == []


@pytest.mark.parametrize("channel", ["file:///etc/passwd", "syslog://", "mailto://", "http://x.example", "junk"])
def test_ways_into_this_machine_and_nonsense_are_no_channel(product: App, channel: str) -> None:
    with pytest.raises(BadInput, match="channel"):
        create_alert_rule(by(product), "x", Filter(), [AlertEvent.NEW], channel=channel)


def test_rules_are_everybodys_own_and_a_channel_wants_the_right_to_take_things_out(product: App) -> None:
    rule = create_alert_rule(by(product), "x", Filter(), [AlertEvent.NEW])
    others = frozenset(Right) - {Right.USERS}  # who looks after people looks after their rules
    for change in (delete_alert_rule, rule_letters, send_test_letter):
        with pytest.raises(Forbidden):
            change(by(product, "别人", rights=others), rule.id)
    assert list(rule_letters(by(product, "别人"), rule.id)) == []
    with pytest.raises(Forbidden):
        create_alert_rule(by(product, rights={Right.READ}), "x", Filter(), [AlertEvent.NEW], channel="json://a.example")
