"""Import works from files and folders, and edit their metadata through CSV files."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from matcher.model import is_too_short
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Language, NotFound
from wenhen.kit.rights import Right
from wenhen.steps.problems import IMPORT
from wenhen.works.importers.csv_rows import RefusedLine, chinese_heading, decode_csv, read_csv_lines
from wenhen.works.importers.drafts import UPLOAD_PREFIX, ImportItem, Refused
from wenhen.works.importers.path_reader import read_paths, read_uploaded_file, refuse_duplicate_ids
from wenhen.works.model import EDITABLE_FIELDS, Work, WorkDraft
from wenhen.works.service import (
    MAX_BATCH_WORKS,
    batch_drafts,
    edit_work,
    find_same_text_works,
    format_details,
    parse_details,
    reject_future_publication,
    require_work,
    store_works,
)

# Works are imported in batches. Each rejected one is recorded with a reason.


ProgressCallback = Callable[[int, int], None]
_MAX_SUBJECT_CHARACTERS: Final = 500  # characters of the subject of an audit line
_MAX_UNKNOWN_NAMES: Final = 50  # distinct names of fields that no work has
_FURTHER_NAMES: Final = "…"


class ImportCounts(NamedTuple):
    """The numbers of works in an import by outcome."""

    new: int
    changed: int
    unchanged: int
    refused: int

    @property
    def accepted_count(self) -> int:
        """Return the number of works that were not rejected."""
        return self.new + self.changed + self.unchanged


@dataclass(slots=True)
class ImportedWorks:
    """The result of an import, with work ids."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    short: list[str] = field(default_factory=list)  # accepted works that are too short to tell a copy from a quotation
    same_text: list[tuple[str, str]] = field(default_factory=list)  # new works, each with an earlier one of its text
    unknown_fields: dict[str, int] = field(default_factory=dict)  # how many accepted works have a field of this name

    def counts(self) -> ImportCounts:
        """Return the numbers by outcome."""
        return ImportCounts(len(self.new), len(self.changed), len(self.unchanged), len(self.refused))

    def count_unknown(self, counts: Mapping[str, int]) -> None:
        """Count fields that no work has. Names beyond `_MAX_UNKNOWN_NAMES` are counted together."""
        known = self.unknown_fields
        for name, count in counts.items():
            counted = name if name in known or len(known) < _MAX_UNKNOWN_NAMES else _FURTHER_NAMES
            known[counted] = known.get(counted, 0) + count


def import_paths(
    acting: Acting, paths: Sequence[Path], *, owner: str | None = None, progress: ProgressCallback | None = None
) -> ImportedWorks:
    """Import all works in these files and folders.

    owner: rights holder of works without one.
    """
    return import_items(acting, " ".join(map(str, paths)), read_paths(paths), owner=owner, progress=progress)


def import_upload(
    acting: Acting, name: str, content: bytes, *, owner: str | None = None, progress: ProgressCallback | None = None
) -> ImportedWorks:
    """Import the works in an uploaded file. A file with the same name creates new versions."""
    began = acting.product.now()
    done = import_items(acting, name, read_upload(name, content), owner=owner, progress=progress)
    acting.product.store.problems.clear_below(IMPORT, f"{UPLOAD_PREFIX}{name}", began)
    return name_upload(done)


def read_upload(name: str, content: bytes) -> Iterator[ImportItem]:
    """Yield the works in an uploaded file. Their ids differ from those of local files."""
    return refuse_duplicate_ids(read_uploaded_file(content, f"{UPLOAD_PREFIX}{name}"))


def name_upload(done: ImportedWorks) -> ImportedWorks:
    """Return the result with rejected files under their original name."""
    return replace(
        done, refused=[replace(refusal, what=refusal.what.removeprefix(UPLOAD_PREFIX)) for refusal in done.refused]
    )


@audited("work.import")
def import_items(
    acting: Acting,
    name: str,
    items: Iterable[ImportItem],
    *,
    owner: str | None = None,
    progress: ProgressCallback | None = None,
) -> ChangeResult[ImportedWorks]:
    """Import items in batches. Rejected items are recorded with a reason and shown to operators.

    name: the source, for the audit log.
    progress: called with the number of processed items, as done and as total.
    """
    acting.require(Right.WORKS)
    began = acting.product.now()
    done = store_items(
        acting.product,
        items,
        lambda draft: draft if draft.owner or not owner else replace(draft, owner=owner),
        progress=progress,
    )
    acting.product.store.problems.clear_below(IMPORT, name, began)  # what was refused before, and is mended or gone
    return change_result(done, import_audit_line(name, done))


def store_items(
    product: Product,
    items: Iterable[ImportItem],
    complete: Callable[[WorkDraft], WorkDraft],
    *,
    progress: ProgressCallback | None = None,
) -> ImportedWorks:
    """Store items in batches, and record rejected ones.

    complete: adds metadata that the file does not give.
    """
    done = ImportedWorks()

    def drafts() -> Iterable[WorkDraft]:
        for draft in items:
            if isinstance(draft, Refused):
                _record_refusals(product, done, draft)
                continue
            try:
                reject_future_publication(draft.published_at, product.now())
            except BadInput as error:
                _record_refusals(product, done, Refused.by(error, f"{draft.origin}: {draft.title}"))
                continue
            yield complete(draft)

    for batch in batch_drafts(drafts()):
        _import_batch(product, batch, done)
        if progress:
            count = sum(done.counts())
            progress(count, count)
    return done


