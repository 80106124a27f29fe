"""Which addresses may be connected to."""

from typing import Any

import pytest
from twisted.internet.address import IPv4Address

from crawler.fetch.resolver import GuardedResolver
from crawler.private_addresses import is_public_address


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "::127.0.0.1", "::8.8.8.8", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "fec0::1", "feff::1", "100::1",
        "2001::1", "2001:0:7f00:1::", "2001:db8::1", "3fff::1", "5f00::1", "4000::1", "192.88.99.1", "192.0.0.1",
        "198.18.0.1", "198.51.100.1", "240.0.0.1", "0.1.2.3",
    ],
)  # fmt: skip
def test_private_loopback_and_link_local_addresses_are_not_public_in_any_form(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "114.114.114.114", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_other_addresses_are(address: str) -> None:
    assert is_public_address(address)


class Reactor:
    """As much of a reactor as a resolver sees: a name resolver that knows two addresses for every name."""

    def __init__(self) -> None:
        self.nameResolver = self

    def resolveHostName(self, receiver: Any, name: str, port: int, *rest: Any) -> None:
        receiver.resolutionBegan(None)
        receiver.addressResolved(IPv4Address("TCP", "10.0.0.7", port))
        receiver.addressResolved(IPv4Address("TCP", "8.8.8.8", port))
        receiver.resolutionComplete()


class Receiver:
    def __init__(self) -> None:
        self.got: list[tuple[str, int]] = []
        self.complete = False

    def resolutionBegan(self, resolution: Any) -> None:
        pass

    def addressResolved(self, address: Any) -> None:
        self.got.append((address.host, address.port))

    def resolutionComplete(self) -> None:
        self.complete = True


def resolve(resolver: GuardedResolver, name: str) -> list[tuple[str, int]]:
    receiver = Receiver()
    resolver.resolveHostName(receiver, name, 80)
    assert receiver.complete
    return receiver.got


def test_private_addresses_of_a_name_are_kept_back_and_the_name_is_remembered() -> None:
    resolver = GuardedResolver(Reactor(), {}, internal=False)
    assert resolve(resolver, "A.test") == [("8.8.8.8", 80)]
    assert resolver.kept_back == {"a.test"}


def test_an_internal_site_may_be_at_any_address() -> None:
    assert resolve(GuardedResolver(Reactor(), {}, internal=True), "a.test") == [("10.0.0.7", 80), ("8.8.8.8", 80)]


def test_a_mapped_name_leads_to_its_address_and_port_alone() -> None:
    resolver = GuardedResolver(Reactor(), {"A.test": "127.0.0.1:8123", "b.test": "[::1]:99"}, internal=True)
    assert resolve(resolver, "a.TEST") == [("127.0.0.1", 8123)]
    assert resolve(resolver, "b.test") == [("::1", 99)]


def test_the_map_is_no_way_around_the_rule_for_a_site_that_is_not_internal() -> None:
    resolver = GuardedResolver(Reactor(), {"a.test": "127.0.0.1:8123"}, internal=False)
    assert resolve(resolver, "a.test") == []
