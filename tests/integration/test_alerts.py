"""People are told what their rules ask for: under the bell, by mail and by chat, once, and again until it is taken."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import apprise
import pytest
from aiosmtpd.controller import Controller
from pydantic import SecretStr

from tests.support.acting import by
from tests.support.people import add_user
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
from wenhen.alerts.mentions import comment_on_case, correct_own_comment
from wenhen.alerts.model import AlertEvent, AlertPace
from wenhen.alerts.notifications import create_notifications, send_due_letters
from wenhen.cases.decisions import ask_second_opinion, assign_cases, decide_cases, undo_decision
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseDecision, CaseStatus
from wenhen.cases.repository import Cases
from wenhen.context.use_cases import Acting
from wenhen.kit.clock import ALERT_RETENTION
from wenhen.kit.errors import BadInput, Forbidden
from wenhen.kit.rights import Right
from wenhen.kit.sealed_secrets import is_sealed
from wenhen.runtime.wiring import App
from wenhen.settings.notices_and_reports import NoticeSettings


@dataclass
class Mailbox:
    """A real SMTP server's letters; it refuses so many first."""

    refusals: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    port: int = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refusals:
            self.refusals -= 1
            return "451 try again later"
        parsed = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        self.letters.append(parsed)
        return "250 OK"


@pytest.fixture
def seed(product: App) -> Seeder:
    return Seeder(product.store)


@pytest.fixture
def mailbox(free_tcp_port: int) -> Iterator[Mailbox]:
    box = Mailbox(port=free_tcp_port)
    server = Controller(box, hostname="127.0.0.1", port=free_tcp_port)
    server.start()
    yield box
    server.stop()


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


def at(product: App, now: datetime, *, private: bool = True) -> App:
    """The product at another time; loopback counts as private."""
    dashboard = product.settings.dashboard.model_copy(update={"private_webhooks": private})
    settings = product.settings.model_copy(update={"dashboard": dashboard})
    return replace(product, settings=settings, now=lambda: now)


def turn(app: App) -> None:
    """What the sweep and the worker that it calls do."""
    create_notifications(app)
    send_due_letters(app)


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


def person(product: App, name: str, mail: str | None) -> Acting:
    """Somebody who has been there for days."""
    user = add_user(product.store, name)
    product.store.users.change(user.id, {"mail": mail})
    return Acting(product, name, frozenset(Right), user_id=user.id)


def test_what_concerns_a_person_is_told_and_mailed_without_a_rule_of_theirs(
    product: App, seed: Seeder, mailbox: Mailbox
) -> None:
    notice = product.settings.notice.model_copy(
        update={"smtp": f"127.0.0.1:{mailbox.port}", "smtp_tls": False, "sender": "wenhen@example.org"}
    )
    product = replace(product, settings=product.settings.model_copy(update={"notice": notice}))
    seed.work()
    for number in range(1, 4):
        seed.case(f"https://copies.example/{number}")
    shen, lu = person(product, "沈", "shen@house.example"), person(product, "陆", None)
    product.store.cases.assign([3], "沈", moment=product.now() - timedelta(days=9))
    create_notifications(product)
    assert [rule.user for rule in product.store.alerts.rules() if rule.own] == ["沈", "陆"]
    assign_cases(lu, [1], "沈")
    ask_second_opinion(lu, [2], "沈", "是否算引用")
    comment_on_case(lu, 3, "@沈 请看")
    assign_cases(lu, [3], "陆")  # to oneself
    create_notifications(product)
    told = {(alert.event, alert.case_number) for alert in product.store.alerts.of_user("沈")}
    assert told == {(AlertEvent.ASSIGNED, 1), (AlertEvent.ASKED, 2), (AlertEvent.MENTIONED, 3)}
    assert product.store.alerts.of_user("陆") == []
    send_due_letters(product)
    [letter] = mailbox.letters
    assert (letter["To"], "#1" in letter.get_content(), "#3" in letter.get_content()) == (
        "shen@house.example",
        True,
        True,
    )
    comment_on_case(shen, 1, "@陆 好")
    create_notifications(product)
    [alert] = product.store.alerts.of_user("陆")
    product.store.users.change("陆", {"mail": "lu@house.example"})
    create_notifications(product)
    send_due_letters(product)
    assert (alert.event, len(mailbox.letters)) == (AlertEvent.MENTIONED, 1), "an address named later sends nothing old"


