"""Verify the hash chain of the audit log and its time stamps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wenhen.audit.model import AuditEntry, ChainBreakKind, find_chain_breaks
from wenhen.context.use_cases import Product
from wenhen.evidence.model import Stamp
from wenhen.evidence.signing import trusted_roots, want_stamp
from wenhen.evidence.timestamp_tokens import parse_certificates, verify_stamp
from wenhen.kit.errors import BadInput, Message, message

AUDIT_STAMP_KIND: Final = "audit"
_MAX_SHOWN_PROBLEMS: Final = 100  # problems that are listed


@dataclass(slots=True)
class AuditVerification:
    """The result of a verification. unsealed: lines from before lines had hashes. stamped: number of valid time
    stamps.
    """

    lines: int = 0
    unsealed: int = 0
    stamped: int = 0
    head: str | None = None  # number and hash of the last line, to be stored elsewhere
    failed: int = 0
    problems: list[Message] = field(default_factory=list)

    def note(self, problem: Message) -> None:
        """Count a problem, and list it while there is room."""
        self.failed += 1
        if len(self.problems) < _MAX_SHOWN_PROBLEMS:
            self.problems.append(problem)


def stamp_head(product: Product) -> None:
    """Request a time stamp of the last line, if authorities are configured."""
    for last in product.store.audit.find(limit=1):
        if last.hash is not None:
            want_stamp(product, f"{AUDIT_STAMP_KIND}:{last.number}", _head_text(last))


def verify_audit_log(product: Product) -> AuditVerification:
    """Verify every line, and every time stamp with its line."""
    audit_verification = AuditVerification()
    stamps = {stamp.text.split(" ")[0]: stamp for stamp in product.store.stamps.of(AUDIT_STAMP_KIND)}
    seen: set[str] = set()
    for broken in find_chain_breaks(_count_lines(product.store.audit.each(), audit_verification, stamps, seen)):
        audit_verification.note(_break_message(broken.number, broken.how))
    for number in stamps.keys() - seen:
        audit_verification.note(message("evidence.chain_cut", number=number))
    roots = parse_certificates(trusted_roots(product))
    for number, stamp in stamps.items():
        if stamp.answer is None:
            continue
        try:
            verify_stamp(stamp.answer, stamp.text, roots=roots, chain=parse_certificates(stamp.chain or ""))
            audit_verification.stamped += 1
        except BadInput as error:
            audit_verification.note(message("evidence.chain_stamp", number=number, problem=error))
    return audit_verification


def _count_lines(
    lines: Iterator[AuditEntry], result: AuditVerification, stamps: Mapping[str, Stamp], seen: set[str]
) -> Iterator[AuditEntry]:
    for line in lines:
        result.lines += 1
        if line.hash is None:
            result.unsealed += 1
        else:
            result.head = _head_text(line)
        stamp = stamps.get(str(line.number))
        if stamp is not None and stamp.text == _head_text(line):
            seen.add(str(line.number))
        yield line


def _head_text(line: AuditEntry) -> str:
    return f"{line.number} {line.hash}"


def _break_message(number: int, how: ChainBreakKind) -> Message:
    if how is ChainBreakKind.GAP:
        return message("evidence.chain_gap", number=number)
    if how is ChainBreakKind.UNSEALED:
        return message("evidence.chain_unsealed", number=number)
    return message("evidence.chain_changed", number=number)
