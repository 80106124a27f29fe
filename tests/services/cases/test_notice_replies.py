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

from dashboard.export.notice_files import to_bundle
from services.alerts import own_rules, ring_bells
from services.cases.case_filter import Filter
from services.cases.decisions import decide
from services.evidence.package.zip_file import unzipped
from services.notices import sent_and_answered, tasks_due, write_and_edit
from services.notices.replies import decisions_on_replies, fetch_mails
from services.notices.replies.fetch_mails import Fetched
from services.upkeep.health import ServerState, health
from store.errors import BadInput, Conflict, Unavailable
from store.records import AlertEvent, AnswerKind, CaseStatus, DeliveryState, Sending, SentBy
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from tests.support.servers.certificates import make_certificates, tls_door
from tests.support.servers.mailbox import PASSWORD, USER, mailbox
from tests.support.servers.mails import REPORT
from wenhen.wiring import App

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
    decide(by(product), [1], CaseStatus.CONFIRMED)
    [notice] = write_and_edit.write(by(product), 1)
    sent_and_answered.gone_out(
        by(product), notice, Sending(at=NOW, by="沈", how=SentBy.MAIL, to="ip@x.example", message_id=OURS)
    )
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
    assert fetch_mails.fetch(by(sent)) == Fetched(assigned=1)
    assert fetch_mails.fetch(by(sent)) == Fetched(), "taken before"
    sent.store.marks.set(f"replies:{USER}@{sent.settings.notice.imap}/{folder.name}", {"validity": 1, "uid": 999})
    assert fetch_mails.fetch(by(sent)) == Fetched(), "the folder is numbered anew, and the mail is the same"
    [answer] = sent.store.notices.get("2026-0001").answers
    assert (answer.text, answer.sender, answer.unread) == ("已删除。", "版权 <ip@copies.example>", True)
    assert answer.digest == sha256(mail).hexdigest()
    assert sent.store.blobs.get(answer.digest) == mail
    assert mail in unzipped(to_bundle(by(sent), "2026-0001")[1]).values(), "counsel gets it as it came"
    [line] = sent.store.audit.find(subject="notice:2026-0001", action="notice.reply")
    assert answer.digest in (line.new or "")
    assert sent.store.cases.get("1").status is CaseStatus.NOTICE_SENT, "a person decides"
    folder.client.select_folder(folder.name, readonly=True)
    assert folder.client.search(["UNSEEN"]) == folder.client.search() != []


def test_the_number_in_a_subject_will_do_and_what_nobody_can_place_waits_for_a_person(
    sent: App, folder: Folder
) -> None:
    folder.put(_mail(subject="Re: 2026-0001"), _mail("请问", subject="2026-0009"), _mail("广告", subject="促销"))
    assert fetch_mails.fetch(by(sent)) == Fetched(assigned=1, waiting=2)
    advert, question = sorted(sent.store.replies.waiting(), key=lambda one: one.subject == "2026-0009")
    assert {one.what for one in tasks_due.tasks(sent)} >= {tasks_due.ToDo.ASSIGN, tasks_due.ToDo.READ}
    decisions_on_replies.set_aside(by(sent), advert.id)
    decisions_on_replies.assign(by(sent), question.id, "2026-0001")
    with pytest.raises(Conflict):
        decisions_on_replies.assign(by(sent), question.id, "2026-0001")
    assert sent.store.replies.waiting() == []
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
    fetch_mails.fetch(by(sent))
    notice = decisions_on_replies.read(by(sent, "顾"), "2026-0001", 0, kind)
    assert (notice.answers[0].kind, notice.answers[0].read_by, notice.answers[0].unread) == (kind, "顾", False)
    case = sent.store.cases.get("1")
    assert case.status is status
    assert "我方认为不侵权" in (case.history[-1].note or "") or status is CaseStatus.NOTICE_SENT


