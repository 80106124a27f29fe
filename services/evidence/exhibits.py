"""Exhibits asked for, listed, handed out; and what they mask, for those who may see it."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.evidence.package.signature import SIGNATURE, with_stamp, written
from services.evidence.package.zip_file import unzipped, zipped
from services.evidence.wanted_exhibits import name_of, wanted
from store.errors import NotFound, Unavailable
from store.messages import Message
from store.records import Exhibit, LeftFile, Stamp, Why
from store.rules.role_rights import Right

SHOWN: Final = 20


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


def of_case(product: Product, number: int) -> list[ExhibitShown]:
    """The newest, each with how its stamp stands."""
    found = product.store.exhibits.of_case(number, SHOWN)
    stamps = product.store.stamps.many([name_of(one.id) for one in found])
    return [_shown(one, stamps.get(name_of(one.id))) for one in found]


@audited("exhibit.ask")
def ask(acting: Acting, number: int) -> Changed[Exhibit]:
    """Have an exhibit made of the case, in the background. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.EXPORT)
    case = acting.product.store.cases.get(str(number))
    exhibit = wanted(acting.product, case, Why.ASKED, acting.who)
    acting.product.store.exhibits.add(exhibit)
    with suppress(Unavailable):  # the sweep sends it
        acting.product.queue.evidence()
    return changed(exhibit, Line(f"case:{case.number}", new={"exhibit": exhibit.id}))


@audited("exhibit.hand_out")
def hand_out(acting: Acting, id: str) -> Changed[ExhibitFile]:
    """The file, with its time stamp where one was given. NotFound: no such exhibit, or not made yet; `Forbidden`."""
    acting.require(Right.EXPORT)
    store = acting.product.store
    exhibit = store.exhibits.get(id)
    if exhibit.file_digest is None or exhibit.made_at is None:
        raise NotFound("evidence.not_made", id=id)
    content = store.blobs.get(exhibit.file_digest)
    stamp = store.stamps.many([name_of(id)]).get(name_of(id))
    if stamp is not None and stamp.answer is not None:
        content = _stamped(content, stamp)
    name = f"wenhen-{exhibit.case_number}-{exhibit.made_at:%Y%m%d-%H%M%S}.wacz"
    told = {"exhibit": id, **LeftFile.of(name, content).told()}  # as it is with the stamp that it has by now
    return changed(ExhibitFile(name, content, exhibit), Line(f"case:{exhibit.case_number}", new=told))


@audited("exhibit.unmask")
def unmask(acting: Acting, id: str) -> Changed[Sequence[str]]:
    """The heads of the request and the response as they went over the wire, with their secrets.

    NotFound where nothing was masked; `Forbidden`.
    """
    acting.require(Right.ACCESS)
    exhibit = acting.product.store.exhibits.get(id)
    if exhibit.sealed is None:
        raise NotFound("evidence.nothing_masked", id=id)
    heads: list[str] = json.loads(acting.product.seal.opened(exhibit.sealed, name_of(id)))
    return changed(heads, Line(f"case:{exhibit.case_number}", new={"exhibit": id}))


def _shown(exhibit: Exhibit, stamp: Stamp | None) -> ExhibitShown:
    waits = stamp is not None and stamp.at is None
    problem = exhibit.problem or (stamp.problem if stamp is not None and waits else None)
    return ExhibitShown(exhibit, None if stamp is None else stamp.at, waits, problem)


def _stamped(content: bytes, stamp: Stamp) -> bytes:
    assert stamp.answer is not None
    members = unzipped(content)
    signature = json.loads(members[SIGNATURE])
    return zipped({**members, SIGNATURE: written(with_stamp(signature, stamp.answer, stamp.chain or ""))})
