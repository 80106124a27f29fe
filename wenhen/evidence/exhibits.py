"""Request, list and export exhibits and receipts, and request exhibits of changed cases."""

import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from wenhen.audit.model import ExportedFile
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import STATUSES_BEYOND_CONFIRMED
from wenhen.cases.service import find_changed_cases
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.evidence.model import Exhibit, ExhibitReason, Receipt, Stamp
from wenhen.evidence.wacz import (
    MANIFEST_MEMBER,
    SIGNATURE_MEMBER,
    add_timestamp,
    signature_bytes,
    unzip_members,
    zip_members,
)
from wenhen.kit.errors import BadInput, Message, NotFound, Unavailable
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right

# Requested exhibits: by a user, after a confirmation, or when the page changed or vanished. Other processes create
# them, because that needs a browser.


EXHIBIT_ACTOR: Final = "wenhen"
_CONFIRMED_STATUSES: Final = frozenset({CaseStatus.CONFIRMED, *STATUSES_BEYOND_CONFIRMED})
_EVIDENCE_MARK: Final = "evidence"  # mark with the time of the last scan of cases


def want_exhibit(product: Product, case: Case, why: ExhibitReason, by: str) -> Exhibit:
    """Return a new exhibit of the case that is still to be created."""
    now = product.now()
    return Exhibit(
        id=secrets.token_hex(8),
        case_id=case.id,
        case_number=case.number,
        why=why,
        by=by,
        wanted_at=now,
        state=case_state(case),
        due=now,
    )


def case_state(case: Case) -> str:
    """Return a string that identifies the evidence: contents of the page and presence of the copy.

    Another exhibit is needed when it changes.
    """
    return f"{case.capture.body_digest} {case.capture.rendered_digest or ''} {case.present}"


def exhibit_stamp_id(exhibit_id: str) -> str:
    """Return the id of the time stamp of an exhibit, which is also the owner of its sealed headers."""
    return f"exhibit:{exhibit_id}"


def want_changed_exhibits(product: Product) -> None:
    """Request exhibits of cases confirmed or changed since their last one, and queue due work."""
    if product.settings.evidence.by_itself:
        _scan_changed_cases(product)
    now = product.now()
    if product.store.exhibits.has_due(now) or product.store.stamps.has_due(now):
        product.queue.evidence()


def _scan_changed_cases(product: Product) -> None:
    mark, now = product.store.marks.get(_EVIDENCE_MARK), product.now()
    since = mark.get("at") if mark else None
    if isinstance(since, datetime):  # on the first run no case counts as new
        exhibits = product.store.exhibits
        for case in find_changed_cases(
            since, lambda then, most: exhibits.changed_cases(then, _CONFIRMED_STATUSES, most)
        ):
            _want_exhibits(product, case)
    product.store.marks.set(_EVIDENCE_MARK, {"at": now.astimezone(UTC)})


def _want_exhibits(product: Product, cases: Sequence[Case]) -> None:
    before = product.store.exhibits.newest_states([case.id for case in cases])
    for case in cases:
        why = _exhibit_reason(case, before.get(case.id))
        if why is not None:
            product.store.exhibits.add(want_exhibit(product, case, why, EXHIBIT_ACTOR))


def _exhibit_reason(case: Case, before: str | None) -> ExhibitReason | None:
    if before == case_state(case):
        return None
    if not case.present:
        return ExhibitReason.VANISHED
    return ExhibitReason.CONFIRMED if before is None else ExhibitReason.CHANGED


# Exhibits are requested, listed and exported. Users with the right can see their masked headers.


SHOWN_EXHIBITS: Final = 20


@dataclass(frozen=True, slots=True)
class ExhibitShown:
    """An exhibit for a list.

    stamped_at: time from the authority.
    waits: whether its time stamp is pending.
    """

    exhibit: Exhibit
    stamped_at: datetime | None
    waits: bool
    problem: Message | None  # why it is not created or stamped yet


@dataclass(frozen=True, slots=True)
class ExhibitFile:
    """An exported exhibit file."""

    name: str
    content: bytes
    exhibit: Exhibit


def find_case_exhibits(product: Product, number: int) -> list[ExhibitShown]:
    """Return the newest exhibits of a case, with the state of their time stamps."""
    exhibits = product.store.exhibits.of_case(number, SHOWN_EXHIBITS)
    stamps = product.store.stamps.many([exhibit_stamp_id(exhibit.id) for exhibit in exhibits])
    return [_show_exhibit(exhibit, stamps.get(exhibit_stamp_id(exhibit.id))) for exhibit in exhibits]


