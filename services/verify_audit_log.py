"""The audit log as a chain: verified from its first line to its last, its head stamped by others every day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from services.context import Product
from services.evidence.stamps.stamping import trusted_roots, want
from services.evidence.stamps.token import certificates, verified
from store.errors import BadInput
from store.messages import Message, message
from store.records import AuditEntry, Stamp
from store.rules.audit_chain import Break, breaks

KIND: Final = "audit"
_SHOWN: Final = 100  # problems that are told one by one


@dataclass(slots=True)
class VerifiedLog:
    """What was read. unsealed: lines from before lines had hashes; stamped: heads whose stamp holds."""

    lines: int = 0
    unsealed: int = 0
    stamped: int = 0
    head: str | None = None  # number and hash of the last line, for whoever keeps it elsewhere
    failed: int = 0
    problems: list[Message] = field(default_factory=list)

    def note(self, problem: Message) -> None:
        """Count a problem."""
        self.failed += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(problem)


def stamp_head(product: Product) -> None:
    """Have the last line stamped, where authorities are set."""
    for last in product.store.audit.find(limit=1):
        if last.hash is not None:
            want(product, f"{KIND}:{last.number}", _head(last))


def verify_log(product: Product) -> VerifiedLog:
    """Read every line, and hold every stamp against the line that it is of."""
    found = VerifiedLog()
    stamps = {one.text.split(" ")[0]: one for one in product.store.stamps.of(KIND)}
    seen: set[str] = set()
    for broken in breaks(_counted(product.store.audit.each(), found, stamps, seen)):
        found.note(_told(broken.number, broken.how))
    for number in stamps.keys() - seen:
        found.note(message("evidence.chain_cut", number=number))
    roots = certificates(trusted_roots(product))
    for number, one in stamps.items():
        if one.answer is None:
            continue
        try:
            verified(one.answer, one.text, roots=roots, chain=certificates(one.chain or ""))
            found.stamped += 1
        except BadInput as error:
            found.note(message("evidence.chain_stamp", number=number, problem=error))
    return found


def _counted(
    lines: Iterator[AuditEntry], found: VerifiedLog, stamps: Mapping[str, Stamp], seen: set[str]
) -> Iterator[AuditEntry]:
    for one in lines:
        found.lines += 1
        if one.hash is None:
            found.unsealed += 1
        else:
            found.head = _head(one)
        stamp = stamps.get(str(one.number))
        if stamp is not None and stamp.text == _head(one):
            seen.add(str(one.number))
        yield one


def _head(line: AuditEntry) -> str:
    return f"{line.number} {line.hash}"


def _told(number: int, how: Break) -> Message:
    if how is Break.GAP:
        return message("evidence.chain_gap", number=number)
    if how is Break.UNSEALED:
        return message("evidence.chain_unsealed", number=number)
    return message("evidence.chain_changed", number=number)
