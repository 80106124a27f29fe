"""What a crawl has still to fetch: looked at, and dropped in part."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.crawl.frontier_port import Entry, address_of
from crawler.crawl.job import fits
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import BadInput, Conflict
from store.messages import Message
from store.records import RunKind
from store.rules.role_rights import Right

LONGEST: Final = 500  # characters of a pattern
SHOWN: Final = 100  # addresses, unless more are asked for
TOGETHER: Final = 1_000  # addresses dropped in one exchange


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many addresses wait, and those of them that come first, in their order."""

    count: int
    first: tuple[str, ...]


def waiting(product: Product, run_id: str, pattern: str = "", most: int = SHOWN) -> Waiting:
    """What a run has still to fetch whose addresses a pattern fits, as sites have them (`crawler.crawl.job.fits`);
    without one, all. What crawlers have in hand is not among it.

    Raises `NotFound`, `Unavailable`, and `BadInput` for a pattern that cannot be read.
    """
    count, first = 0, list[str]()
    for entry in _fitting(product, run_id, pattern):
        count += 1
        if len(first) < most:
            first.append(address_of(entry))
    return Waiting(count, tuple(first))


@audited("run.drop")
def drop(acting: Acting, id: str, pattern: str) -> Changed[int]:
    """Fetch nothing in this run of what waits and fits a pattern; how many addresses. The next run finds them again:
    what is never to be fetched is left out in the site's settings.

    Raises `NotFound`, `Unavailable`, `BadInput` for a pattern that is missing or cannot be read, and `Conflict` for a
    run that has ended.
    """
    acting.require(Right.CRAWL)
    product, pattern = acting.product, pattern.strip()
    if not pattern:
        raise BadInput("crawls.drop_what")
    run = product.store.runs.get(id)
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        raise Conflict("crawls.not_now", id=id, state=Message("crawls.ended"))
    frontier, ids, dropped = product.frontier(run, None), (one.id for one in _fitting(product, id, pattern)), 0
    while part := tuple(islice(ids, TOGETHER)):
        dropped += frontier.drop(part)
    return changed(dropped, Line(f"run:{id}", new={"pattern": pattern, "count": str(dropped)}))


def _fitting(product: Product, run_id: str, pattern: str) -> Iterator[Entry]:
    run = product.store.runs.get(run_id)
    pattern = _readable(pattern)
    if run.ended_at is not None or run.kind is not RunKind.CRAWL:
        return
    for entry in product.frontier(run, None).waiting():
        if not pattern or fits(pattern, address_of(entry)):
            yield entry


def _readable(pattern: str) -> str:
    if len(pattern := pattern.strip()) > LONGEST:
        raise BadInput("crawls.pattern_length", most=LONGEST)
    fits(pattern, "")
    return pattern
