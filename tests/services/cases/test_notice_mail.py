"""Notices go out by e-mail to a real receiver; what it said is kept, also where it took nothing."""

import json
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword
from pydantic import SecretStr

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from tests.support.servers.certificates import make_certificates
from tests.support.servers.mail_receiver import Receiver, receiving
from wenhen.audit.model import ExportedFile
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.context.mail_delivery import deliver_mail
from wenhen.kit.errors import BadInput, Conflict
from wenhen.notices import sending
from wenhen.notices.drafting import edit_notice, remove_notice, write_notices
from wenhen.notices.model import AnswerKind, DeliveryReport, DeliveryState
from wenhen.notices.repository import Notices
from wenhen.notices.sending import mail_notice, propagate_left, record_answer
from wenhen.runtime.wiring import App
from wenhen.settings.notices_and_reports import NoticeSettings


@pytest.fixture
def receiver() -> Iterator[tuple[Receiver, str]]:
    with receiving() as found:
        yield found


@pytest.fixture
def written(product: App, receiver: tuple[Receiver, str]) -> App:
    """A notice that may be sent, and a mail server."""
    settings = product.settings
    by_mail = {"smtp": receiver[1], "smtp_tls": False, "sender": "法务 <law@hean.example>"}
    notice = settings.notice.model_copy(update=by_mail)
    product = replace(product, now=lambda: NOW, settings=settings.model_copy(update={"notice": notice}))
    seed = Seeder(product.store)
    seed.work()
    seed.case()
    ready_holder(product.store)
    decide_cases(by(product), [1], CaseStatus.CONFIRMED)
    write_notices(by(product), 1)
    return product


def test_files_behind_links_are_named_below_the_letter(written: App, receiver: tuple[Receiver, str]) -> None:
    mail_notice(
        by(written), "2026-0001", "ip@copies.example", {"权利文件.jpg": b"\xff\xd8"}, "请下载：https://a.example/x"
    )
    letter = message_from_bytes(receiver[0].taken[0], policy=policy.default)
    body, file = letter.iter_parts()
    assert body.get_content().rstrip().endswith("请下载：https://a.example/x")
    assert file.get_content_type() == "image/jpeg"


def test_a_notice_arrives_with_its_files_and_what_the_server_said_is_kept(
    written: App, receiver: tuple[Receiver, str]
) -> None:
    notice = mail_notice(by(written), "2026-0001", "版权 <ip@copies.example>", {"证据目录.docx": b"PK\r\n.\r\n\x00"})
    [sending] = notice.sendings
    assert (sending.to, sending.said, sending.problem) == ("ip@copies.example", "250 queued as 4711", None)
    assert (notice.sent_at, written.store.cases.get("1").status) == (NOW, CaseStatus.NOTICE_SENT)
    letter = message_from_bytes(receiver[0].taken[0], policy=policy.default)
    subject = "侵权通知书 2026-0001 · 河岸文艺社 · copies.example"
    assert (letter["Subject"], letter["Message-ID"]) == (subject, sending.message_id)
    body, file = letter.iter_parts()
    assert body.get_content().split() == notice.text.split()
    assert file.get_content_type() == "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert (file.get_filename(), file.get_content()) == ("证据目录.docx", b"PK\r\n.\r\n\x00")
    [named] = sending.files
    assert named == ExportedFile.of("证据目录.docx", b"PK\r\n.\r\n\x00")
    [line] = written.store.audit.find(sha256=named.sha256)
    assert (line.action, line.subject) == ("notice.mail", "notice:2026-0001")
    with pytest.raises(Conflict, match="was sent"):
        mail_notice(by(written), "2026-0001", "ip@copies.example")


def test_what_is_not_taken_stays_unsent_with_the_reason_and_can_be_tried_again(written: App) -> None:
    tried = mail_notice(by(written), "2026-0001", "nobody@copies.example")
    problem = str(tried.sendings[0].problem)
    assert problem.endswith("does not take mail for nobody@copies.example: 550 no such user")
    assert tried.sent_at is None
    assert written.store.cases.get("1").status is CaseStatus.CONFIRMED
    again = mail_notice(by(written), "2026-0001", "ip@copies.example")
    assert [one.problem is None for one in again.sendings] == [False, True]