def test_a_mail_that_came_back_says_why_and_the_notice_can_be_sent_again(sent: App, folder: Folder) -> None:
    watching = own_rules.add(by(sent), "答复", Filter(), {AlertEvent.ANSWERED})
    delayed = REPORT.replace(b"Action: Failed", b"Action: delayed").replace(b"other@copies", b"third@copies")
    folder.put(delayed.replace(b"Action: delivered", b"Action: unknown"))
    fetch_mails.fetch(by(sent))
    assert not sent.store.notices.get("2026-0001").undelivered
    with pytest.raises(Conflict, match="was sent"):
        sent_and_answered.note_sent(by(sent), "2026-0001", SentBy.POST)
    folder.put(REPORT.replace(b"Action: delivered", b"Action: unknown"))
    fetch_mails.fetch(by(sent))
    notice = sent.store.notices.get("2026-0001")
    assert notice.sendings[0].delivery is not None
    assert notice.sendings[0].delivery.state is DeliveryState.FAILED
    assert "550 5.1.1 no such user" in notice.sendings[0].delivery.said
    assert notice.answers == ()
    assert tasks_due.ToDo.SEND_AGAIN in {one.what for one in tasks_due.tasks(sent)}
    ring_bells.notice_alerts(sent)
    ring_bells.notice_alerts(sent)
    assert [one.event for one in sent.store.alerts.of_user(watching.user)] == [AlertEvent.ANSWERED], "told once"
    later = replace(sent, now=lambda: NOW + timedelta(days=3))
    again = sent_and_answered.note_sent(by(later), "2026-0001", SentBy.POST)
    assert again.deadline == NOW + timedelta(days=3 + again.days)
    case = sent.store.cases.get("1")
    assert (case.status, case.deadline) == (CaseStatus.NOTICE_SENT, again.deadline), "its clock runs anew"
    assert tasks_due.ToDo.SEND_AGAIN not in {one.what for one in tasks_due.tasks(sent)}


def test_a_mailbox_that_cannot_be_read_for_an_hour_is_an_alarm_with_its_reason(product: App, server: str) -> None:
    def seen(minutes: int) -> ServerState:
        return health(at(minutes, PASSWORD))["mailbox"]

    def at(minutes: int, password: str) -> App:
        now = NOW + timedelta(minutes=minutes)
        return replace(_reading(product, server, "INBOX", "none", password), now=lambda: now)

    assert "mailbox" not in health(product)
    assert "not been read yet" in seen(0).detail
    fetch_mails.fetch_due(at(0, PASSWORD))
    assert (seen(20).answers, seen(20).detail) == (True, "read 20 minutes ago")
    assert not seen(70).answers, "nobody looked"
    for minutes in (30, 80):
        with pytest.raises(Unavailable):
            fetch_mails.fetch_due(at(minutes, "wrong"))
    assert (seen(40).answers, seen(95).answers) == (True, False)
    assert "65 minutes" in seen(95).detail
    assert "mailbox cannot be read" in seen(95).detail
    fetch_mails.fetch_due(at(100, PASSWORD))
    assert seen(101).answers


def test_the_password_goes_by_tls_to_whom_somebody_vouches_for_alone(
    product: App, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, own = make_certificates(tmp_path)

    def look(place: str, tls: str, password: str = PASSWORD) -> Fetched:
        return fetch_mails.fetch(by(_reading(product, place, "INBOX", tls, password)))

    with pytest.raises(BadInput, match=r"notice\.imap"):
        fetch_mails.fetch(by(product))
    with mailbox(own) as guarded, tls_door(int(server.partition(":")[2]), own) as door:
        for place, tls in ((guarded, "starttls"), (f"127.0.0.1:{door}", "tls")):
            with pytest.raises(Unavailable, match="certificate verify failed"):
                look(place, tls)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert look(guarded, "starttls") == look(f"127.0.0.1:{door}", "tls") == Fetched()
        with pytest.raises(Unavailable, match="mailbox cannot be read"):
            look(guarded, "starttls", "wrong")
        with pytest.raises(Unavailable):
            look(server, "starttls")
