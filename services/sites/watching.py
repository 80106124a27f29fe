"""Who may reprint what."""

import hashlib
from datetime import datetime

from pipeline.matching.licensed import mark_cases
from services.context import Product
from store.errors import BadInput
from store.records import Licence


def license_reprints(
    product: Product,
    licensee: str,
    url_prefix: str,
    *,
    work_id: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    attribution: str | None = None,
) -> Licence:
    """Allow the licensee to carry one work, or all, below the prefix (host, or host/path, without http://).

    attribution: what the page has to say of its source. Cases that were open before are marked as well.
    Raises `BadInput` for a prefix that is none or days in the wrong order, `NotFound` for a work that is not there.
    """
    licensee, url_prefix = licensee.strip(), url_prefix.strip()
    if not licensee or not url_prefix.strip("/"):
        raise BadInput("a licence needs a licensee, and the host, or host/path, that may carry the works")
    if valid_from and valid_until and valid_until <= valid_from:
        raise BadInput("the first day after a licence comes after its first day")
    if "://" in url_prefix:
        raise BadInput(f"{url_prefix}: leave out http:// and give the host, or host/path")
    if work_id:
        product.store.works.get(work_id)
    licence = Licence(
        id=hashlib.sha256(f"{licensee}\n{url_prefix}\n{work_id}".encode("utf-8", "surrogatepass")).hexdigest()[:12],
        licensee=licensee,
        url_prefix=url_prefix,
        work_id=work_id,
        valid_from=valid_from,
        valid_until=valid_until,
        attribution=attribution,
    )
    product.store.licences.put(licence)
    mark_cases(product, licence)
    return licence


def withdraw_licence(product: Product, id: str) -> Licence:
    """End a licence: the cases that it marked are looked at anew. Raises `NotFound`."""
    licence = product.store.licences.get(id)
    product.store.licences.remove(id)
    mark_cases(product, licence)
    return licence
