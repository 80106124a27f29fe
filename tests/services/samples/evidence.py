"""Exhibits, which are asked for, made and taken away; where nothing renders, without a picture."""

from dataclasses import replace
from typing import Any

from tests.services.samples.cases import case
from tests.support.use_cases import Samples
from wenhen.context.use_cases import Acting
from wenhen.evidence.exhibit_creation import make_claimed_exhibit, make_exhibit_now
from wenhen.evidence.exhibits import (
    export_exhibit,
    export_manifest,
    export_receipt,
    request_exhibit,
    store_receipt,
    unmask_exhibit,
    want_exhibit,
)
from wenhen.evidence.model import Exhibit, ExhibitReason


def without_browser(acting: Acting) -> Acting:
    settings: Any = acting.product.settings
    crawler = settings.crawler.model_copy(update={"browser": "/no/browser", "warc": "off"})
    return replace(acting, product=replace(acting.product, settings=settings.model_copy(update={"crawler": crawler})))


def make(acting: Acting) -> Exhibit:
    return make_exhibit_now(without_browser(acting), case(acting))


def make_wanted(acting: Acting) -> None:
    store = acting.product.store
    exhibit = want_exhibit(acting.product, store.cases.get(str(case(acting))), ExhibitReason.CONFIRMED, acting.who)
    make_claimed_exhibit(without_browser(acting), exhibit)


def unmask(acting: Acting) -> object:
    made = make(acting)
    sealed = acting.product.seal.seal('["GET / HTTP/1.1"]', f"exhibit:{made.id}")
    acting.product.store.exhibits.put(replace(made, sealed=sealed))
    return unmask_exhibit(acting, made.id)


def kept(acting: Acting) -> tuple[str, str]:
    id = make(acting).id
    return id, store_receipt(acting, id, "长江公证处", "公证书.pdf", b"%PDF").id


SAMPLES: Samples = {
    request_exhibit: lambda acting: request_exhibit(acting, case(acting)),
    make_exhibit_now: make,
    make_claimed_exhibit: make_wanted,
    export_exhibit: lambda acting: export_exhibit(acting, make(acting).id),
    unmask_exhibit: unmask,
    export_manifest: lambda acting: export_manifest(acting, make(acting).id),
    store_receipt: kept,
    export_receipt: lambda acting: export_receipt(acting, *kept(acting)),
}
