"""Define what steps need (Context), what use cases need (Product), who acts, and audited changes."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from wenhen.context.caches import BackgroundCache, KnownCalibration, KnownIds, KnownNames, KnownSizes, LruCache
from wenhen.context.store_and_queue import Queue, QueueShare, Store, group_by_share
from wenhen.kit.clock import Clock, utc_now
from wenhen.kit.errors import Forbidden, Message, Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import ActingToken, Right
from wenhen.kit.sealed_secrets import Seal
from wenhen.settings.all_sections import CoreSettings

if TYPE_CHECKING:
    from crawler.ports import FrontierEntry
    from matcher.index.protocol import Index
    from matcher.phrases.phrase_index import PhraseIndex
    from wenhen.crawls.model import Run
    from wenhen.fingerprints.letter_file import LetterFile

# What steps need: settings, the store, the indexes, the queue, the clock, and caches.


MAX_CACHED_CHARACTERS: Final = 4_000_000  # characters of texts with their letters; each takes 12 to 20 bytes


@dataclass(frozen=True, slots=True)
class Context:
    """The ports that the steps use."""

    settings: CoreSettings
    store: Store
    works_index: "Index"
    pages_index: "Index"
    rare_words: "Index"  # of works, for the paraphrase look-up
    phrases: "PhraseIndex"  # over the texts of works and pages, for searches by users
    queue: Queue
    sizes: KnownSizes = field(default_factory=KnownSizes)
    names: KnownNames = field(default_factory=KnownNames)
    calibration: KnownCalibration = field(default_factory=KnownCalibration)
    background: BackgroundCache = field(default_factory=BackgroundCache)
    short_texts: dict[int, Any] = field(default_factory=dict)  # `ShortTable` by its shortest passage
    work_letters: "LetterFile | None" = None  # of this machine; without it, candidates are not screened
    short_works: KnownIds = field(default_factory=KnownIds)  # works with a shortest passage below the default
    recent_texts: LruCache[Any] = field(default_factory=lambda: LruCache(MAX_CACHED_CHARACTERS))  # recently read texts
    now: Clock = utc_now

    def index(self, kind: OwnerKind) -> "Index":
        """Return the index of this kind."""
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
        """Queue the next step of records, after it was stored.

        share: by default, the shares of the records. begun: queue them before records that are at their first step. If
        the queue cannot be reached, nothing is lost, because the reconciler finds the records.
        """
        with suppress(Unavailable):
            shares = group_by_share(self.store, kind, ids) if share is None else {share: ids}
            for share_name, record_ids in shares.items():
                self.queue.steps(kind, record_ids, step, share_name, begun=begun)

    def enqueue_alone(self, kind: OwnerKind, id: str, step: Step, *, begun: bool = False) -> None:
        """Queue the next step of a record that must run alone, so that its failure affects no other record."""
        with suppress(Unavailable):
            for share in group_by_share(self.store, kind, [id]):
                self.queue.step(kind, id, step, share, begun=begun)


# What use cases need in addition: the ports of crawls, which run in other processes.


class RunFrontier(Protocol):
    """The frontier of a run, for those who control the run. Raises `Unavailable`."""

    def leave(self) -> int:
        """Remove the crawler of this name from the run. Return how many are left."""

    def iter_waiting(self) -> Iterator["FrontierEntry"]:
        """Yield the entries that no crawler has taken, in order."""

    def drop(self, ids: Sequence[bytes]) -> int:
        """Drop those of these entries that still wait. Return how many."""

    def end(self) -> dict[str, int]:
        """Delete the frontier. Return the counts of all crawlers."""


class SiteSurvey(NamedTuple):
    """What a site offers for finding its pages."""

    title: str
    sitemaps: Sequence[str]
    feeds: Sequence[str]
    pages: int  # pages that the sitemaps and feeds name
    problem: Message | None  # why its front page could not be read


class TrialCrawl(NamedTuple):
    """The addresses that a crawl of the site would request first, in order, and the pages and failures among them."""

    asked: Sequence[str]
    pages: Sequence[str]
    missed: Sequence[tuple[str, Message]]


class SettingSources(Protocol):
    """Where settings come from: the environment, the file, or what was changed on screen."""

    def origin(self, section: str, name: str) -> str:
        """Return the variable or file that sets it."""

    def refresh(self) -> None:
        """Read what was changed on screen before the settings are used again."""


class GivenSettings:
    """Settings that a caller made, of which nothing is changed on screen."""

    def origin(self, section: str, name: str) -> str:
        """Return the name of the setting."""
        return f"{section}.{name}"

    def refresh(self) -> None:
        """Do nothing, as nothing is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Context):
    """The product, as use cases see it."""

    frontier: Callable[["Run", str | None], RunFrontier]  # of a run, for the crawler of this name
    seal: Seal  # encrypts stored secrets
    survey: Callable[[str, bool], SiteSurvey]  # by address, internal or not; raises BadInput, Unavailable
    try_out: Callable[[str], TrialCrawl]  # tries the crawl of the site with this id; raises BadInput, Unavailable
    setting_sources: SettingSources = field(default_factory=GivenSettings)


