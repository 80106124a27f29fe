"""Works imported from files and folders: taken in batches, and each that is refused noted with its reason."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from matcher.verdict.shortest_protected_work import is_short
from pipeline.library.bulk_load import batches
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.importing.drafts_and_refusals import Found, Refused
from services.importing.read_paths import distinct, read_paths, read_sent
from services.library.not_to_come import not_to_come
from services.library.put_and_remove import store_works
from store.errors import BadInput
from store.records import WorkDraft
from store.records.upkeep.problem import IMPORT
from store.rules.role_rights import Right

Progress = Callable[[int, int], None]
_LONGEST: Final = 500  # characters of the audit log's subject
_UPLOADS: Final = "upload/"  # before the name of a file that was sent, in the origin of its works


class Counts(NamedTuple):
    """How many works an import brought."""

    new: int
    changed: int
    unchanged: int
    refused: int

    @property
    def taken(self) -> int:
        """Those that were not refused."""
        return self.new + self.changed + self.unchanged


@dataclass(slots=True)
class ImportedWorks:
    """What an import did, by work id."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    short: list[str] = field(default_factory=list)  # of those taken, in which no copy can be told from a quotation

    def counts(self) -> Counts:
        """How many of each."""
        return Counts(len(self.new), len(self.changed), len(self.unchanged), len(self.refused))


def import_paths(
    acting: Acting, paths: Sequence[Path], *, owner: str | None = None, progress: Progress | None = None
) -> ImportedWorks:
    """Import every work that these files and folders hold. owner: of works that name none."""
    return import_found(acting, " ".join(map(str, paths)), read_paths(paths), owner=owner, progress=progress)


def import_upload(
    acting: Acting, name: str, content: bytes, *, owner: str | None = None, progress: Progress | None = None
) -> ImportedWorks:
    """Import the works of one file that was sent; a file of the same name makes new versions of them."""
    found = distinct(read_sent(content, f"{_UPLOADS}{name}"))
    done = import_found(acting, name, found, owner=owner, progress=progress)
    return replace(done, refused=[replace(one, what=one.what.removeprefix(_UPLOADS)) for one in done.refused])


@audited("work.import")
def import_found(
    acting: Acting, name: str, founds: Iterable[Found], *, owner: str | None = None, progress: Progress | None = None
) -> Changed[ImportedWorks]:
    """Import what was found under this name, in batches; what is refused is noted with its reason, and shown to
    operators. progress: told how many are done.
    """
    acting.require(Right.WORKS)
    done = ImportedWorks()

    def drafts() -> Iterable[WorkDraft]:
        for found in founds:
            if isinstance(found, Refused):
                _refuse(acting.product, done, found)
                continue
            try:
                not_to_come(found.published_at, acting.product.now())
            except BadInput as error:
                _refuse(acting.product, done, Refused.by(error, f"{found.origin}: {found.title}"))
                continue
            yield found if found.owner or not owner else replace(found, owner=owner)

    for batch in batches(drafts()):
        _import_batch(acting.product, batch, done)
        if progress:
            count = sum(done.counts())
            progress(count, count)
    told = ", ".join(f"{outcome} {count}" for outcome, count in done.counts()._asdict().items())
    return changed(done, Line(f"file:{name}"[:_LONGEST], new=told))


def _import_batch(product: Product, drafts: Sequence[WorkDraft], done: ImportedWorks) -> None:
    """Where a batch cannot be stored, each work of it is tried alone, so that only the culprit is refused."""
    try:
        outcomes = store_works(product, drafts)
    except BadInput as error:
        if len(drafts) == 1:
            _refuse(product, done, Refused.by(error, drafts[0].origin or drafts[0].id))
            return
        for draft in drafts:
            _import_batch(product, [draft], done)
        return
    for draft, (id, outcome) in zip(drafts, outcomes, strict=True):
        getattr(done, outcome).append(id)
        if is_short(draft.text):
            done.short.append(id)


def _refuse(product: Product, done: ImportedWorks, refused: Refused) -> None:
    done.refused.append(refused)
    product.store.problems.put(IMPORT, refused.what, refused.reason, product.now(), kind=refused.kind)
