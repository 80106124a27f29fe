"""What people say to each other about a case."""

from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from store.errors import BadInput, NotFound
from store.records import Comment
from store.rules.role_rights import Right

COMMENT_LENGTH: Final = 5_000


@audited("case.comment")
def comment(acting: Acting, number: int, text: str) -> Changed[Comment]:
    """Say something about a case. BadInput for nothing, NotFound, Forbidden."""
    acting.require(Right.COMMENT)
    text = text.strip()[:COMMENT_LENGTH]
    if not text:
        raise BadInput("cases.empty_comment")
    store = acting.product.store
    if number not in store.cases.many([number]):
        raise NotFound("cases.no_number", number=number)
    written = store.comments.add(number, by=acting.who, text=text, at=acting.product.now())
    return changed(written, Line(f"case:{number}", new={"comment": text}))
