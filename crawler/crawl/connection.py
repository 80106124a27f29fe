"""What is known of the connection that a response came over: what the resolver said, what the server showed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """The addresses that a resolver gave for a name."""

    name: str
    addresses: tuple[str, ...]
    at: datetime

    @property
    def target(self) -> str:
        """As a record names what it is of (RFC 4501)."""
        return f"dns:{self.name}"

    def as_text(self) -> bytes:
        """text/dns (RFC 4027): a resource record a line, without the time to live, which a resolver does not tell."""
        kinds = {4: "A", 6: "AAAA"}
        told = ((kinds[ip_address(one.partition("%")[0]).version], one) for one in self.addresses)
        return "".join(f"{self.name}. IN {kind} {address}\n" for kind, address in told).encode("ascii")


@dataclass(frozen=True, slots=True)
class Connection:
    """chain: the certificates in the order in which the server showed them, its own first, PEM."""

    chain: Sequence[str] = ()
    answer: NameAnswer | None = None
