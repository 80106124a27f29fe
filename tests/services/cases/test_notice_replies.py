"""What comes back to notices by mail is fetched from a real mailbox once, put where it belongs, kept as it came."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest
from imapclient import IMAPClient
from pydantic import SecretStr

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from tests.support.servers.certificates import make_certificates, tls_door
from tests.support.servers.mailbox import PASSWORD, USER, mailbox
from tests.support.servers.mails import REPORT
from wenhen.alerts.alert_rules import create_alert_rule
from wenhen.alerts.model import AlertEvent
from wenhen.alerts.notifications import create_notifications
from wenhen.cases.decisions import decide_cases
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseStatus
from wenhen.evidence.wacz import unzip_members
from wenhen.kit.errors import BadInput, Conflict, Unavailable
from wenhen.notices.drafting import write_notices
from wenhen.notices.due_tasks import ToDo, list_tasks
from wenhen.notices.mailbox import Fetched, fetch_due_mails, fetch_reply_mails
from wenhen.notices.model import AnswerKind, DeliveryState, Sending, SentBy
from wenhen.notices.replies import assign_reply, classify_answer, dismiss_reply
from wenhen.notices.sending import mark_sent, record_sent_notice
from wenhen.operations.health import ServerState, check_health
from wenhen.reports.notice_files import write_notice_bundle
from wenhen.runtime.wiring import App

OURS = "<a1@hean.example>"
_FOLDERS = count()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the mailbox, and somebody who puts mails into it."""

    name: str
    client: IMAPClient

    def put(self, *mails: bytes) -> None:
        for mail in mails:
            self.client.append(self.name, mail)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with mailbox() as place:
        yield place


@pytest.fixture
def folder(server: str) -> Iterator[Folder]:
    """A folder of this test's own."""
    host, _, port = server.partition(":")
    found = f"答复 {next(_FOLDERS)}"
    with IMAPClient(host, int(port), ssl=False) as client:
        client.login(USER, PASSWORD)
        client.create_folder(found)
        yield Folder(found, client)


@pytest.fixture
def sent(product: App, server: str, folder: Folder) -> App:
    """A notice that was sent by mail, and the mailbox."""
    seed = Seeder(product.store)
    seed.work()
    seed.case()
    ready_holder(product.store)
    product = replace(_reading(product, server, folder.name), now=lambda: NOW)
    decide_cases(by(product), [1], CaseStatus.CONFIRMED)
    [notice] = write_notices(by(product), 1)
    mark_sent(by(product), notice, Sending(at=NOW, by="沈", how=SentBy.MAIL, to="ip@x.example", message_id=OURS))
    return product


def _reading(product: App, place: str, folder: str, tls: str = "none", password: str = PASSWORD) -> App:
    told = {
        "imap": place,
        "imap_tls": tls,
        "imap_user": USER,
        "imap_password": SecretStr(password),
        "imap_folder": folder,
    }
    notice = product.settings.notice.model_copy(update=told)
    return replace(product, settings=product.settings.model_copy(update={"notice": notice}))


def _mail(text: str = "已删除。", *, to: str = "", subject: str = "回复") -> bytes:
    lines = [
        "From: 版权 <ip@copies.example>",
        f"Subject: {subject}",
        *([f"In-Reply-To: {to}"] if to else []),
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
    ]
    return "\r\n".join([*lines, "", text, ""]).encode()


def test_an_answer_stands_on_its_notice_once_with_its_bytes_and_nothing_changes_in_the_mailbox(
    sent: App, folder: Folder
) -> None:
    mail = _mail(to=OURS)
    folder.put(mail)
    assert fetch_reply_mails(by(sent)) == Fetched(assigned=1)
    assert fetch_reply_mails(by(sent)) == Fetched(), "taken before"
    sent.store.marks.set(f"replies:{USER}@{sent.settings.notice.imap}/{folder.name}", {"validity": 1, "uid": 999})
    assert fetch_reply_mails(by(sent)) == Fetched(), "the folder is numbered anew, and the mail is the same"
    [answer] = sent.store.notices.get("2026-0001").answers
    assert (answer.text, answer.sender, answer.unread) == ("已删除。", "版权 <ip@copies.example>", True)
    assert answer.digest == sha256(mail).hexdigest()
    assert sent.store.blobs.get(answer.digest) == mail
    assert mail in unzip_members(write_notice_bundle(by(sent), "2026-0001")[1]).values(), "counsel gets it as it came"
    [line] = sent.store.audit.find(subject="notice:2026-0001", action="notice.reply")
    assert answer.digest in (line.new or "")
    assert sent.store.cases.get("1").status is CaseStatus.NOTICE_SENT, "a person decides"
    folder.client.select_folder(folder.name, readonly=True)
    assert folder.client.search(["UNSEEN"]) == folder.client.search() != []


