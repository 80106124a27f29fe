"""Exhibits, which are asked for, made and taken away; where nothing renders, without a picture."""

from dataclasses import replace
from typing import Any

from services.acting import Acting
from services.evidence import exhibits, make_in_background, receipts
from services.evidence.wanted_exhibits import wanted
from store.records import Exhibit, Why
from tests.services.samples.cases import case
from tests.support.use_cases import Samples


def without_browser(acting: Acting) -> Acting:
    settings: Any = acting.product.settings
    crawler = settings.crawler.model_copy(update={"browser": "/no/browser", "warc": "off"})
    return replace(acting, product=replace(acting.product, settings=settings.model_copy(update={"crawler": crawler})))


def make(acting: Acting) -> Exhibit:
    return make_in_background.make(without_browser(acting), case(acting))


def make_wanted(acting: Acting) -> None:
    store = acting.product.store
    exhibit = wanted(acting.product, store.cases.get(str(case(acting))), Why.CONFIRMED, acting.who)
    make_in_background.make_wanted(without_browser(acting), exhibit)


def unmask(acting: Acting) -> object:
    made = make(acting)
    sealed = acting.product.seal.seal('["GET / HTTP/1.1"]', f"exhibit:{made.id}")
    acting.product.store.exhibits.put(replace(made, sealed=sealed))
    return exhibits.unmask(acting, made.id)


def kept(acting: Acting) -> tuple[str, str]:
    id = make(acting).id
    return id, receipts.add(acting, id, "长江公证处", "公证书.pdf", b"%PDF").id


SAMPLES: Samples = {
    exhibits.ask: lambda acting: exhibits.ask(acting, case(acting)),
    make_in_background.make: make,
    make_in_background.make_wanted: make_wanted,
    exhibits.hand_out: lambda acting: exhibits.hand_out(acting, make(acting).id),
    exhibits.unmask: unmask,
    receipts.hand_out_manifest: lambda acting: receipts.hand_out_manifest(acting, make(acting).id),
    receipts.add: kept,
    receipts.hand_out: lambda acting: receipts.hand_out(acting, *kept(acting)),
}
