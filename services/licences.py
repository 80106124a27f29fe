"""Who may reprint what."""

import hashlib
from datetime import datetime

from pipeline.matching.licensed_cases import mark_cases
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from store.errors import BadInput
from store.records import Licence
from store.rules.role_rights import Right


@audited("licence.add")
def add(
    acting: Acting,
    licensee: str,
    url_prefix: str,
    *,
    work_id: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    attribution: str | None = None,
) -> Changed[Licence]:
    """Allow the licensee to carry one work, or all, below the prefix (host, or host/path, without http://).

    attribution: what the page has to say of its source. Cases that were open before are marked as well.
    Raises `BadInput` for a prefix that is none or days in the wrong order, `NotFound` for a work that is not there.
    """
    acting.require(Right.LICENCES)
    store, licensee, url_prefix = acting.product.store, licensee.strip(), url_prefix.strip()
    if not licensee or not url_prefix.strip("/"):
        raise BadInput("licences.incomplete")
    if valid_from and valid_until and valid_until <= valid_from:
        raise BadInput("licences.days")
    if "://" in url_prefix:
        raise BadInput("licences.scheme", address=url_prefix)
    if work_id:
        store.works.get(work_id)
    licence = Licence(
        id=hashlib.sha256(f"{licensee}\n{url_prefix}\n{work_id}".encode("utf-8", "surrogatepass")).hexdigest()[:12],
        licensee=licensee,
        url_prefix=url_prefix,
        work_id=work_id,
        valid_from=valid_from,
        valid_until=valid_until,
        attribution=attribution,
    )
    store.licences.put(licence)
    mark_cases(acting.product, licence)
    return changed(licence, Line(f"licence:{licence.id}", new=licence))


@audited("licence.remove")
def remove(acting: Acting, id: str) -> Changed[Licence]:
    """Withdraw a licence: the cases that it marked are looked at anew. NotFound."""
    acting.require(Right.LICENCES)
    store = acting.product.store
    licence = store.licences.get(id)
    store.licences.remove(id)
    mark_cases(acting.product, licence)
    return changed(licence, Line(f"licence:{id}", old=licence))
