"""Define what pipeline steps need (Context), and what use cases need beside it (Product)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from matcher.paraphrase.background_cache import BackgroundCache
from wenhen.kit.clock import Clock, utc_now
from wenhen.kit.errors import Message, Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.sealed_secrets import Seal
from wenhen.product.caches import KnownCalibration, KnownIds, KnownSizes, LruCache
from wenhen.product.queue import Queue, QueueShare, group_by_share
from wenhen.product.settings import CoreSettings
from wenhen.product.store import Store

if TYPE_CHECKING:
    from crawler.ports import FrontierEntry
    from matcher.index.protocol import Index
    from matcher.phrases.phrase_index import PhraseIndex
    from wenhen.crawls.model import Run
    from wenhen.fingerprints.letter_file import LetterFile

# What every step needs, and no more: figures of the settings, the store, the three indexes, the queue, the clock.


MAX_CACHED_CHARACTERS: Final = (
    4_000_000  # of texts with their letters and characters, which take some twenty bytes each
)


@dataclass(frozen=True, slots=True)
class Context:
    """The ports behind the steps, opened."""

    settings: CoreSettings
    store: Store
    works_index: "Index"
    pages_index: "Index"
    rare_words: "Index"  # of the works, for those told anew in other words
    phrases: "PhraseIndex"  # over the texts of both, for people who search
    queue: Queue
    sizes: KnownSizes = field(default_factory=KnownSizes)
    calibration: KnownCalibration = field(default_factory=KnownCalibration)
    background: BackgroundCache = field(default_factory=BackgroundCache)
    short_texts: dict[int, Any] = field(default_factory=dict)  # `ShortTable` by the shortest passage that it is for
    work_letters: "LetterFile | None" = None  # of this machine; without one, candidates are compared unscreened
    short_works: KnownIds = field(default_factory=KnownIds)  # whose shortest passage is shorter than usual
    recent_texts: LruCache[Any] = field(default_factory=lambda: LruCache(MAX_CACHED_CHARACTERS))  # as they were read
    now: Clock = utc_now

    def index(self, kind: OwnerKind) -> "Index":
        """The index over this side."""
        return self.works_index if kind is OwnerKind.WORK else self.pages_index

    def enqueue(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare | None = None,
        *,
        begun: bool = False,
    ) -> None:
        """Queue the next step of records, after the write that made it the next step; in this share, or in those that
        they belong to. begun: before those that have all of their way before them.

        When the queue cannot be reached nothing is lost: the sweep finds the records.
        """
        with suppress(Unavailable):
            shares = group_by_share(self.store, kind, ids) if share is None else {share: ids}
            for share_name, some in shares.items():
                self.queue.steps(kind, some, step, share_name, begun=begun)

    def enqueue_alone(self, kind: OwnerKind, id: str, step: Step, *, begun: bool = False) -> None:
        """The same for a record that no other is to suffer from."""
        with suppress(Unavailable):
            for share in group_by_share(self.store, kind, [id]):
                self.queue.step(kind, id, step, share, begun=begun)


# What use cases need beside what the steps do: the ports of crawls that go on elsewhere.


class RunFrontier(Protocol):
    """What a run has still to fetch, as those see it who steer the run. Raises `Unavailable`."""

    def leave(self) -> int:
        """Take the crawler of this name off the run; how many it still has."""

    def iter_waiting(self) -> Iterator["FrontierEntry"]:
        """What no crawler has in hand yet, in its order."""

    def drop(self, ids: Sequence[bytes]) -> int:
        """Leave out what still waits of these; how many did."""

    def end(self) -> dict[str, int]:
        """Forget what was still to fetch; the counts of all crawlers."""


class SiteSurvey(NamedTuple):
    """What a site offers to those who look for its pages."""

    title: str
    sitemaps: Sequence[str]
    feeds: Sequence[str]
    pages: int  # that the sitemaps and feeds name
    problem: Message | None  # why its front page could not be read


class TrialCrawl(NamedTuple):
    """What the crawl of a site would ask for, in its order, as far as its first pages lead; of that, what gave a page,
    and what gave none and why.
    """

    asked: Sequence[str]
    pages: Sequence[str]
    missed: Sequence[tuple[str, Message]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Context):
    """The product as its use cases see it."""

    frontier: Callable[["Run", str | None], RunFrontier]  # of a run, for the crawler of this name
    seal: Seal  # what secrets are kept under
    survey: Callable[[str, bool], SiteSurvey]  # of the site at an address, internal or not. BadInput, Unavailable
    try_out: Callable[[str], TrialCrawl]  # the crawl of the site with this id. BadInput, Unavailable
