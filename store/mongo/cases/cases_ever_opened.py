"""How many cases were ever opened of each work: a bound for what stands there now.

To group all cases by their work costs more than everything else on a screen, as there are nearly as many works as
cases. A case stays with its work and is never deleted, so no more of them can stand in any list than were opened; who
looks for the most copied works counts the cases of the first few here, and is done when those that follow cannot have
more. Decisions change nothing here, and a number that is too high, as after a crash, costs time and no exactness.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document
from store.mongo.engine.table import BATCH, Declared, Table, index

TALLIES: Final = Declared(
    name="tallies",
    schema={
        "bsonType": "object",
        "required": ["_id", "opened"],
        "properties": {"_id": {"bsonType": "string"}, "opened": {"bsonType": ["int", "long"]}},
    },
    indexes=(index("-opened", "_id"),),
)


class Tallies:
    """Numbers by the id of the work."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, TALLIES, address)

    def count_new(self, cases: Mapping[str, int]) -> None:
        """Count cases that are about to be opened: before they are there, so that no number is ever too low."""
        try:
            self.add_all(cases)
        except Conflict:  # two first cases at once: the other one made the number
            self.add_all(cases)

    def add_all(self, cases: Mapping[str, int]) -> None:
        """Count cases that are there."""
        writes = [self.table.upserting({"_id": id}, {"$inc": {"opened": count}}) for id, count in cases.items()]
        for at in range(0, len(writes), BATCH):
            self.table.write_all(writes[at : at + BATCH])

    def batches(self, size: int) -> Iterator[tuple[list[str], int]]:
        """Yield works, those with most cases first; beside them how many cases none of those after them exceeds."""
        at = 0
        while found := self.table.some({}, sort=[("opened", -1), ("_id", 1)], skip=at, limit=size):
            yield [one["_id"] for one in found], found[-1]["opened"]
            at += size
