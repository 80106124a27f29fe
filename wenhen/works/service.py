"""Add, edit, merge and remove works, find them by name, and find duplicates before works are stored."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import CHINA, china_day, day_or_moment
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.kit.text import simplify
from wenhen.steps.problems import IMPORT
from wenhen.works.importers.drafts import parse_field
from wenhen.works.model import COMMON_PREFIX, EDITABLE_FIELDS, Work, WorkDraft

MAX_BATCH_WORKS = 500  # works per batch
MAX_BATCH_CHARACTERS = 2_000_000  # characters per batch, unless a single work is longer


def batch_drafts(drafts: Iterable[WorkDraft]) -> Iterator[list[WorkDraft]]:
    """Yield batches of drafts, limited in size and without duplicate ids."""
    batch: dict[str, WorkDraft] = {}
    letters = 0
    for draft in drafts:
        if batch and (
            len(batch) == MAX_BATCH_WORKS or letters + len(draft.text) > MAX_BATCH_CHARACTERS or draft.id in batch
        ):
            yield list(batch.values())
            batch, letters = {}, 0
        batch[draft.id] = draft
        letters += len(draft.text)
    if batch:
        yield list(batch.values())


# A publication date in the future is a typing error or a plan.


def reject_future_publication(published_at: datetime | None, now: datetime) -> None:
    """Raise `BadInput` for a publication date after today in China.

    Notices and reports would present it as a fact. A later time today is allowed, because clocks differ.
    """
    if published_at is not None and china_day(published_at) > china_day(now):
        raise BadInput("works.to_come", day=china_day(published_at).isoformat(), today=china_day(now).isoformat())


def find_duplicates(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Return the ids of existing works by the ids of drafts that duplicate them.

    A duplicate has the same text and title, for example after its file was moved, or was merged into the other work.
    """
    return _find_same_texts(product, drafts) | _find_merged_works(product, drafts)


