"""Give people who are held to rights holders a store that has the records of those holders alone.

Nothing is there unless it is named here: a repository or method that this file does not offer is `Forbidden`. Queries
are narrowed in the tables, below the repositories. So counts, pages of lists and changes are narrowed like the records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast

from wenhen.kit.errors import Forbidden, NotFound
from wenhen.kit.mongo.codec import Document
from wenhen.kit.mongo.table import JOURNALED, Sort, Table
from wenhen.kit.progress import Owner, OwnerKind

if TYPE_CHECKING:
    from pymongo import WriteConcern

    from matcher.phrases.phrase_index import PhraseIndex
    from wenhen.accounts.model import User
    from wenhen.analysis.model import CopyCount
    from wenhen.audit.model import AuditEntry
    from wenhen.cases.model import Amount, Case, Comment
    from wenhen.context.store_and_queue import Store
    from wenhen.context.use_cases import Product
    from wenhen.licences.model import Licence

ProductT = TypeVar("ProductT", bound="Product")
RepositoryT = TypeVar("RepositoryT")
_WIDER: Final = 20  # times as much is searched, because hits of others are left out
_MASK: Final = "＊"  # in place of characters that a page shares with works of others
_OWN_ACCOUNT: Final = frozenset(  # repositories of the own account, which hold nothing of any holder
    ("filters", "guesses", "password_links", "preferences", "sessions", "tokens", "platforms")
)


def hold_product(product: ProductT, user: User) -> ProductT:
    """Return the product as a person sees it who is held to rights holders."""
    store = ScopedStore(product.store, user)
    phrases = Only(exists=product.phrases.exists, holding=partial(store.filter_owners, product.phrases.holding))
    return replace(product, store=cast("Store", store), phrases=cast("PhraseIndex", phrases))


def _refuse(*_: object, **__: object) -> NoReturn:
    raise Forbidden("people.held")


class ScopedTable(Table):
    """A table of which only the documents within a scope are there. Nothing can be added.

    scope: returns the filter. seen: called with each document that was read, which it may change.
    """

    def __init__(
        self, table: Table, scope: Callable[[], Document], seen: Callable[[Document], None] = lambda _: None
    ) -> None:
        vars(self).update(vars(table), scope=scope, seen=seen)

    scope: Callable[[], Document]
    seen: Callable[[Document], None]

    def _within(self, filter: Document) -> Document:
        return {"$and": [filter, self.scope()]}

    def one(self, filter: Document, *, fields: Document | None = None) -> Document | None:
        document = super().one(self._within(filter), fields=fields)
        if document is not None:
            self.seen(document)
        return document

    def some(
        self,
        filter: Document,
        *,
        sort: Sort | None = None,
        skip: int = 0,
        limit: int = 0,
        fields: Document | None = None,
        hint: str | None = None,  # noqa: ARG002  indexes are chosen for the whole table
    ) -> list[Document]:
        documents = super().some(self._within(filter), sort=sort, skip=skip, limit=limit, fields=fields)
        for document in documents:
            self.seen(document)
        return documents

    def count(self, filter: Document, *, hint: str | None = None, most: int | None = None) -> int:  # noqa: ARG002  as above
        return super().count(self._within(filter), most=most)

    def estimate(self) -> int:
        return self.count({})

    def aggregate(self, pipeline: Sequence[Mapping[str, Any]], *, hint: str | None = None) -> list[Document]:  # noqa: ARG002  as above
        return super().aggregate([{"$match": self.scope()}, *pipeline])

    def update(self, filter: Document, change: Document, *, upsert: bool = False) -> bool:
        return _refuse() if upsert else super().update(self._within(filter), change)

    def update_all(self, filter: Document, change: Document | list[Document]) -> int:
        return super().update_all(self._within(filter), change)

    def find_and_change(
        self,
        filter: Document,
        change: Document | list[Document],
        *,
        upsert: bool = False,
        before: bool = False,
        concern: WriteConcern = JOURNALED,
    ) -> Document | None:
        if upsert:
            _refuse()
        document = super().find_and_change(self._within(filter), change, before=before, concern=concern)
        if document is not None:
            self.seen(document)
        return document

    def delete(self, filter: Document) -> int:
        return super().delete(self._within(filter))

    insert = add_all = insert_while_free = put = put_all = upsert_of = write_all = prepare = _refuse


class Only:
    """A repository of which these methods alone may be called."""

    def __init__(self, **methods: Callable[..., object]) -> None:
        vars(self).update(methods)

    def __getattr__(self, name: str) -> Any:
        _refuse(name)


def _with_parts(repository: RepositoryT, **parts: object) -> RepositoryT:
    """Return a copy of a repository with other tables."""
    made = copy(repository)
    vars(made).update(parts)
    return made


class ScopedStore:
    """The store of one request of a person who is held to rights holders.

    Their works are those whose owner is one of the holders, and their cases are those of their works. Texts and pages
    are there once a work or case was read that names them. Of a page that also copies works of others, the passages of
    those are masked.
    """

    def __init__(self, store: Store, user: User) -> None:
        self._whole, self._user, self._holders = store, user, list(user.holders)
        self._texts: set[str] = set()  # digests of texts of their works
        self._pages: set[str] = set()  # ids of pages with a case of theirs
        self._pages_by_text: dict[str, set[str]] = {}
        own_works = ScopedTable(store.works.table, lambda: {"owner": {"$in": self._holders}}, self._see_work)
        self.works = _with_parts(store.works, table=own_works)
        tallies = _with_parts(
            store.cases.tallies, table=ScopedTable(store.cases.tallies.table, lambda: self._among("_id"))
        )
        own_cases = ScopedTable(store.cases.table, lambda: self._among("work_id"), self._see_case)
        self.cases = _with_parts(store.cases, table=own_cases, tallies=tallies, _works=own_works)
        self.holders = _with_parts(
            store.holders, table=ScopedTable(store.holders.table, lambda: {"_id": {"$in": self._holders}})
        )
        self.notices = _with_parts(
            store.notices, table=ScopedTable(store.notices.table, lambda: {"holder": {"$in": self._holders}})
        )
        pages = ScopedTable(store.pages.table, lambda: {"_id": {"$in": list(self._pages)}})
        captures = ScopedTable(store.pages.captures_table, lambda: {"page_id": {"$in": list(self._pages)}})
        self.pages = _with_parts(store.pages, table=pages, captures_table=captures)
        self._offer_the_rest(store)

    def _offer_the_rest(self, store: Store) -> None:
        """Offer the methods that screens of cases, works and notices call. What tells of others is empty."""
        self.alerts = Only(unseen=lambda _: 0, rules=store.alerts.rules, offer=store.alerts.offer)
        self.amounts = Only(of_case=self._amounts, add=store.amounts.add, remove=store.amounts.remove)
        self.audit = Only(add_all=store.audit.add_all, find=self._own_entries)
        self.blobs = Only(get=self._no_content, get_text=self._text, get_texts=self._texts_of, texts_there=self._there)
        self.comments = Only(
            of_case=self._comments, add=store.comments.add, change=store.comments.change, search=self._find_comments
        )
        self.discoveries = Only(of_case=lambda _: [])
        self.exclusions = Only(find_covering=lambda _: [], latest=lambda _: [])
        self.exhibits = Only(of_case=lambda *_: [], receipts_of=lambda _: {})
        self.figures = Only(of_works=self._copies)
        self.fingerprints = Only(of=self._fingerprints)
        self.licences = Only(all=self._licences)
        self.marked_texts = Only(statements=lambda _: {})
        self.marks = Only(get=store.marks.get)
        self.mirrors = Only(mains=dict)
        self.regional_captures = Only(of_page=lambda *_: [], of_pages=lambda _: {})
        self.replies = Only(find_waiting=lambda _=0: [])
        self.sites = Only(all=list, get=self._no_site)
        self.stamps = Only(many=lambda _: {})
        self.users = Only(all=self._people, get=store.users.get, change=self._change_user)

    def __getattr__(self, name: str) -> Any:
        if name in _OWN_ACCOUNT:
            return getattr(self._whole, name)
        return _refuse(name)

    @cached_property
    def _work_ids(self) -> frozenset[str]:
        whole = self._whole.works.table
        return frozenset(
            document["_id"] for document in whole.some({"owner": {"$in": self._holders}}, fields={"_id": 1})
        )

    @cached_property
    def _works_with_cases(self) -> list[str]:
        return self._whole.cases.tallies.with_cases(list(self._work_ids))

    def _among(self, field: str) -> Document:
        return {field: {"$in": self._works_with_cases}}

    def _see_work(self, work: Document) -> None:
        """Remember the texts of a work."""
        self._texts |= {
            version["text_digest"] for version in (work, *work.get("versions", ())) if "text_digest" in version
        }

    def _see_case(self, case: Document) -> None:
        """Remember the texts and the page of a case, and leave out what it tells of works of others."""
        if page := case.get("page_id"):
            self._pages.add(page)
            if digest := case.get("page_text_digest"):
                self._pages_by_text.setdefault(digest, set()).add(page)
        if digest := case.get("work_text_digest"):
            self._texts.add(digest)
        for match in filter(None, (case.get("match"), case.get("found"))):
            if match.get("also_in"):
                match["also_in"] = [id for id in match["also_in"] if id in self._work_ids]
            for common in match.get("common") or ():
                common["text_id"] = common["title"] = None

    def _text(self, digest: str) -> str:
        """Return a text that a work or case named, with the passages of others masked. Raises `NotFound`."""
        if digest in self._texts:
            return self._whole.blobs.get_text(digest)
        if digest not in self._pages_by_text:
            self._no_content(digest)
        text, pages = self._whole.blobs.get_text(digest), self._pages_by_text[digest]
        cases = [case for of_page in self._whole.cases.of_pages(pages).values() for case in of_page]
        others = [case for case in cases if case.work_id not in self._work_ids]
        if not others:
            return text
        own = [case for case in cases if case.work_id in self._work_ids and case.page_text_digest == digest]
        # Passages in another text of the page have other places, so all but the own passages is masked.
        known = all(case.page_text_digest == digest for case in others)
        hidden = bytearray(len(text)) if known else bytearray(b"\1" * len(text))
        _mark_spans(hidden, others if known else (), 1)
        _mark_spans(hidden, own, 0)
        return "".join(
            _MASK if masked and not letter.isspace() else letter for letter, masked in zip(text, hidden, strict=True)
        )

    def _texts_of(self, digests: Collection[str]) -> dict[str, str]:
        return {digest: self._text(digest) for digest in set(digests)}

    def _there(self, digests: Collection[str]) -> dict[str, str]:
        there = self._whole.blobs.texts_there({d for d in digests if d in self._texts or d in self._pages_by_text})
        return self._texts_of(there)

    def _no_content(self, digest: str) -> NoReturn:
        """Captures as they were fetched hold the passages of others."""
        raise NotFound("store.no_content", digest=digest)

    def _no_site(self, id: str) -> NoReturn:
        raise NotFound("store.no_site", id=id)

    def _amounts(self, number: int) -> list[Amount]:
        return self._whole.amounts.of_case(number) if self._has_case(number) else []

    def _comments(self, number: int, *, limit: int = 200) -> list[Comment]:
        return self._whole.comments.of_case(number, limit=limit) if self._has_case(number) else []

    def _find_comments(self, query: str, limit: int) -> list[Comment]:
        found = self._whole.comments.search(query, limit * _WIDER)
        own = self.cases.many({comment.case_number for comment in found})
        return [comment for comment in found if comment.case_number in own][:limit]

    def filter_owners(self, holding: Callable[[Any, int], list[str]], grams: object, limit: int) -> list[str]:
        """Return the owners of texts that hold a phrase: their works, and pages with a case of theirs."""
        owners = [Owner.parse(owner) for owner in holding(grams, limit * _WIDER)]
        pages = self.cases.of_pages([owner.id for owner in owners if owner.kind is OwnerKind.PAGE])
        own = {OwnerKind.PAGE: pages.keys(), OwnerKind.WORK: self._work_ids}
        return [str(owner) for owner in owners if owner.id in own[owner.kind]][:limit]

    def _has_case(self, number: int) -> bool:
        return self.cases.count(numbers=[number]) > 0

    def _copies(self, ids: Collection[str]) -> Mapping[str, CopyCount]:
        return self._whole.figures.of_works(self._work_ids.intersection(ids))

    def _fingerprints(self, kind: Any, id: str) -> Iterable[object]:
        return self._whole.fingerprints.of(kind, id) if id in self._work_ids else ()

    def _licences(self) -> list[Licence]:
        return [
            licence
            for licence in self._whole.licences.all()
            if licence.work_id in (None, *self._work_ids) and licence.holder in (None, *self._holders)
        ]

    def _own_entries(self, *, who: str, **where: Any) -> list[AuditEntry]:
        return self._whole.audit.find(who=who, **where) if who == self._user.name else []

    def _people(self) -> list[User]:
        """Return the people of the house, and those who see no other holder."""
        return [user for user in self._whole.users.all() if set(user.holders) <= set(self._holders)]

    def _change_user(self, id: str, values: Mapping[str, object]) -> User:
        return self._whole.users.change(id, values) if id == self._user.id else _refuse()


def _mark_spans(hidden: bytearray, cases: Iterable[Case], value: int) -> None:
    """Mark the passages of cases in the text of their page."""
    for case in cases:
        for match in filter(None, (case.match, case.found)):
            passages = [*match.passages, *(common.passage for common in match.common if value)]
            spans = [(passage.page_start, passage.page_end) for passage in passages]
            for start, end in [*spans, *((sentence.page_start, sentence.page_end) for sentence in match.retold)]:
                hidden[start:end] = bytes([value]) * len(hidden[start:end])
