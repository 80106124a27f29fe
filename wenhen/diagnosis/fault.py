"""A fault that was found."""

from collections.abc import Iterable
from typing import NamedTuple

from store.messages import Message, message


class Fault(NamedTuple):
    """What is wrong and what to do, in one message. stops: the product cannot do its work with it."""

    said: Message
    stops: bool


def stopping(code: str, /, **figures: object) -> Fault:
    """A fault with which the product cannot work."""
    return Fault(message(code, **figures), True)


def advice(code: str, /, **figures: object) -> Fault:
    """A fault with which it works, worse than it could."""
    return Fault(message(code, **figures), False)


def found(*looks: Iterable[Fault]) -> list[Fault]:
    """All of them in order."""
    return [fault for look in looks for fault in look]
