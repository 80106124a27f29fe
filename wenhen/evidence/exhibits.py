"""Request, list and hand out exhibits and receipts, and want exhibits of changed cases."""

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
from wenhen.product.context import Product
from wenhen.product.store import Store
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

# Exhibits that are wanted: asked for, or since a case was confirmed, its page changed or vanished. None is made here:
# that takes a browser and more, which few processes need.


EXHIBIT_ACTOR: Final = "wenhen"
_CONFIRMED_STATUSES: Final = frozenset({CaseStatus.CONFIRMED, *STATUSES_BEYOND_CONFIRMED})
_EVIDENCE_MARK: Final = "evidence"  # up to when cases were looked through


def want_exhibit(product: Product, case: Case, why: ExhibitReason, by: str) -> Exhibit:
    """An exhibit of the case as it stands, still to be made."""
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
    """What has to differ for another exhibit to be needed: what the page holds, and whether the copy is there."""
    return f"{case.capture.body_digest} {case.capture.rendered_digest or ''} {case.present}"


def exhibit_stamp_id(exhibit_id: str) -> str:
    """By which its time stamp is kept, and to whom its sealed headers belong."""
    return f"exhibit:{exhibit_id}"


def want_changed_exhibits(product: Product) -> None:
    """Want exhibits of what was confirmed, or changed since its last one; have what is due made."""
    if product.settings.evidence.by_itself:
        _scan_changed_cases(product)
    now = product.now()
    if product.store.exhibits.has_due(now) or product.store.stamps.has_due(now):
        product.queue.evidence()


def _scan_changed_cases(product: Product) -> None:
    mark, now = product.store.marks.get(_EVIDENCE_MARK), product.now()
    since = mark.get("at") if mark else None
    if isinstance(since, datetime):  # the very first time nothing is new
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


# Exhibits asked for, listed, handed out; and what they mask, for those who may see it.


SHOWN_EXHIBITS: Final = 20


@dataclass(frozen=True, slots=True)
class ExhibitShown:
    """An exhibit as a list shows it. stamped_at: by an authority; waits: for its stamp."""

    exhibit: Exhibit
    stamped_at: datetime | None
    waits: bool
    problem: Message | None  # why it is not made, or not stamped, yet


@dataclass(frozen=True, slots=True)
class ExhibitFile:
    """The file to take away."""

    name: str
    content: bytes
    exhibit: Exhibit


def find_case_exhibits(product: Product, number: int) -> list[ExhibitShown]:
    """The newest, each with how its stamp stands."""
    exhibits = product.store.exhibits.of_case(number, SHOWN_EXHIBITS)
    stamps = product.store.stamps.many([exhibit_stamp_id(exhibit.id) for exhibit in exhibits])
    return [_show_exhibit(exhibit, stamps.get(exhibit_stamp_id(exhibit.id))) for exhibit in exhibits]


@audited("exhibit.ask")
def request_exhibit(acting: Acting, number: int) -> ChangeResult[Exhibit]:
    """Have an exhibit made of the case, in the background. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    exhibit = want_exhibit(acting.product, case, ExhibitReason.ASKED, acting.who)
    acting.product.store.exhibits.add(exhibit)
    with suppress(Unavailable):  # the sweep sends it
        acting.product.queue.evidence()
    return change_result(exhibit, AuditLine(f"case:{case.number}", new={"exhibit": exhibit.id}))


@audited("exhibit.hand_out")
def export_exhibit(acting: Acting, id: str) -> ChangeResult[ExhibitFile]:
    """The file, with its time stamp where one was given. NotFound: no such exhibit, or not made yet; `Forbidden`."""
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
    }  # as it is with the stamp that it has by now
    return change_result(ExhibitFile(name, content, exhibit), AuditLine(f"case:{exhibit.case_number}", new=audited))


@audited("exhibit.unmask")
def unmask_exhibit(acting: Acting, id: str) -> ChangeResult[Sequence[str]]:
    """The heads of the request and the response as they went over the wire, with their secrets.

    NotFound where nothing was masked; `Forbidden`.
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


# What an exhibit is proved by beside our own key: its manifest handed out, and what others gave for it kept.


MAX_ISSUER_CHARACTERS: Final = 200  # characters of a name


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A file to take away. digest: its SHA-256."""

    name: str
    content: bytes
    digest: str


@audited("exhibit.hand_out_manifest")
def export_manifest(acting: Acting, id: str) -> ChangeResult[DownloadedFile]:
    """The manifest as it stands in the exhibit, which names every member with its SHA-256.

    NotFound: no such exhibit, or not made yet; `Forbidden`.
    """
    acting.require(Right.EXPORT)
    exhibit = acting.product.store.exhibits.get(id)
    content = _read_manifest(acting.product.store, exhibit)
    digest = sha256(content).hexdigest()
    file = DownloadedFile(f"wenhen-{exhibit.case_number}-{id}-{MANIFEST_MEMBER}", content, digest)
    return change_result(file, AuditLine(f"case:{exhibit.case_number}", new={"exhibit": id, "manifest_sha256": digest}))


@audited("exhibit.add_receipt")
def store_receipt(acting: Acting, id: str, issuer: str, name: str, content: bytes) -> ChangeResult[Receipt]:
    """Keep what somebody gave for the manifest of an exhibit, as it came.

    NotFound: no such exhibit, or not made yet; BadInput: nobody gave it, or it is empty; `TooLarge`; `Forbidden`.
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
    """The file of a receipt, as it came. Raises `NotFound`, `Forbidden`."""
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