def test_of_two_who_send_a_notice_at_once_one_does(
    written: App, receiver: tuple[Receiver, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def second() -> None:
        with pytest.raises(Conflict, match="being sent"):
            mail_notice(by(written), "2026-0001", "ip@copies.example")

    while_it_is_sent(monkeypatch, second)
    notice = mail_notice(by(written), "2026-0001", "ip@copies.example")
    assert (len(receiver[0].taken), len(notice.sendings), notice.sendings[0].problem) == (1, 1, None)


def test_a_notice_that_came_back_and_is_not_taken_then_can_be_tried_again(written: App) -> None:
    sent = mail_notice(by(written), "2026-0001", "ip@copies.example")
    failed = DeliveryReport(at=NOW, state=DeliveryState.FAILED, said="550", digest="0" * 64)
    came_back = replace(sent, sendings=(replace(sent.sendings[0], reports=(failed,)),))
    written.store.notices.change(sent, came_back)
    refused = mail_notice(by(written), "2026-0001", "nobody@copies.example")
    assert refused.is_undelivered
    again = mail_notice(by(written), "2026-0001", "law@copies.example")
    assert not again.is_undelivered
    assert [one.problem is None for one in again.sendings] == [True, False, True]


def test_a_notice_is_neither_edited_nor_thrown_away_while_it_is_sent(
    written: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed() -> None:
        with pytest.raises(Conflict, match="being sent"):
            edit_notice(by(written), "2026-0001", text="改写过的函", days=10)
        with pytest.raises(Conflict, match="being sent"):
            remove_notice(by(written), "2026-0001")

    while_it_is_sent(monkeypatch, changed)
    assert mail_notice(by(written), "2026-0001", "ip@copies.example").sent_at == NOW


def test_an_answer_that_is_kept_while_a_notice_is_sent_keeps_nobody_from_noting_that_it_was(
    written: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered() -> None:
        record_answer(by(written), "2026-0001", AnswerKind.RECEIVED, "已受理")

    while_it_is_sent(monkeypatch, answered)
    notice = mail_notice(by(written), "2026-0001", "ip@copies.example")
    assert (notice.sent_at, len(notice.answers), len(notice.sendings)) == (NOW, 1, 1)


def test_a_notice_whose_sender_died_after_the_server_had_it_says_that_it_may_have_gone_out(
    written: App, receiver: tuple[Receiver, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed() -> None:
        raise KeyboardInterrupt

    while_it_is_sent(monkeypatch, killed)
    with pytest.raises(KeyboardInterrupt):
        mail_notice(by(written), "2026-0001", "ip@copies.example")
    assert len(receiver[0].taken) == 1
    [tried] = written.store.notices.get("2026-0001").sendings
    assert "may have taken it" in str(tried.problem)
    hour_later = replace(written, now=lambda: NOW + timedelta(hours=1))
    again = mail_notice(by(hour_later), "2026-0001", "ip@copies.example")
    assert [one.problem is None for one in again.sendings] == [False, True]


@pytest.mark.parametrize("resent", [False, True])
def test_the_cases_of_a_notice_follow_it_though_its_sender_died_before_they_did(
    written: App, monkeypatch: pytest.MonkeyPatch, resent: bool
) -> None:
    if resent:
        first = mail_notice(by(written), "2026-0001", "ip@copies.example")
        failed = DeliveryReport(at=NOW, state=DeliveryState.FAILED, said="550", digest="0" * 64)
        came_back = replace(first, sendings=(replace(first.sendings[0], reports=(failed,)),))
        written.store.notices.change(first, came_back)
    later = turned(written, timedelta(days=2))
    with monkeypatch.context() as killed:
        killed.setattr(sending, "decide_cases", killer(after=1 if resent else 0))
        with pytest.raises(KeyboardInterrupt):
            mail_notice(by(later), "2026-0001", "law@copies.example")
    assert written.store.notices.get("2026-0001").sent_at == later.now()
    assert written.store.cases.get("1").status is CaseStatus.CONFIRMED
    propagate_left(later)
    assert written.store.cases.get("1").status is CaseStatus.CONFIRMED, "somebody may still be at it"
    for hours in (1, 2):
        propagate_left(turned(written, timedelta(days=2, hours=hours)))
    case, notice = written.store.cases.get("1"), written.store.notices.get("2026-0001")
    assert (case.status, case.notice_at, case.deadline) == (CaseStatus.NOTICE_SENT, later.now(), notice.deadline)
    [line] = written.store.audit.find(action="notice.follow")
    assert (line.who, line.subject) == ("陆", "notice:2026-0001")
    assert json.loads(line.new or "")["to"] == "law@copies.example"


def turned(written: App, time: timedelta) -> App:
    """The product so much later."""
    return replace(written, now=lambda: NOW + time)


def killer(after: int) -> Callable[..., object]:
    """In place of `decide`: dies when it is called for this time, counted from nought."""
    left = [after]

    def decides(*args: Any, **more: Any) -> object:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return decide_cases(*args, **more)

    return decides


def test_a_notice_that_an_earlier_release_sent_is_answered_like_any_other(written: App) -> None:
    mail_notice(by(written), "2026-0001", "ip@copies.example", {"a.pdf": b"%PDF"})
    notices = written.store.notices
    assert isinstance(notices, Notices)
    notices.table.update_all({}, {"$unset": {"sendings.$[].files": "", "follows_since": ""}})
    answered = record_answer(by(written), "2026-0001", AnswerKind.REMOVED, "已删除")
    assert notices.get("2026-0001") == answered


def while_it_is_sent(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """The mail server has the letter, this happens, and only then its answer is noted."""
    deliver = deliver_mail

    def delivered(letter: EmailMessage, settings: NoticeSettings) -> str:
        monkeypatch.undo()
        said = deliver(letter, settings)
        happens()
        return said

    monkeypatch.setattr(sending, "deliver_mail", delivered)


@pytest.mark.parametrize("to", ["", "ip", "ip@host", "a b@copies.example", "ip@copies.example\nBcc: x@y.example"])
def test_an_address_that_is_none_is_refused(written: App, to: str) -> None:
    with pytest.raises(BadInput, match="no mail address"):
        mail_notice(by(written), "2026-0001", to)


def test_letters_go_by_tls_with_a_login_and_nowhere_else(
    written: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, own = make_certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)

    def known(_server: object, _session: object, _envelope: object, _mechanism: str, data: LoginPassword) -> AuthResult:
        return AuthResult(success=(data.login, data.password) == (b"law", b"open"), handled=False)

    def told(place: str, password: str) -> App:
        by_tls = {"smtp": place, "smtp_tls": True, "smtp_user": "law", "smtp_password": SecretStr(password)}
        settings = written.settings
        notice = settings.notice.model_copy(update=by_tls)
        return replace(written, settings=settings.model_copy(update={"notice": notice}))

    def problem(app: App) -> str:
        return str(mail_notice(by(app), "2026-0001", "ip@copies.example").sendings[-1].problem)

    guarded = {"tls_context": context, "require_starttls": True, "auth_required": True, "authenticator": known}
    with receiving(**guarded) as (taken, place), receiving() as (plain, open_place):
        assert "certificate verify failed" in problem(told(place, "open")), "nobody vouches for the server"
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert "535" in problem(told(place, "wrong"))
        assert "STARTTLS" in problem(told(open_place, "open")), "the server speaks no TLS"
        assert plain.taken == taken.taken == []
        notice = mail_notice(by(told(place, "open")), "2026-0001", "ip@copies.example")
    assert notice.sendings[-1].said == "250 queued as 4711"
    assert len(taken.taken) == 1
