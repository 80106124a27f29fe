"""Exhibits that were made before an authority was set get their stamps once one is: late is better than never."""

import json

from services.context import Product
from services.evidence.package.signature import SIGNATURE
from services.evidence.package.zip_file import unzipped
from services.evidence.stamps.stamping import want
from services.evidence.wanted_exhibits import name_of
from store.errors import NotFound


def stamp_earlier(product: Product) -> None:
    """Want a stamp of each exhibit that has none, where authorities are set."""
    if not product.settings.evidence.authorities:
        return
    for exhibit_id, digest in product.store.exhibits.files():
        name = name_of(exhibit_id)
        if name in product.store.stamps.many([name]):
            continue
        try:
            signature = json.loads(unzipped(product.store.blobs.get(digest))[SIGNATURE])
        except NotFound:  # its file is lost, which `hand_out` says
            continue
        want(product, name, signature["signedData"]["signature"])
