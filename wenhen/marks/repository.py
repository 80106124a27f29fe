"""Store marked texts, their copies, and what exhibits may say of them."""

from collections.abc import Collection

from wenhen.kit.mongo.codec import from_document, schema_of, to_document
from wenhen.kit.mongo.table import OpenDatabase, RecordsById, Table, TableSpec, field_index
from wenhen.marks.model import MarkedCopy, MarkedText, MarkStatement

TEXTS = TableSpec(name="marked_texts", schema=schema_of(MarkedText), indexes=(field_index("made_at"),))
COPIES = TableSpec(name="marked_copies", schema=schema_of(MarkedCopy), indexes=(field_index("text_id"),))
STATEMENTS = TableSpec(name="mark_statements", schema=schema_of(MarkStatement))


class MarkedTexts(RecordsById[MarkedText]):
    """Marked texts by id, and the copies of each."""

    declared = TEXTS
    record_type = MarkedText
    unknown_code = "marks.no_text"

    def __init__(self, database: OpenDatabase) -> None:
        super().__init__(database)
        self.copies_table = Table(database, COPIES)
        self.statements_table = Table(database, STATEMENTS)

    def all(self) -> list[MarkedText]:
        """Return all texts, newest first, without what is sealed."""
        found = self.table.some({}, sort=[("made_at", -1)], fields={"sealed": 0})
        return [from_document(MarkedText, {**document, "sealed": ""}) for document in found]

    def add(self, text: MarkedText) -> MarkedText:
        """Store a text unless it is there. Return the stored one, whose secret counts."""
        document = to_document(text)
        id = document.pop("_id")
        self.table.write_all([self.table.upsert_of({"_id": id}, {"$setOnInsert": document})])
        return self.get(id)

    def reseal(self, id: str, old: str, new: str) -> bool:
        """Replace what is sealed, unless it changed meanwhile."""
        return self.table.update({"_id": id, "sealed": old}, {"$set": {"sealed": new}})

    def put_copies(self, copies: list[MarkedCopy]) -> None:
        self.copies_table.put_all([to_document(copy) for copy in copies])

    def copies(self, text_id: str) -> list[MarkedCopy]:
        """Return the copies of a text by recipient."""
        found = self.copies_table.some({"text_id": text_id})
        return sorted((from_document(MarkedCopy, document) for document in found), key=lambda copy: copy.recipient)

    def put_statement(self, statement: MarkStatement) -> None:
        """Store what exhibits and reports of a case may say, in place of an earlier statement."""
        self.statements_table.put(to_document(statement))

    def drop_statement(self, number: int) -> bool:
        """Remove the statement of a case. Return whether there was one."""
        return self.statements_table.delete({"_id": str(number)}) > 0

    def statements(self, numbers: Collection[int]) -> dict[int, MarkStatement]:
        """Return the statements of these cases by their numbers."""
        found = self.statements_table.some({"_id": {"$in": [str(number) for number in numbers]}})
        return {int(document["_id"]): from_document(MarkStatement, document) for document in found}