def import_audit_line(name: str, done: ImportedWorks) -> AuditLine:
    """Return the audit line of an import."""
    counts = ", ".join(f"{outcome} {count}" for outcome, count in done.counts()._asdict().items())
    return AuditLine(f"file:{name}"[:_MAX_SUBJECT_CHARACTERS], new=counts)


def _import_batch(product: Product, drafts: Sequence[WorkDraft], done: ImportedWorks) -> None:
    """Store a batch. If this fails, store each work separately, so that only the invalid one is rejected."""
    try:
        outcomes = store_works(product, drafts)
    except BadInput as error:
        if len(drafts) == 1:
            _record_refusals(product, done, Refused.by(error, drafts[0].origin or drafts[0].id))
            return
        for draft in drafts:
            _import_batch(product, [draft], done)
        return
    done.same_text += find_same_text_works(
        product, [draft for draft, (id, outcome) in zip(drafts, outcomes, strict=True) if outcome == "new"]
    ).items()
    for draft, (id, outcome) in zip(drafts, outcomes, strict=True):
        getattr(done, outcome).append(id)
        done.count_unknown(dict.fromkeys(draft.unknown_fields, 1))
        if is_too_short(draft.text, draft.shortest_passage or product.settings.matcher.shortest_passage):
            done.short.append(id)


def _record_refusals(product: Product, done: ImportedWorks, refused: Refused) -> None:
    done.refused.append(refused)
    product.store.problems.put(IMPORT, refused.what, refused.reason, product.now(), kind=refused.kind)


# Metadata of works as CSV: exported, edited in a spreadsheet, and imported by line.


DETAIL_COLUMNS: Final = ("id", *EDITABLE_FIELDS)
CLEAR_CELL: Final = "-"  # a cell that clears a field; an empty cell keeps it


class EditedLine(NamedTuple):
    """A line that changes a work, with the old and new text by field."""

    line: int
    id: str
    title: str  # before the change
    changes: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EditedWorks:
    """The changes of a CSV file, and its rejected lines. Other lines change nothing."""

    edited: tuple[EditedLine, ...]
    refused: tuple[RefusedLine, ...]


def export_details_csv(works: Iterable[Work], language: Language = "en") -> bytes:
    """Return the metadata of works as CSV, with a byte order mark so that Excel reads UTF-8.

    language: of the headings. `edit_works_csv` reads both.
    """
    text = StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(DETAIL_COLUMNS if language == "en" else [chinese_heading(name) for name in DETAIL_COLUMNS])
    for work in works:
        formatted = format_details(work)
        rows.writerow((work.id, *(formatted[name] for name in EDITABLE_FIELDS)))
    return text.getvalue().encode("utf-8-sig")


def edit_works_csv(acting: Acting, content: bytes, *, preview: bool = False) -> EditedWorks:
    """Apply a CSV file with metadata to works by id. Invalid lines are rejected, and the others are applied.

    An empty cell keeps a field, and `CLEAR_CELL` clears it.

    preview: return the changes without applying them.

    Raises `BadInput` for a bad first line and for a file that is no text.
    """
    acting.require(Right.DETAILS)
    edited: list[EditedLine] = []
    refused: list[RefusedLine] = []
    lines = read_csv_lines(decode_csv(content), DETAIL_COLUMNS, needed=["id"])
    while rows := list(islice(lines, MAX_BATCH_WORKS)):
        ids = {row.written["id"].strip() for row in rows if not isinstance(row, RefusedLine)}
        known = acting.product.store.works.many(ids).keys()
        for row in rows:
            if isinstance(row, RefusedLine):
                refused.append(row)
                continue
            try:
                if line := _edit_csv_line(acting, row.line, row.written, known, preview=preview):
                    edited.append(line)
            except (BadInput, NotFound) as error:
                refused.append(RefusedLine(row.line, error.message, row.row))
    return EditedWorks(tuple(edited), tuple(refused))


def _edit_csv_line(
    acting: Acting, line: int, row: Mapping[str, str], known: Collection[str], *, preview: bool
) -> EditedLine | None:
    """Apply a line. known: the ids of works that exist, so that a table of unknown ones asks few questions."""
    id = row["id"].strip()
    if id not in known:
        raise NotFound("store.no_work", id=id)
    before = require_work(acting, id)
    filled = {name: cell.strip() for name, cell in row.items() if name != "id" and cell.strip()}
    wanted = {name: "" if cell == CLEAR_CELL else cell for name, cell in filled.items()}
    new = {
        name: value
        for name, value in parse_details(wanted, acting.product.now()).items()
        if value != getattr(before, name)
    }
    if not new:
        return None
    old, wanted = format_details(before), {name: wanted[name] for name in new}
    if not preview:
        edit_work(acting, before.id, wanted)
    return EditedLine(line, before.id, before.title, {name: (old[name], text) for name, text in wanted.items()})
