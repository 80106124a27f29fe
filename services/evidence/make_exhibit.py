"""An exhibit made: everything gathered, masked, packed and signed; its file kept, its time stamp wanted."""

import json
from dataclasses import replace
from typing import Final

from crawler.fetch.rendering.picture import TALLEST
from pipeline.full_capture import full_capture
from services.context import Product
from services.evidence import signing_key
from services.evidence.exhibit_contents import SOFTWARE, contents, missing
from services.evidence.exhibit_sources import Lacks, exchange_of, machine_of, picture_of
from services.evidence.package.exhibit_warc import Seen, as_warc
from services.evidence.package.manifest import MANIFEST, Front, as_json, members_of
from services.evidence.package.masked_exchange import Masked, masked_exchange
from services.evidence.package.signature import SIGNATURE, signed, written
from services.evidence.package.zip_file import zipped
from services.evidence.stamps.stamping import want
from services.evidence.wanted_exhibits import name_of
from store.errors import NotFound
from store.messages import Message, message
from store.records import Capture, Case, Exhibit, Site

_ABOUT: Final = {"software": SOFTWARE, "format": "WARC File Format 1.1"}


def made(product: Product, exhibit: Exhibit) -> Exhibit:
    """The exhibit as it is once its file is stored. NotFound: the case, or the body of its capture, is gone."""
    case = product.store.cases.get(str(exhibit.case_number))
    capture = full_capture(product.store, case.page_id, case.capture)
    lacks = Lacks()
    masked = masked_exchange(exchange_of(product, capture, lacks))
    further = _further(product, case, capture, exhibit, masked, lacks)
    seen = Seen(url=capture.url, at=capture.fetched_at, server_address=capture.server_address, about=_ABOUT)
    made_at = product.now()
    front = Front(
        title=f"{case.work_title}: {case.page_url}",
        description=f"wenhen case {case.number}",
        page_url=capture.url,
        page_title=case.page_title or case.page_url,
        at=capture.fetched_at,
        created=made_at,
        software=SOFTWARE,
    )
    members = members_of(front, as_warc(masked.exchange, seen), further)
    signature = signed(signing_key.signing_key(product), members[MANIFEST])
    file = zipped({**members, SIGNATURE: written(signature)})
    digest = product.store.blobs.put(file)
    want(product, name_of(exhibit.id), signature["signedData"]["signature"])
    return replace(
        exhibit,
        due=None,
        problem=None,
        made_at=made_at,
        file_digest=digest,
        manifest_digest=product.store.blobs.put(members[MANIFEST]),
        size=len(file),
        missing=tuple(lacks.told),
        sealed=product.seal.seal(json.dumps(masked.heads), name_of(exhibit.id)) if masked.heads else None,
    )


def _further(
    product: Product, case: Case, capture: Capture, exhibit: Exhibit, masked: Masked, lacks: Lacks
) -> dict[str, bytes]:
    members = contents(product, case, capture, exhibit, masked, lacks)
    members["machine.json"] = machine_of(product, capture, SOFTWARE, lacks)
    if capture.rendered_digest is not None:
        try:
            members["rendered.html"] = product.store.blobs.get(capture.rendered_digest)
        except NotFound:
            lacks.note(Message("evidence.lacks_rendered"))
    if capture.assets_digest is not None:
        try:
            members["assets.zip"] = product.store.blobs.get(capture.assets_digest)
        except NotFound:
            lacks.note(Message("evidence.lacks_assets"))
    if found := picture_of(product, capture, _site(product, case), lacks):
        about = {
            "taken_at": product.now().isoformat(),
            "browser": found.browser,
            "document_sha256": capture.body_digest,
        }
        members |= {"page.png": found.png, "page.mhtml": found.mhtml, "picture.json": as_json(about)}
        if found.cut:
            lacks.note(message("evidence.picture_cut", pixels=TALLEST))
    return {**members, "missing.json": missing(lacks)}


def _site(product: Product, case: Case) -> Site | None:
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    if page is None or page.site_id is None:
        return None
    try:
        return product.store.sites.get(page.site_id)
    except NotFound:
        return None