def test_who_pauses_the_rule_is_told_nothing_and_a_rule_of_ones_own_takes_its_place(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    shen, lu = person(product, "沈", None), person(product, "陆", None)
    create_notifications(product)
    rule = next(rule for rule in product.store.alerts.rules("沈") if rule.own)
    with pytest.raises(BadInput):
        delete_alert_rule(shen, rule.id)
    update_alert_rule(shen, rule.id, paused=True)
    assign_cases(lu, [1], "沈")
    comment_on_case(lu, 1, "@沈")
    create_notifications(product)
    assert product.store.alerts.of_user("沈") == []
    update_alert_rule(shen, rule.id, paused=False)
    made = create_alert_rule(shen, "给我的", Filter(), [AlertEvent.ASSIGNED, AlertEvent.MENTIONED])
    assign_cases(lu, [1], None)
    assign_cases(lu, [1], "沈")
    comment_on_case(lu, 1, "@沈")
    create_notifications(product)
    assert {alert.rule_id for alert in product.store.alerts.of_user("沈")} == {made.id}


def test_who_asked_for_an_opinion_is_told_once_of_the_comment_and_of_the_decision(product: App, seed: Seeder) -> None:
    seed.work()
    for number in range(1, 4):
        seed.case(f"https://copies.example/{number}")
    shen, lu = person(product, "沈", None), person(product, "陆", None)
    create_notifications(product)

    def told() -> list[int]:
        create_notifications(product)
        of_lu = product.store.alerts.of_user("陆")
        assert {alert.event for alert in of_lu} <= {AlertEvent.OPINION}
        return sorted(alert.case_number for alert in of_lu)

    ask_second_opinion(lu, [1, 2, 3], "沈", "是否算引用")
    assert product.store.cases.get("1").asked_by == "陆"
    comment_on_case(lu, 1, "我看像引用")
    assert told() == []
    comment_on_case(shen, 1, "超出引用的范围")
    comment_on_case(shen, 1, "另见第三段")
    assert told() == [1]
    made = decide_cases(shen, [1, 2], CaseStatus.CONFIRMED, undoable=True)
    decide_cases(lu, [3], CaseStatus.DISMISSED, note="引用")
    assert told() == [1, 1, 2], "what one decides oneself is no news"
    answered = product.store.cases.get("2")
    assert (answered.asked, answered.asked_by, answered.opinion and answered.opinion.by) == (None, None, "沈")
    undo_decision(shen, made.batch)
    again = product.store.cases.get("2")
    assert (again.asked, again.asked_by, again.opinion) == ("沈", "陆", None)
    decide_cases(lu, [2], CaseStatus.QUIET)
    assert told() == [1, 1, 2]


def test_rules_of_earlier_versions_tell_of_opinions_too_until_their_owner_wants_none(
    product: App, seed: Seeder
) -> None:
    seed.work()
    person(product, "沈", None)
    create_notifications(product)
    store = product.store.alerts
    [rule] = store.rules("沈")
    before = tuple(event for event in rule.events if event is not AlertEvent.OPINION)
    store.put_rule(replace(rule, events=before))
    create_notifications(product)
    assert store.rule(rule.id).events == before, "the owner wants none"
    product.store.marks.table.delete({"_id": "alerts:opinions"})
    create_notifications(product)
    assert store.rule(rule.id).events == (*before, AlertEvent.OPINION)


def test_who_only_the_corrected_comment_names_is_told(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    lu = person(product, "陆", None)
    person(product, "沈", None)
    person(product, "顾", None)
    create_notifications(product)
    said = comment_on_case(lu, 1, "@顾 请看")
    correct_own_comment(lu, 1, said.comment.id, "@顾 @沈 请看")
    assert [len(product.store.alerts.of_user(name)) for name in ("顾", "沈")] == [1, 1]


def test_a_name_that_nobody_has_is_said_with_those_near_it_and_the_comment_is_kept(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    lu = person(product, "陆", None)
    person(product, "沈岩", None)
    gone = person(product, "顾", None)
    product.store.users.change(gone.user_id or "", {"disabled_at": product.now()})
    done = comment_on_case(lu, 1, "@沈严 请看，@nobody @顾 也看；来信写给 a@b.test")
    assert [(one.name, one.near) for one in done.untold] == [("沈严", ("沈岩",)), ("nobody", ()), ("顾", ())]
    assert "Did you mean @沈岩?" in str(done.untold[0].said)
    assert [one.text for one in product.store.comments.of_case(1)] == [done.comment.text]
    assert product.store.alerts.of_user("沈岩") == []
    corrected = correct_own_comment(lu, 1, done.comment.id, "@沈岩请看，@陆 已看")
    assert corrected.untold == ()
    assert [alert.event for alert in product.store.alerts.of_user("沈岩")] == [AlertEvent.MENTIONED]