def test_the_number_in_a_subject_will_do_and_what_nobody_can_place_waits_for_a_person(
    sent: App, folder: Folder
) -> None:
    folder.put(_mail(subject="Re: 2026-0001"), _mail("请问", subject="2026-0009"), _mail("广告", subject="促销"))
    assert fetch_reply_mails(by(sent)) == Fetched(assigned=1, waiting=2)
    advert, question = sorted(sent.store.replies.find_waiting(), key=lambda one: one.subject == "2026-0009")
    assert {one.what for one in list_tasks(sent)} >= {ToDo.ASSIGN, ToDo.READ}
    dismiss_reply(by(sent), advert.id)
    assign_reply(by(sent), question.id, "2026-0001")
    with pytest.raises(Conflict):
        assign_reply(by(sent), question.id, "2026-0001")
    assert sent.store.replies.find_waiting() == []
    assert {one.text for one in sent.store.notices.get("2026-0001").answers} == {"已删除。", "请问"}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (AnswerKind.REMOVED, CaseStatus.REMOVED),
        (AnswerKind.REFUSED, CaseStatus.REFUSED),
        (AnswerKind.COUNTER_NOTICE, CaseStatus.COUNTERED),
        (AnswerKind.RECEIVED, CaseStatus.NOTICE_SENT),
    ],
)
def test_who_reads_an_answer_says_what_it_amounts_to_and_the_case_goes_there(
    sent: App, folder: Folder, kind: AnswerKind, status: CaseStatus
) -> None:
    folder.put(_mail("我方认为不侵权。", to=OURS))
    fetch_reply_mails(by(sent))
    notice = classify_answer(by(sent, "顾"), "2026-0001", 0, kind)
    assert (notice.answers[0].kind, notice.answers[0].read_by, notice.answers[0].unread) == (kind, "顾", False)
    case = sent.store.cases.get("1")
    assert case.status is status
    assert "我方认为不侵权" in (case.history[-1].note or "") or status is CaseStatus.NOTICE_SENT


def test_a_mail_that_came_back_says_why_and_the_notice_can_be_sent_again(sent: App, folder: Folder) -> None:
    watching = create_alert_rule(by(sent), "答复", Filter(), {AlertEvent.ANSWERED})
    delayed = REPORT.replace(b"Action: Failed", b"Action: delayed").replace(b"other@copies", b"third@copies")
    folder.put(delayed.replace(b"Action: delivered", b"Action: unknown"))
    fetch_reply_mails(by(sent))
    assert not sent.store.notices.get("2026-0001").is_undelivered
    with pytest.raises(Conflict, match="was sent"):
        record_sent_notice(by(sent), "2026-0001", SentBy.POST)
    folder.put(REPORT.replace(b"Action: delivered", b"Action: unknown"))
    fetch_reply_mails(by(sent))
    notice = sent.store.notices.get("2026-0001")
    assert notice.sendings[0].delivery is not None
    assert notice.sendings[0].delivery.state is DeliveryState.FAILED
    assert "550 5.1.1 no such user" in notice.sendings[0].delivery.said
    assert notice.answers == ()
    assert ToDo.SEND_AGAIN in {one.what for one in list_tasks(sent)}
    create_notifications(sent)
    create_notifications(sent)
    assert [one.event for one in sent.store.alerts.of_user(watching.user)] == [AlertEvent.ANSWERED], "told once"
    later = replace(sent, now=lambda: NOW + timedelta(days=3))
    again = record_sent_notice(by(later), "2026-0001", SentBy.POST)
    assert again.deadline == NOW + timedelta(days=3 + again.days)
    case = sent.store.cases.get("1")
    assert (case.status, case.deadline) == (CaseStatus.NOTICE_SENT, again.deadline), "its clock runs anew"
    assert ToDo.SEND_AGAIN not in {one.what for one in list_tasks(sent)}


def test_a_mailbox_that_cannot_be_read_for_an_hour_is_an_alarm_with_its_reason(product: App, server: str) -> None:
    def seen(minutes: int) -> ServerState:
        return check_health(at(minutes, PASSWORD))["mailbox"]

    def at(minutes: int, password: str) -> App:
        now = NOW + timedelta(minutes=minutes)
        return replace(_reading(product, server, "INBOX", "none", password), now=lambda: now)

    assert "mailbox" not in check_health(product)
    assert "not been read yet" in seen(0).detail
    fetch_due_mails(at(0, PASSWORD))
    assert (seen(20).answers, seen(20).detail) == (True, "read 20 minutes ago")
    assert not seen(70).answers, "nobody looked"
    for minutes in (30, 80):
        with pytest.raises(Unavailable):
            fetch_due_mails(at(minutes, "wrong"))
    assert (seen(40).answers, seen(95).answers) == (True, False)
    assert "65 minutes" in seen(95).detail
    assert "does not let law in" in seen(95).detail
    fetch_due_mails(at(100, PASSWORD))
    assert seen(101).answers


def test_the_password_goes_by_tls_to_whom_somebody_vouches_for_alone(
    product: App, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, own = make_certificates(tmp_path)

    def look(place: str, tls: str, password: str = PASSWORD) -> Fetched:
        return fetch_reply_mails(by(_reading(product, place, "INBOX", tls, password)))

    with pytest.raises(BadInput, match=r"notice\.imap"):
        fetch_reply_mails(by(product))
    with mailbox(own) as guarded, tls_door(int(server.partition(":")[2]), own) as door:
        for place, tls in ((guarded, "starttls"), (f"127.0.0.1:{door}", "tls")):
            with pytest.raises(Unavailable, match="certificate verify failed"):
                look(place, tls)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert look(guarded, "starttls") == look(f"127.0.0.1:{door}", "tls") == Fetched()
        with pytest.raises(Unavailable, match="does not let law in"):
            look(guarded, "starttls", "wrong")
        with pytest.raises(Unavailable):
            look(server, "starttls")
