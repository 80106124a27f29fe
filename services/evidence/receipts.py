"""What an exhibit is proved by beside our own key: its manifest handed out, and what others gave for it kept."""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.evidence.package.manifest import MANIFEST
from services.evidence.package.zip_file import unzipped
from services.kept_files import bounded
from store.errors import BadInput, NotFound
from store.ports import Store
from store.records import Exhibit, Receipt
from store.rules.role_rights import Right

LONGEST: Final = 200  # characters of a name


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file to take away. digest: its SHA-256."""

    name: str
    content: bytes
    digest: str


@audited("exhibit.hand_out_manifest")
def hand_out_manifest(acting: Acting, id: str) -> Changed[TakenFile]:
    """The manifest as it stands in the exhibit, which names every member with its SHA-256.

    NotFound: no such exhibit, or not made yet; `Forbidden`.
    """
    acting.require(Right.EXPORT)
    exhibit = acting.product.store.exhibits.get(id)
    content = _manifest(acting.product.store, exhibit)
    digest = sha256(content).hexdigest()
    file = TakenFile(f"wenhen-{exhibit.case_number}-{id}-{MANIFEST}", content, digest)
    return changed(file, Line(f"case:{exhibit.case_number}", new={"exhibit": id, "manifest_sha256": digest}))


@audited("exhibit.add_receipt")
def add(acting: Acting, id: str, issuer: str, name: str, content: bytes) -> Changed[Receipt]:
    """Keep what somebody gave for the manifest of an exhibit, as it came.

    NotFound: no such exhibit, or not made yet; BadInput: nobody gave it, or it is empty; `TooLarge`; `Forbidden`.
    """
    acting.require(Right.EXPORT)
    store, issuer = acting.product.store, " ".join(issuer.split())[:LONGEST]
    if not issuer or not content:
        raise BadInput("evidence.receipt_untold")
    exhibit = store.exhibits.get(id)
    receipt = Receipt(
        id=secrets.token_hex(6),
        issuer=issuer,
        file_name=name,
        manifest_digest=sha256(_manifest(store, exhibit)).hexdigest(),
        digest=store.blobs.put(bounded(name, content)),
        size=len(content),
        added_at=acting.product.now(),
        added_by=acting.who,
    )
    store.exhibits.add_receipt(id, receipt)
    return changed(receipt, Line(f"case:{exhibit.case_number}", new={"exhibit": id, **_told(receipt)}))


@audited("exhibit.hand_out_receipt")
def hand_out(acting: Acting, id: str, receipt_id: str) -> Changed[TakenFile]:
    """The file of a receipt, as it came. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.EXPORT)
    exhibit = acting.product.store.exhibits.get(id)
    receipt = next((one for one in exhibit.receipts if one.id == receipt_id), None)
    if receipt is None:
        raise NotFound("evidence.no_receipt", id=receipt_id, exhibit=id)
    file = TakenFile(receipt.file_name, acting.product.store.blobs.get(receipt.digest), receipt.digest)
    return changed(file, Line(f"case:{exhibit.case_number}", new={"exhibit": id, **_told(receipt)}))


def _manifest(store: Store, exhibit: Exhibit) -> bytes:
    if exhibit.file_digest is None:
        raise NotFound("evidence.not_made", id=exhibit.id)
    return unzipped(store.blobs.get(exhibit.file_digest))[MANIFEST]


def _told(receipt: Receipt) -> dict[str, str]:
    return {
        "receipt": receipt.id,
        "issuer": receipt.issuer,
        "sha256": receipt.digest,
        "manifest_sha256": receipt.manifest_digest,
    }
