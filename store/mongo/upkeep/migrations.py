"""Documents of earlier forms brought into today's, by numbered changes, while the system works.

Each walks its collections by id, a batch at a time; a mark says how far it is, and whoever comes next goes on there. A
change fits documents of before alone, so that a batch may be done twice, or by two at once. Whatever reads a collection
has to read both forms until the migration is through: add a field or a form of reading first, migrate then, rely on it
in a later release.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pymongo.operations import UpdateOne

from store.mongo.engine.codec import Document
from store.mongo.engine.table import FORM, Table
from store.mongo.upkeep.packed_form_migration import NAME, PACKED, packing
from store.ports import Marks

BATCH: Final = 1000  # documents between two marks
READ: Final = 50  # documents that are read at a time; those of long texts have a quarter of a megabyte
MARK: Final = "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One change of form. collections: empty for all; before: which documents it is for; change: an update of each, or
    what makes one from the document.
    """

    number: int
    what: str
    before: Document
    change: Document | list[Document] | Callable[[Document], Document]
    collections: tuple[str, ...] = ()


MIGRATIONS: Final = (
    Migration(1, "every document says which form it has", {FORM: {"$exists": False}}, {"$set": {FORM: 1}}),
    Migration(
        2,
        "features are packed, and the id that is made from the rest of a fingerprint is left out",
        {FORM: {"$lt": PACKED}},
        packing,
        (NAME,),
    ),
)


class Migrations:
    """What is still to be done in these tables."""

    def __init__(self, tables: Sequence[Table], marks: Marks, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        self._tables: Mapping[str, Table] = {one.declared.name: one for one in tables if one.declared.form}
        self._marks = marks
        self._migrations = migrations

    def left(self) -> list[int]:
        """Return the numbers of those that are not through."""
        done, _, _ = self._place()
        return [one.number for one in self._migrations if one.number > done]

    def go_on(self, batches: int) -> int:
        """Do so many batches, or what is left; return how many documents were looked at."""
        looked_at = 0
        for _ in range(batches):
            if not self.left():
                break
            looked_at += self._batch()
        return looked_at

    def _batch(self) -> int:
        done, name, after = self._place()
        migration = next(one for one in self._migrations if one.number > done)
        names = sorted(migration.collections or self._tables)
        name = name or names[0]
        table = self._tables[name]
        which: Document = {} if after is None else {"_id": {"$gt": after}}
        ids = [one["_id"] for one in table.some(which, sort=[("_id", 1)], limit=BATCH, fields={"_id": 1})]
        if ids:
            _change(table, migration, ids)
            self._mark(done, name, ids[-1])
        elif name != names[-1]:
            self._mark(done, names[names.index(name) + 1], None)
        else:
            self._mark(migration.number, "", None)
        return len(ids)

    def _place(self) -> tuple[int, str, object]:
        mark = self._marks.get(MARK) or {}
        done = mark.get("done", 0)
        assert isinstance(done, int)
        return done, str(mark.get("collection", "")), mark.get("after")

    def _mark(self, done: int, name: str, after: object) -> None:
        self._marks.set(MARK, {"done": done, "collection": name, "after": after})


def _change(table: Table, migration: Migration, ids: Sequence[object]) -> None:
    change = migration.change
    if not callable(change):
        table.update_all({**migration.before, "_id": {"$in": ids}}, change)
        return
    for start in range(0, len(ids), READ):
        found = table.some({**migration.before, "_id": {"$in": ids[start : start + READ]}})
        table.write_all([UpdateOne({"_id": one["_id"], **migration.before}, change(one)) for one in found])
