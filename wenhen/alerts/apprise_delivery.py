"""Send one letter through Apprise, inside a sandboxed child process."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from crawler.private_addresses import PrivateAddress, is_public_address
from wenhen.kit.errors import Message, message, plain_message

# Network channels for people. Apprise also supports channels into this machine, which are not allowed.
CHANNEL_KINDS: Final = (
    *("mailto", "mailtos", "feishu", "lark", "dingtalk", "wecombot", "json", "jsons"),
    *("slack", "msteams", "tgram", "discord", "ntfy", "ntfys", "bark", "barks", "pushplus"),
)
_MAX_REASON_CHARACTERS: Final = 200  # characters of an error message


@dataclass(frozen=True, slots=True)
class LetterCall:
    """A letter to send. private: whether the host may have a private address."""

    channel: str
    title: str
    body: str
    private: bool


def is_channel_encrypted(channel: str) -> bool | None:
    """Return whether a channel uses TLS. None if Apprise does not know it."""
    import apprise  # slow import, needed only in the child process

    plugin: Any = apprise.Apprise.instantiate(channel, suppress_exceptions=True)
    if plugin is None:
        return None
    # A channel without an unencrypted protocol always uses TLS, as does the service of ntfy itself.
    return not plugin.protocol or bool(plugin.secure) or getattr(plugin, "mode", None) == "cloud"


def send_through_apprise(call: LetterCall) -> Message | None:
    """Send a letter. Returns the error, or None if it was accepted."""
    import apprise

    plugin: Any = apprise.Apprise.instantiate(call.channel, suppress_exceptions=True)
    if plugin is None:
        return message("alerts.bad_channel", kinds=", ".join(CHANNEL_KINDS))
    capture: Any = apprise.LogCapture
    with _guard_connections(call.private) as refused, capture(level=apprise.logging.WARNING, fmt="%(message)s") as log:
        taken = plugin.notify(body=call.body, title=call.title, body_format=apprise.NotifyFormat.TEXT)
    if taken:
        return None
    if refused:
        return refused[0]
    log_text = " ".join(log.getvalue().split())[:_MAX_REASON_CHARACTERS]
    return message("alerts.not_taken", said=plain_message(log_text))


@contextmanager
def _guard_connections(private: bool) -> Iterator[list[Message]]:
    """Allow only connections to public addresses, also after redirects. Yields a list of refused connections."""
    refused: list[Message] = []
    real = socket.getaddrinfo

    def looked_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        addresses = real(host, *args, **kwargs)
        if not private and not all(is_public_address(str(entry[4][0])) for entry in addresses):
            name = host.decode() if isinstance(host, bytes) else str(host)
            refused.append(PrivateAddress("webhooks.private_address", host=name).message)
            raise OSError("private address")
        return addresses

    socket.getaddrinfo = looked_up
    try:
        yield refused
    finally:
        socket.getaddrinfo = real
