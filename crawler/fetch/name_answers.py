"""What the resolver answered, until a response of that host is archived."""

from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any, Final

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]  # it ships no types

from crawler.crawl.connection import NameAnswer

MOST_NAMES: Final = 4_096
MOST_ADDRESSES: Final = 64  # of one name


class NameAnswers:
    """The last answer for each of the names that were asked for last."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, NameAnswer] = OrderedDict()

    def of(self, name: str) -> NameAnswer | None:
        """None for a name that was not asked for, and for what is an address."""
        return self._answers.get(name.lower())

    def noted(self, receiver: Any, name: str) -> Any:
        """The receiver of one resolution, behind one that notes it."""
        return _Noted(receiver, name.lower(), self)

    def keep(self, name: str, addresses: tuple[str, ...]) -> None:
        """As of now."""
        if addresses and not _is_address(name):
            self._answers[name] = NameAnswer(name, addresses, datetime.now(UTC))
            self._answers.move_to_end(name)
            if len(self._answers) > MOST_NAMES:
                self._answers.popitem(last=False)


@implementer(IResolutionReceiver)
class _Noted:
    def __init__(self, receiver: Any, name: str, answers: NameAnswers) -> None:
        self._receiver = receiver
        self._name = name
        self._answers = answers
        self._addresses: list[str] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  Twisted's interface
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802  Twisted's interface
        if isinstance(address, IPv4Address | IPv6Address) and len(self._addresses) < MOST_ADDRESSES:
            self._addresses.append(address.host)
        self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802  Twisted's interface
        self._answers.keep(self._name, tuple(dict.fromkeys(self._addresses)))
        self._receiver.resolutionComplete()


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False
