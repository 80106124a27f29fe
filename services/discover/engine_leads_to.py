"""Whether an engine leads to an address, by phrases that stand there."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crawler.crawl.canonical_addresses import any_scheme, canonical
from services.discover.engine_port import SearchEngine, SearchHit


@dataclass(frozen=True, slots=True)
class SearchLook:
    """hit: the row that leads there; None where no answer had it. silent: engines that one of the answers lacks."""

    hit: SearchHit | None
    silent: frozenset[str]


def look_for(
    engine: SearchEngine, urls: Collection[str], phrases: Sequence[str], *, of: str | None, delay: float
) -> SearchLook:
    """Ask for the phrases, with a pause before each, until one leads to one of these addresses."""
    own, silent = {any_scheme(canonical(url)) for url in urls}, set[str]()
    for phrase in phrases:
        time.sleep(delay)
        answer = engine.search(phrase, of)
        silent |= set(answer.silent)
        for one in answer.hits:
            if any_scheme(canonical(one.url)) in own:
                return SearchLook(one, frozenset(silent))
    return SearchLook(None, frozenset(silent))
