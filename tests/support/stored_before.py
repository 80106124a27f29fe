"""What an earlier release stored, as documents and as the records that it read from them: `tests/data/stored-0.2`.

- dump/NAME.jsonl.gz: every document of a collection, as canonical extended JSON, in the order of the ids
- apart.jsonl.gz: more documents, of other shapes; their ids may be those of the dump
- read.jsonl.gz: every record that the repositories read from the dump, under the names of its stored fields
- written.jsonl.gz: SHA-256 of the BSON of each document of the dump, once read and written again
- apart-written.jsonl.gz: the record and the SHA-256 of each of the documents apart
- backup/: a backup of the same store, not sealed
"""

import dataclasses
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from bson import json_util
from bson.json_util import CANONICAL_JSON_OPTIONS

from crawler.capture import Capture
from crawler.extraction.model import PictureText
from crawler.site_access import Access
from matcher.clusters import Cluster, Member
from matcher.model import Match
from wenhen.accounts.model import Preferences, Session, Token, User
from wenhen.alerts.model import Alert, AlertRule, Letter
from wenhen.audit.model import AuditEntry
from wenhen.cases.model import Case, Comment, SavedFilter
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import Run
from wenhen.discovery.model import Discovery
from wenhen.evidence.model import Exhibit, Stamp
from wenhen.exclusions.model import Exclusion
from wenhen.holders.model import Holder
from wenhen.kit.errors import Message
from wenhen.kit.mongo.codec import stored_name
from wenhen.kit.progress import OwnerKind, Subject
from wenhen.licences.model import Licence
from wenhen.notices.model import Notice, Platform, Reply
from wenhen.pages.model import Page
from wenhen.reports.repository import KeptReport
from wenhen.sites.model import Mirror, Registration, Site
from wenhen.steps.problems import Problem
from wenhen.triage.model import TriageRule
from wenhen.webhooks.model import Delivery, Webhook
from wenhen.works.model import Work

STORED: Final = Path(__file__).parents[1] / "data" / "stored-0.2"
EXTENDED_JSON: Final = CANONICAL_JSON_OPTIONS.with_options(tz_aware=True, tzinfo=UTC)
ALL: Final = 10_000  # records, more than there are
Document = dict[str, Any]
Reading = tuple[str, str, object]  # repository, id, record

# Collections whose documents are a record each. Fingerprints lack the id, which their repository makes.
RECORD_TYPES: Final[Mapping[str, type]] = {
    "accesses": Access,
    "alert_rules": AlertRule,
    "alerts": Alert,
    "audit": AuditEntry,
    "captures": Capture,
    "cases": Case,
    "cluster_members": Member,
    "clusters": Cluster,
    "comments": Comment,
    "deliveries": Delivery,
    "discoveries": Discovery,
    "exclusions": Exclusion,
    "exhibits": Exhibit,
    "filters": SavedFilter,
    "holders": Holder,
    "kept_reports": KeptReport,
    "letters": Letter,
    "licences": Licence,
    "matches": Match,
    "mirrors": Mirror,
    "notices": Notice,
    "pages": Page,
    "picture_texts": PictureText,
    "platforms": Platform,
    "preferences": Preferences,
    "problems": Problem,
    "registrations": Registration,
    "replies": Reply,
    "runs": Run,
    "sessions": Session,
    "sites": Site,
    "stamps": Stamp,
    "tokens": Token,
    "triage_rules": TriageRule,
    "users": User,
    "webhooks": Webhook,
    "works": Work,
}


def lines(file: Path) -> Iterator[str]:
    """The lines of a packed file."""
    with gzip.open(file, "rt", encoding="utf-8") as text:
        for line in text:
            yield line.rstrip("\n")


def documents(file: Path) -> list[Document]:
    """The documents of a packed file of extended JSON."""
    return [json_util.loads(line, json_options=EXTENDED_JSON) for line in lines(file)]


def dump() -> dict[str, list[Document]]:
    """Every document of the store, by collection."""
    return {file.name.removesuffix(".jsonl.gz"): documents(file) for file in sorted((STORED / "dump").iterdir())}


def told(name: str) -> list[Document]:
    """The plain JSON in one of the packed files."""
    return [json.loads(line) for line in lines(STORED / f"{name}.jsonl.gz")]


def as_json(value: object) -> Any:
    """A record as JSON, under the names of its stored fields, whatever its class is called and wherever it is."""
    if isinstance(value, Message):
        return {"code": value.code, "figures": {name: as_json(one) for name, one in value.figures.items()}}
    if isinstance(value, Subject):
        return str(value)
    if dataclasses.is_dataclass(value):
        return {stored_name(field): as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(as_json, value))
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    return value


def readings(store: Store, stored: Mapping[str, list[Document]]) -> list[Reading]:
    """Every record, through the repositories; what they are asked by is in the stored documents."""
    return [*_lists(store), *_by_id(store, stored), *_by_owner(store, stored)]