def _find_same_texts(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Return existing ids by the ids of drafts with the same text and title, if they are stored only under
    another id.
    """
    keys = {draft.id: (hashlib.sha256(_encode_text(draft.text)).hexdigest(), draft.title) for draft in drafts}
    known: dict[tuple[str, str], list[str]] = {}
    digests = [digest for digest, _ in keys.values()]
    common = any(draft.common for draft in drafts)  # all drafts of a batch have the same value
    for digest, title, id in product.store.works.find_same_texts(digests, common=common):
        known.setdefault((digest, title), []).append(id)
    moved = {}
    for id, key in keys.items():
        owners = known.setdefault(key, [])
        if not owners:
            owners.append(id)  # later drafts of the batch duplicate this one
        elif id not in owners:
            moved[id] = owners[0]
    return moved


def find_same_text_works(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Return by id of stored drafts the id of another work with the same text, for example under another title.

    Each page with such a text has a case of both, until they are merged.
    """
    own = {draft.id: hashlib.sha256(_encode_text(draft.text)).hexdigest() for draft in drafts if not draft.common}
    ids: dict[str, list[str]] = {}
    for digest, _, id in product.store.works.find_same_texts(own.values()) if own else ():
        ids.setdefault(digest, []).append(id)
    earlier = {digest: next((id for id in sorted(known) if id not in own), min(known)) for digest, known in ids.items()}
    return {id: earlier[digest] for id, digest in own.items() if earlier.get(digest, id) != id}


def _find_merged_works(product: Product, drafts: Sequence[WorkDraft]) -> dict[str, str]:
    """Return the ids of remaining works by the ids of drafts that were merged into them."""
    known = product.store.works.many([draft.id for draft in drafts])
    return {id: work.merged_into for id, work in known.items() if work.merged_into}


def _encode_text(text: str) -> bytes:
    """Encode a text, allowing lone surrogates. The store rejects them later with a reason."""
    return text.encode("utf-8", "surrogatepass")


# Works are added and removed here: their storage and their next step.


@audited("work.put")
def put_work(acting: Acting, draft: WorkDraft) -> ChangeResult[tuple[str, str]]:
    """Store a work and queue the search for its copies. Returns its id, and "new", "changed" or "unchanged".

    Raises `BadInput`.
    """
    acting.require(Right.WORKS)
    parse_field("url", draft.url or "")
    reject_future_publication(draft.published_at, acting.product.now())
    [(id, outcome)] = store_works(acting.product, [draft])
    if outcome == "unchanged":
        return change_result((id, outcome))
    return change_result((id, outcome), AuditLine(f"work:{id}", new=f"{outcome}: {draft.title}"))


@audited("work.remove")
def remove_work(acting: Acting, id: str) -> ChangeResult[Work]:
    """Remove a work from all queries at once. Its cases stay, and its postings are deleted later.

    Raises `NotFound`.
    """
    acting.require(Right.WORKS)
    product = acting.product
    work = product.store.works.get(id)
    product.store.works.remove(id)
    product.store.fingerprints.replace(OwnerKind.WORK, id, [])
    product.enqueue(OwnerKind.WORK, [id], Step.REMOVE, PERSON_SHARE)
    return change_result(work, AuditLine(f"work:{id}", old=work.title))


def store_works(product: Product, drafts: Sequence[WorkDraft]) -> list[tuple[str, str]]:
    """Store works with different ids, queue their first step, and return id and outcome of each.

    Raises `BadInput`.
    """
    for draft in drafts:
        if draft.id.startswith(COMMON_PREFIX) is not draft.common:
            raise BadInput("works.reserved_id", id=draft.id, prefix=COMMON_PREFIX)
    moved = find_duplicates(product, drafts)
    stored = product.store.works.put_all(
        [draft for draft in drafts if draft.id not in moved], note=None, step=Step.FINGERPRINT
    )
    outcomes = {work.id: (work.id, outcome) for work, outcome in stored}
    outcomes |= {id: (known, "unchanged") for id, known in moved.items()}
    product.store.problems.clear_all(
        IMPORT, {draft.origin for draft in drafts if draft.origin and draft.id not in moved}
    )
    due = [work.id for work, _ in stored if work.progress.step is Step.FINGERPRINT]
    product.enqueue(OwnerKind.WORK, due, Step.FINGERPRINT)
    return [outcomes[draft.id] for draft in drafts]


# Metadata of works edited by users: title, author, holder, first publication and its proof. Imports keep edited fields.


@audited("work.edit")
def edit_work(acting: Acting, id: str, written: Mapping[str, str]) -> ChangeResult[Work]:
    """Edit the metadata of a work by the names in `EDITABLE_FIELDS`. An empty text clears a field.

    The cases of the work get its new title. Raises `NotFound`, also for a removed work, and `BadInput` that names the
    field.
    """
    acting.require(Right.DETAILS)
    store = acting.product.store
    before = require_work(acting, id)
    parsed = parse_details(written, acting.product.now())
    values = {name: value for name, value in parsed.items() if value != getattr(before, name)}
    if not values:
        return change_result(before)
    work = store.works.edit(id, values)
    if "title" in values:
        store.cases.set_work_title(id, work.title)
    if "shortest_passage" in values and store.works.restart(id, Step.FINGERPRINT):
        acting.product.enqueue(OwnerKind.WORK, [id], Step.FINGERPRINT)
    return change_result(work, AuditLine(f"work:{id}", editable_details(before), editable_details(work)))


def require_work(acting: Acting, id: str) -> Work:
    """Return the work. Raises `NotFound` if it is unknown or removed."""
    work = acting.product.store.works.get(id)
    if work.removed_at is not None:
        raise NotFound("store.no_work", id=id)
    return work


def parse_details(written: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """Parse texts into fields of `Work`. Raises `BadInput` that names the field.

    now: the latest allowed publication day.
    """
    values = {}
    for name, text in written.items():
        if name not in EDITABLE_FIELDS:
            raise BadInput("works.no_field", field=name, choices=", ".join(EDITABLE_FIELDS))
        try:
            values[name] = parse_field(name, text)
            if name == "published_at":
                reject_future_publication(values[name], now)
        except BadInput as error:
            raise BadInput("works.bad_field", field=name, reason=error.message) from None
    return values


def editable_details(work: Work) -> Mapping[str, object]:
    """Return the fields that users may edit."""
    return {name: getattr(work, name) for name in EDITABLE_FIELDS}


def format_details(work: Work) -> dict[str, str]:
    """Return the metadata as texts that `parse_details` accepts."""
    formatted = {name: "" if value is None else str(value) for name, value in editable_details(work).items()}
    return formatted | {"published_at": _format_local_time(work.published_at)}


def _format_local_time(moment: datetime | None) -> str:
    """Format a time in China as `parse_publication_time` accepts it."""
    if moment is None:
        return ""
    day = day_or_moment(moment)
    return day.astimezone(CHINA).replace(tzinfo=None).isoformat(sep=" ") if isinstance(day, datetime) else str(day)


# Merge of duplicate works: cases, licences and exclusions move to the remaining work.


@audited("work.merge")
def merge_works(acting: Acting, double: str, into: str) -> ChangeResult[int]:
    """Merge the work `double` into the work `into`, and return the number of moved cases.

    Cases keep their numbers, history and decisions. Metadata that only the duplicate has is copied. The copies of the
    remaining work are searched again. If a page has cases of both works, one that nobody has judged is dismissed.
    Later imports of the duplicate change nothing.

    Raises `NotFound`, and `BadInput` if both are the same work.
    """
    acting.require(Right.WORKS)
    if double == into:
        raise BadInput("works.merged_with_itself")
    product = acting.product
    store, remaining, duplicate = product.store, require_work(acting, into), require_work(acting, double)
    lacking = {
        name: value for name, value in editable_details(duplicate).items() if value and not getattr(remaining, name)
    }
    work = store.works.edit(into, lacking) if lacking else remaining
    moved = store.cases.move_to(work, double)
    dismissed = store.cases.dismiss_twins(work, double, by=acting.who, moment=product.now())
    store.cases.set_work_title(double, work.title)  # of twins that stay
    store.exclusions.move(f"work:{double}", f"work:{into}")
    store.licences.move(double, into)
    _remove_merged_work(product, double, into)
    if store.works.restart(into, Step.LOOK_UP, only_from={Step.DONE}):
        product.enqueue(OwnerKind.WORK, into, Step.LOOK_UP)
    description = f"{duplicate.title}; cases {moved}, dismissed twins {dismissed}"
    return change_result(
        moved,
        AuditLine(f"work:{into}", new=f"{double}: {description}"),
        AuditLine(f"work:{double}", old=duplicate.title, new=into),
    )


def find_works_of_same_text(product: Product, work: Work) -> list[Work]:
    """Return the other works with the text of this one."""
    same = [id for _, _, id in product.store.works.find_same_texts([work.text_digest]) if id != work.id]
    return list(product.store.works.many(same).values())


def find_duplicate_works(product: Product, work: Work, most: int = 10) -> list[Work]:
    """Return possible duplicates: works with the same text, and works whose metadata contains the words of the
    title.
    """
    duplicates = [*find_works_of_same_text(product, work), *product.store.works.find(query=work.title, limit=most)]
    return list({duplicate.id: duplicate for duplicate in duplicates if duplicate.id != work.id}.values())[:most]


def _remove_merged_work(product: Product, id: str, into: str) -> None:
    product.store.works.remove(id, merged_into=into)
    product.store.fingerprints.replace(OwnerKind.WORK, id, [])
    product.enqueue(OwnerKind.WORK, id, Step.REMOVE)


_MAX_CANDIDATES: Final = 200  # matching works that are loaded at most
_MAX_NAMED: Final = 8  # matching works that the error names
MAX_SUGGESTIONS: Final = 12  # works that a picker offers


def find_named_work(product: Product, reference: str) -> Work:
    """Return the work with this id or title, or with this unique prefix of either. Removed works match by their id
    only.

    Raises NotFound if none matches, and BadInput with the candidates if several do.
    """
    works = product.store.works
    if known := works.many([reference]).get(reference):
        return known
    candidates = works.find(query=reference, limit=_MAX_CANDIDATES)
    fitting = [work for work in candidates if simplify(work.title) == simplify(reference)] or [
        work for work in candidates if _has_prefix(work, reference)
    ]
    if len(fitting) > 1:
        named = "; ".join(f"{work.id} {work.title}" for work in fitting[:_MAX_NAMED])
        raise BadInput("works.several", given=reference, count=len(fitting), named=named)
    return fitting[0] if fitting else works.get(reference)


def suggest_works(product: Product, typed: str) -> list[Work]:
    """Return works that have these words in title, author or id. Those whose title begins with them come first."""
    works_found = product.store.works.find(query=typed, limit=_MAX_CANDIDATES) if typed.strip() else []
    return sorted(works_found, key=lambda work: (work.title != typed, not _has_prefix(work, typed)))[:MAX_SUGGESTIONS]


def _has_prefix(work: Work, prefix: str) -> bool:
    return work.id.startswith(prefix) or simplify(work.title).startswith(simplify(prefix))
