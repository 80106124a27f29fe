"""Comment on cases, and store the comments."""

import secrets
from datetime import datetime
from typing import Final

from pymongo.database import Database
from pymongo.operations import UpdateOne

from wenhen.cases.model import Comment
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Table, TableSpec, field_index
from wenhen.kit.rights import Right
from wenhen.kit.text import search_terms, term_conditions
from wenhen.product.context import Acting, AuditLine, ChangeResult, audited, change_result

MAX_COMMENT_CHARACTERS: Final = 5_000


@audited("case.comment")
def add_comment(acting: Acting, number: int, text: str) -> ChangeResult[Comment]:
    """Add a comment to a case. Raises `BadInput` for an empty text, `NotFound`, `Forbidden`."""
    acting.require(Right.COMMENT)
    text = text.strip()[:MAX_COMMENT_CHARACTERS]
    if not text:
        raise BadInput("cases.empty_comment")
    store = acting.product.store
    if number not in store.cases.many([number]):
        raise NotFound("cases.no_number", number=number)
    written = store.comments.add(number, by=acting.who, text=text, moment=acting.product.now())
    return change_result(written, AuditLine(f"case:{number}", new={"comment": text}))


COMMENTS = TableSpec(
    name="comments",
    schema=schema_of(Comment, terms={"bsonType": "array"}),  # search terms
    indexes=(field_index("case_number", "-at", "_id"), field_index("terms", "-at", "_id")),
)


class Comments:
    """Store comments by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COMMENTS, address)

    def complete_old(self) -> None:
        """Add search terms to comments of earlier versions. This is fast if there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [
                    UpdateOne({"_id": document["_id"]}, {"$set": {"terms": _comment_terms(document["text"])}})
                    for document in old
                ]
            )

    def add(self, case_number: int, *, by: str, text: str, moment: datetime) -> Comment:
        comment = Comment(
            id=secrets.token_hex(8), case_number=case_number, by=by, at=to_milliseconds(moment), text=text
        )
        self.table.insert(to_document(comment) | {"terms": _comment_terms(text)})
        return comment

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        """Return the newest comments of a case, oldest first."""
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in reversed(newest)]

    def search(self, query: str, limit: int) -> list[Comment]:
        """Return the comments that contain all words of the query, newest first."""
        conditions = term_conditions(query)
        if not conditions:
            return []
        documents = self.table.some({"$and": conditions}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in documents]


def _comment_terms(text: str) -> list[str]:
    return search_terms(text, most=len(text) * 2)  # no limit in effect
