"""What people decide about the addresses that searches found."""

import secrets
from collections.abc import Sequence
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.crawls.runs import start_crawl
from store.errors import BadInput
from store.records import DiscoveryStatus, Run, Subject, SubjectKind
from store.rules.role_rights import Right

_LONGEST: Final = 1000  # characters of the ids that the audit log names


def decide(acting: Acting, ids: Sequence[str], status: DiscoveryStatus) -> None:
    """Accept these addresses, or refuse them. BadInput, NotFound."""
    decisions = {DiscoveryStatus.ACCEPTED: accept, DiscoveryStatus.REFUSED: refuse}
    if status not in decisions:
        raise BadInput("discover.no_decision", status=str(status))
    decisions[status](acting, ids)


@audited("discovery.accepted")
def accept(acting: Acting, ids: Sequence[str]) -> Changed[Run]:
    """Let one crawl fetch these addresses, and nothing that they link to. NotFound."""
    acting.require(Right.CRAWL)
    product, batch = acting.product, secrets.token_hex(6)
    product.store.discoveries.decide(ids, DiscoveryStatus.ACCEPTED, at=product.now(), batch=batch)
    return changed(start_crawl(product, Subject(SubjectKind.BATCH, batch)), _line(ids))


@audited("discovery.refused")
def refuse(acting: Acting, ids: Sequence[str]) -> Changed[None]:
    """Leave these addresses alone, also when they are found again. NotFound."""
    acting.require(Right.CRAWL)
    product = acting.product
    product.store.discoveries.decide(ids, DiscoveryStatus.REFUSED, at=product.now())
    return changed(None, _line(ids))


def _line(ids: Sequence[str]) -> Line:
    return Line(f"discoveries:{len(ids)}", new=" ".join(ids)[:_LONGEST])
