"""A second pair of eyes: who is unsure asks somebody, who finds the case until it is decided."""

from collections.abc import Sequence

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.cases.comments import COMMENT_LENGTH
from services.cases.decisions import MOST
from store.errors import BadInput
from store.rules.role_rights import Right


@audited("case.ask")
def ask(acting: Acting, numbers: Sequence[int], name: str, text: str | None = None) -> Changed[None]:
    """Ask somebody about cases, with a comment that names them. BadInput for a name that nobody has; Forbidden."""
    acting.require(Right.DECIDE)
    if len(numbers) > MOST:
        raise BadInput("cases.too_many", most=MOST, given=len(numbers))
    store, now = acting.product.store, acting.product.now()
    name = name.strip().removeprefix("@")
    known = next((user.name for user in store.users.all() if user.name.casefold() == name.casefold()), None)
    if known is None:
        raise BadInput("cases.nobody", name=name)
    asked = list(store.cases.many(numbers))
    store.cases.ask(asked, known, at=now)
    words = f"@{known} {(text or '').strip()}".strip()[:COMMENT_LENGTH]
    for number in asked:
        store.comments.add(number, by=acting.who, text=words, at=now)
    return changed(None, *(Line(f"case:{number}", new={"asked": known, "comment": words}) for number in asked))
