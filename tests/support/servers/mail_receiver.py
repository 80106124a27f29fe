"""A mail server on loopback, which keeps what it takes."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


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


@contextmanager
def receiving(**more: Any) -> Iterator[tuple[Receiver, str]]:
    """A mail server on loopback, and where it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = Receiver()
    controller = Controller(kept, hostname="127.0.0.1", port=port, **more)
    controller.start()
    yield kept, f"127.0.0.1:{port}"
    controller.stop()
