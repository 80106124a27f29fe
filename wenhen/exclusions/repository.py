"""Store the exclusions of users."""

from collections.abc import Collection

from wenhen.exclusions.model import Exclusion
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import from_document, schema_of, to_document
from wenhen.kit.mongo.table import RecordsById, TableSpec, field_index

EXCLUSIONS = TableSpec(
    name="exclusions", schema=schema_of(Exclusion), indexes=(field_index("covers"), field_index("at"))
)


class Exclusions(RecordsById[Exclusion]):
    """Exclusions by id, in MongoDB."""

    declared = EXCLUSIONS
    record_type = Exclusion
    unknown_code = "store.no_exclusion"

    def add(self, exclusion: Exclusion) -> None:
        """Raises Conflict if it exists."""
        self.table.insert(to_document(exclusion))

    def remove(self, id: str) -> None:
        """Raises NotFound."""
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_exclusion", id=id)

    def all(self) -> list[Exclusion]:
        return self._read_some({}, sort=[("_id", 1)])

    def latest(self, most: int) -> list[Exclusion]:
        """Return the latest exclusions, the newest first."""
        return self._read_some({}, sort=[("at", -1)], limit=most)

    def move(self, place: str, to: str) -> None:
        """Replace a key by another in all exclusions that cover it."""
        self.table.update_all({"covers": place}, {"$addToSet": {"covers": to}})
        self.table.update_all({"covers": place}, {"$pull": {"covers": place}})

    def find_covering(self, places: Collection[str]) -> list[Exclusion]:
        """Return exclusions that cover any of these keys (`wenhen.exclusions.model.case_places`), the oldest first."""
        documents = self.table.some({"covers": {"$in": list(places)}})
        return sorted(
            (from_document(Exclusion, document) for document in documents),
            key=lambda exclusion: (exclusion.at, exclusion.id),
        )