# The acting user or program. Every use case that changes something gets it, for rights and the audit log.


@dataclass(frozen=True, slots=True)
class Acting:
    """A person, a program or a command that acts on the product.

    - who: name in the audit log.
    - rights: what they may do.
    - user_id: id of the user; None for a command, and without sign-in.
    - token: API token in use; None for a browser or a command.
    """

    product: Product
    who: str
    rights: frozenset[Right]
    user_id: str | None = None
    token: ActingToken | None = None

    def may(self, right: Right) -> bool:
        """Return whether they have the right."""
        return right in self.rights

    def require(self, right: Right) -> None:
        """Raise `Forbidden` unless they have the right."""
        if not self.may(right):
            raise Forbidden("people.may_not", right=right.value)


def format_change(old: object, new: object) -> tuple[str | None, str | None]:
    """Format two values as text: strings as they are, and of two records or mappings the differences, as JSON.

    >>> format_change({"depth": 5, "tags": ()}, {"depth": 7, "tags": ()})
    ('{"depth": 5}', '{"depth": 7}')
    """
    before, after = _to_plain_value(old), _to_plain_value(new)
    if isinstance(before, dict) and isinstance(after, dict):
        before, after = (
            {name: value for name, value in mapping.items() if name not in other or other[name] != value}
            for mapping, other in ((before, after), (after, before))
        )
    return _to_json_text(before), _to_json_text(after)


def _to_plain_value(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _to_json_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_to_json_value)


def _to_json_value(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


# The only writer of the audit log. A use case under `audited` returns a `ChangeResult`: the record, and an `AuditLine`
# for each change. The lines are written before the caller gets the record. So no command, screen or API operation can
# omit them, and a use case without lines fails the type check.


T = TypeVar("T")
P = ParamSpec("P")


class AuditLine(NamedTuple):
    """A line of the audit log.

    - subject: kind:id (``case:12``).
    - old, new: a string, or a record or mapping, of which only differences are stored.
    - action: noun.verb, if it is not that of the use case.
    """

    subject: str
    old: object = None
    new: object = None
    action: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeResult(Generic[T]):
    """The result of a use case, and the lines of its changes; without lines it changed nothing."""

    result: T
    lines: Sequence[AuditLine]


def change_result(result: T, *lines: AuditLine) -> ChangeResult[T]:
    """Make a result with the lines of its changes."""
    return ChangeResult(result, lines)


USE_CASES: Final[dict[Callable[..., object], str]] = {}  # all use cases that change something, with their actions


def audited(
    action: str,
) -> Callable[[Callable[Concatenate[Acting, P], ChangeResult[T]]], Callable[Concatenate[Acting, P], T]]:
    """Declare a use case that changes something. action: noun.verb, with its text under ``audit.<action>``."""

    def declare(use_case: Callable[Concatenate[Acting, P], ChangeResult[T]]) -> Callable[Concatenate[Acting, P], T]:
        @wraps(use_case)
        def run(acting: Acting, /, *args: P.args, **kwargs: P.kwargs) -> T:
            done = use_case(acting, *args, **kwargs)
            write_audit_lines(acting, action, done.lines)
            return done.result

        USE_CASES[run] = action
        return run

    return declare


def write_audit_lines(acting: Acting, action: str, lines: Sequence[AuditLine]) -> None:
    """Write the lines, with one write for each action."""
    by_action: dict[str, list[tuple[str, str | None, str | None]]] = {}
    for line in lines:
        by_action.setdefault(line.action or action, []).append((line.subject, *format_change(line.old, line.new)))
    for name, entries in by_action.items():
        acting.product.store.audit.add_all(acting.product.now(), acting.who, name, entries, token=acting.token)