def _named(repository: str, records: Iterable[Any]) -> list[Reading]:
    return [(repository, record.id, record) for record in records]


def _lists(store: Store) -> Iterator[Reading]:
    """From repositories that give all they have."""
    yield from _named("cases", store.cases.each())
    yield from [("captures", str(number), record) for number, record in enumerate(store.captures.each())]
    for name in (
        *("platforms", "exclusions", "triage_rules", "mirrors", "sites", "accesses", "licences", "holders", "users"),
        *("tokens", "webhooks"),
    ):
        yield from _named(name, getattr(store, name).all())
    yield from _named("notices", store.notices.recent(limit=ALL))
    yield from _named("problems", store.problems.recent(limit=ALL))
    yield from _named("alert_rules", store.alerts.rules())
    yield from [("audit", str(entry.number), entry) for entry in store.audit.each()]
    for kind in OwnerKind:
        yield from _named("fingerprints", store.fingerprints.all(kind))


def _by_id(store: Store, stored: Mapping[str, list[Document]]) -> Iterator[Reading]:
    """From repositories that are asked by ids."""
    ids = {name: [one["_id"] for one in found] for name, found in stored.items()}
    for name in (
        *("kept_reports", "exhibits", "replies", "registrations", "matches", "sessions", "preferences", "clusters"),
    ):
        yield from _named(name, (getattr(store, name).get(id) for id in ids[name]))
    for name in ("works", "pages", "runs", "stamps"):
        yield from _named(name, getattr(store, name).many(ids[name]).values())
    yield from _named("picture_texts", store.picture_texts.read_already(ids["picture_texts"]).values())
    for cluster in ids["clusters"]:
        yield from _named("cluster_members", store.clusters.of(cluster))
    yield from [("marks", id, dict(store.marks.get(id) or {})) for id in ids["marks"]]


def _by_owner(store: Store, stored: Mapping[str, list[Document]]) -> Iterator[Reading]:
    """From repositories that are asked by whose or of what the records are."""
    for work in _values(stored["discoveries"], "work_id"):
        yield from _named("discoveries", store.discoveries.find(work_id=work))
    for number in _values(stored["comments"], "case_number"):
        yield from _named("comments", store.comments.of_case(number))
    for user in _values(stored["filters"], "user"):
        yield from _named("filters", store.filters.of_user(user))
    for user in _values(stored["alerts"], "user"):
        yield from _named("alerts", store.alerts.of_user(user))


def _values(found: list[Document], field: str) -> list[Any]:
    return sorted({one[field] for one in found})


# Collections that came since.
COLLECTIONS_SINCE: Final = frozenset(
    {
        "amounts",
        "mark_statements",
        "marked_copies",
        "marked_texts",
        "password_links",
        "regional_captures",
        "settings",
        "shared_links",
    }
)
# Fields that records have had since, by their ways, with what they are where nobody has set them.
_PASSAGE_COUNTS: Final[Document] = {"page_characters": None, "work_characters": None}
_MATCH_COUNTS: Final[Document] = {
    "copied_of_page": None,
    "copied_of_work": None,
    **{f"{part}.{name}": None for part in ("passages", "common.passage") for name in _PASSAGE_COUNTS},
}
ADDED_SINCE: dict[str, Document] = {
    "cases": {
        "asked_by": None,
        "opinion": None,
        "assigned_at": None,
        "assigned_by": None,
        "extent.counted": False,
        **{f"{match}.{name}": None for match in ("match", "found") for name in _MATCH_COUNTS},
    },
    "alert_rules": {"own": False},
    "matches": _MATCH_COUNTS,
    "kept_reports": {"language": None},
    "comments": {"changed_at": None, "withdrawn_at": None},
    "licences": {"holder": None},
    "notices": {"named": [], "previous": [], "address_states": []},
    "alerts": {"url": None, "run_id": None, "reason": None, "page_id": None, "good_at": None},
    "sites": {"spider": None},
    "runs": {"addresses": [], "redirects": [], "breakages": []},
    "platforms": {"mail_megabytes": None},
    "users": {"mail": None, "subject": None, "holders": []},
    "works": {"shortest_passage": None, "common": False, "characters": None, "versions.characters": None},
    "pages": {"characters": None},
}


def without_added(collection: str, record: Any) -> Any:
    """A record as JSON or as a document, without the fields that came since, each of which is unset."""
    for way, unset in ADDED_SINCE.get(collection, {}).items():
        record = _without(record, way.split("."), unset)
    return record


def _without(value: Any, way: list[str], unset: object) -> Any:
    if isinstance(value, list | tuple):
        return [_without(one, way, unset) for one in value]
    if not isinstance(value, dict) or way[0] not in value:
        return value
    if len(way) > 1:
        return {**value, way[0]: _without(value[way[0]], way[1:], unset)}
    assert value[way[0]] == unset
    return {name: one for name, one in value.items() if name != way[0]}
