"""Notices go out by e-mail to a real receiver; what it said is kept, also where it took nothing."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from services.cases.decisions import decide
from services.notices import mail, writing
from store.errors import BadInput, Conflict
from store.records import CaseStatus
from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from wenhen.wiring import App


class Receiver:
    """Keeps what it takes; takes nothing for nobody@."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Say whether there is such an address."""
        del server, session, options
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Keep it."""
        del server, session
        assert isinstance(envelope.content, bytes)
        self.taken.append(envelope.content)
        return "250 queued as 4711"


@pytest.fixture
def receiver() -> Iterator[tuple[Receiver, str]]:
    """A mail server on loopback, and where it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = Receiver()
    controller = Controller(kept, hostname="127.0.0.1", port=port)
    controller.start()
    yield kept, f"127.0.0.1:{port}"
    controller.stop()


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
    decide(by(product), [1], CaseStatus.CONFIRMED)
    writing.write(by(product), 1)
    return product


def test_a_notice_arrives_with_its_files_and_what_the_server_said_is_kept(
    written: App, receiver: tuple[Receiver, str]
) -> None:
    notice = mail.mail(by(written), "2026-0001", "版权 <ip@copies.example>", {"证据目录.docx": b"PK\r\n.\r\n\x00"})
    [sending] = notice.sendings
    assert (sending.to, sending.said, sending.problem) == ("ip@copies.example", "250 queued as 4711", None)
    assert (notice.sent_at, written.store.cases.get("1").status) == (NOW, CaseStatus.NOTICE_SENT)
    letter = message_from_bytes(receiver[0].taken[0], policy=policy.default)
    assert (letter["Subject"], letter["Message-ID"]) == ("侵权通知书 2026-0001", sending.message_id)
    body, file = letter.iter_parts()
    assert body.get_content().split() == notice.text.split()
    assert (file.get_filename(), file.get_content()) == ("证据目录.docx", b"PK\r\n.\r\n\x00")
    with pytest.raises(Conflict, match="was sent"):
        mail.mail(by(written), "2026-0001", "ip@copies.example")


def test_what_is_not_taken_stays_unsent_with_the_reason_and_can_be_tried_again(written: App) -> None:
    tried = mail.mail(by(written), "2026-0001", "nobody@copies.example")
    assert str(tried.sendings[0].problem) == "The mail server did not take it: 550 no such user"
    assert tried.sent_at is None
    assert written.store.cases.get("1").status is CaseStatus.CONFIRMED
    again = mail.mail(by(written), "2026-0001", "ip@copies.example")
    assert [one.problem is None for one in again.sendings] == [False, True]


@pytest.mark.parametrize("to", ["", "ip", "ip@host", "a b@copies.example", "ip@copies.example\nBcc: x@y.example"])
def test_an_address_that_is_none_is_refused(written: App, to: str) -> None:
    with pytest.raises(BadInput, match="no mail address"):
        mail.mail(by(written), "2026-0001", to)