@audited("exhibit.ask")
def request_exhibit(acting: Acting, number: int) -> ChangeResult[Exhibit]:
    """Request an exhibit of the case, created in the background. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    exhibit = want_exhibit(acting.product, case, ExhibitReason.ASKED, acting.who)
    acting.product.store.exhibits.add(exhibit)
    with suppress(Unavailable):  # the reconciler queues it
        acting.product.queue.evidence()
    return change_result(exhibit, AuditLine(f"case:{case.number}", new={"exhibit": exhibit.id}))


@audited("exhibit.hand_out")
def export_exhibit(acting: Acting, id: str) -> ChangeResult[ExhibitFile]:
    """Export the file with its time stamp, if there is one.

    Raises `NotFound` if the exhibit is unknown or not created yet, and `Forbidden`.
    """
    acting.require(Right.EXPORT)
    store = acting.product.store
    exhibit = store.exhibits.get(id)
    if exhibit.file_digest is None or exhibit.made_at is None:
        raise NotFound("evidence.not_made", id=id)
    content = store.blobs.get(exhibit.file_digest)
    stamp = store.stamps.many([exhibit_stamp_id(id)]).get(exhibit_stamp_id(id))
    if stamp is not None and stamp.answer is not None:
        content = _add_stamp(content, stamp)
    name = f"wenhen-{exhibit.case_number}-{exhibit.made_at:%Y%m%d-%H%M%S}.wacz"
    audited = {
        "exhibit": id,
        **ExportedFile.of(name, content).audit_fields(),
    }  # of the file including the current time stamp
    return change_result(ExhibitFile(name, content, exhibit), AuditLine(f"case:{exhibit.case_number}", new=audited))


@audited("exhibit.unmask")
def unmask_exhibit(acting: Acting, id: str) -> ChangeResult[Sequence[str]]:
    """Return the original heads of request and response, with their secrets.

    Raises `NotFound` if nothing was masked, and `Forbidden`.
    """
    acting.require(Right.ACCESS)
    exhibit = acting.product.store.exhibits.get(id)
    if exhibit.sealed is None:
        raise NotFound("evidence.nothing_masked", id=id)
    heads: list[str] = json.loads(acting.product.seal.open_sealed(exhibit.sealed, exhibit_stamp_id(id)))
    return change_result(heads, AuditLine(f"case:{exhibit.case_number}", new={"exhibit": id}))


def _show_exhibit(exhibit: Exhibit, stamp: Stamp | None) -> ExhibitShown:
    waits = stamp is not None and stamp.at is None
    problem = exhibit.problem or (stamp.problem if stamp is not None and waits else None)
    return ExhibitShown(exhibit, None if stamp is None else stamp.at, waits, problem)


def _add_stamp(content: bytes, stamp: Stamp) -> bytes:
    assert stamp.answer is not None
    members = unzip_members(content)
    signature = json.loads(members[SIGNATURE_MEMBER])
    return zip_members(
        {**members, SIGNATURE_MEMBER: signature_bytes(add_timestamp(signature, stamp.answer, stamp.chain or ""))}
    )


# Proof beside our own key: the manifest is exported, and receipts of third parties are stored.


MAX_ISSUER_CHARACTERS: Final = 200  # characters of an issuer's name


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A file for download. digest: SHA-256, hexadecimal."""

    name: str
    content: bytes
    digest: str


@audited("exhibit.hand_out_manifest")
def export_manifest(acting: Acting, id: str) -> ChangeResult[DownloadedFile]:
    """Export the manifest of the exhibit, which lists the SHA-256 of every member.

    Raises `NotFound` if the exhibit is unknown or not created yet, and `Forbidden`.
    """
    acting.require(Right.EXPORT)
    exhibit = acting.product.store.exhibits.get(id)
    content = _read_manifest(acting.product.store, exhibit)
    digest = sha256(content).hexdigest()
    file = DownloadedFile(f"wenhen-{exhibit.case_number}-{id}-{MANIFEST_MEMBER}", content, digest)
    return change_result(file, AuditLine(f"case:{exhibit.case_number}", new={"exhibit": id, "manifest_sha256": digest}))


@audited("exhibit.add_receipt")
def store_receipt(acting: Acting, id: str, issuer: str, name: str, content: bytes) -> ChangeResult[Receipt]:
    """Store the receipt of a third party for the manifest of an exhibit, unchanged.

    Raises `NotFound` if the exhibit is unknown or not created yet, `BadInput` if issuer or content is empty,
    `TooLarge`, `Forbidden`.
    """
    acting.require(Right.EXPORT)
    store, issuer = acting.product.store, " ".join(issuer.split())[:MAX_ISSUER_CHARACTERS]
    if not issuer or not content:
        raise BadInput("evidence.receipt_untold")
    exhibit = store.exhibits.get(id)
    receipt = Receipt(
        id=secrets.token_hex(6),
        issuer=issuer,
        file_name=name,
        manifest_digest=sha256(_read_manifest(store, exhibit)).hexdigest(),
        digest=store.blobs.put(limit_upload(name, content)),
        size=len(content),
        added_at=acting.product.now(),
        added_by=acting.who,
    )
    store.exhibits.add_receipt(id, receipt)
    return change_result(
        receipt, AuditLine(f"case:{exhibit.case_number}", new={"exhibit": id, **_receipt_values(receipt)})
    )


@audited("exhibit.hand_out_receipt")
def export_receipt(acting: Acting, id: str, receipt_id: str) -> ChangeResult[DownloadedFile]:
    """Export the original file of a receipt. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.EXPORT)
    exhibit = acting.product.store.exhibits.get(id)
    receipt = next((receipt for receipt in exhibit.receipts if receipt.id == receipt_id), None)
    if receipt is None:
        raise NotFound("evidence.no_receipt", id=receipt_id, exhibit=id)
    file = DownloadedFile(receipt.file_name, acting.product.store.blobs.get(receipt.digest), receipt.digest)
    return change_result(
        file, AuditLine(f"case:{exhibit.case_number}", new={"exhibit": id, **_receipt_values(receipt)})
    )


def _read_manifest(store: Store, exhibit: Exhibit) -> bytes:
    if exhibit.file_digest is None:
        raise NotFound("evidence.not_made", id=exhibit.id)
    return unzip_members(store.blobs.get(exhibit.file_digest))[MANIFEST_MEMBER]


def _receipt_values(receipt: Receipt) -> dict[str, str]:
    return {
        "receipt": receipt.id,
        "issuer": receipt.issuer,
        "sha256": receipt.digest,
        "manifest_sha256": receipt.manifest_digest,
    }
