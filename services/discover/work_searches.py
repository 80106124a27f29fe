"""A work's telling sentences asked of a search engine; the addresses found go on the review list."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from services.context import Product
from services.discover.engine_port import SearchEngine, SearchHit
from services.discover.sentences_to_ask import sentences_to_ask
from store.errors import BadInput, NotFound
from store.records import Discovery, Work
from store.rules.record_ids import page_id

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Discovered:
    """What a search for a work gave. new: addresses that were not on the list; known: pages stored already."""

    asked: tuple[str, ...]
    new: tuple[Discovery, ...]
    on_list: int
    known: int


def discover(product: Product, work_id: str, engine: SearchEngine, progress: Progress) -> Discovered:
    """Ask for a work's sentences, and put the addresses found on the review list.

    Raises `NotFound`, `BadInput` for a work without a sentence to ask for, and what the engine raises; what was found
    until then is kept. Left out are pages that are stored already, and the holder's own address of the work.
    """
    work = product.store.works.get(work_id)
    asked = sentences_to_ask(product, work)
    if not asked:
        raise BadInput("discover.no_sentence", id=work_id)
    new: dict[str, Discovery] = {}
    on_list, known = set(), set()
    for done, sentence in enumerate(asked):
        progress(done, len(asked))
        if done:
            time.sleep(product.settings.discover.delay)
        for hit in engine.search(sentence).hits[: product.settings.discover.results]:
            discovery = _discovery(product, work, hit, sentence, engine.name)
            if _is_known(product, work, hit.url):
                known.add(hit.url)
            elif product.store.discoveries.add(discovery):
                new[discovery.id] = discovery
            elif discovery.id not in new:
                on_list.add(discovery.id)
    progress(len(asked), len(asked))
    return Discovered(asked, tuple(new.values()), len(on_list), len(known))


def _is_known(product: Product, work: Work, url: str) -> bool:
    if url == work.url:
        return True
    with suppress(NotFound):
        return bool(product.store.pages.get(page_id(url)))
    return False


def _discovery(product: Product, work: Work, hit: SearchHit, sentence: str, engine: str) -> Discovery:
    name = f"{work.id}\n{hit.url}".encode("utf-8", "surrogatepass")
    return Discovery(
        id=sha256(name).hexdigest()[:12],
        work_id=work.id,
        url=hit.url,
        title=hit.title[:200],
        sentences=(sentence,),
        engine=engine,
        found_at=product.now(),
        found_by=hit.engines,
    )
