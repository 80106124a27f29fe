"""What is left out of cases: passages, sources, blocks of text; of one case, or of all of its work or site."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.frame.context import acting, services
from services.cases import exclusions
from services.cases.decisions import NOTE_LENGTH
from services.cases.exclusions import LONGEST, Followed
from store.records import Excluded, Exclusion, ExclusionScope
from store.rules.role_rights import Right

blp = blueprint("exclusions", "What is left out of cases")

_PLACE = validate.Range(0, 2**53)

ExclusionOut = shown(Exclusion, leave_out=("letters", "covers"))


class ExclusionIn(Schema):
    """What is left out, of which cases, and why; `passage` needs `start` and `end`, `block` a `text`."""

    what = choice(Excluded, required=True)
    scope = choice(ExclusionScope, load_default=ExclusionScope.CASE)
    why = words(NOTE_LENGTH, least=1, required=True)
    start = fields.Integer(strict=True, validate=_PLACE, metadata={"description": "code point of the page's text"})
    end = fields.Integer(strict=True, validate=_PLACE, metadata={"description": "the first one that is not in it"})
    text = words(LONGEST, metadata={"description": "left out wherever it stands in the page or the work"})


class AlikeIn(Schema):
    """Something that was left out of another case."""

    like = words(100, least=1, required=True, metadata={"description": "the id of that exclusion"})
    scope = choice(ExclusionScope, load_default=ExclusionScope.CASE)


class FollowedOut(Schema):
    """The exclusion, and in how many cases the figures followed."""

    exclusion = fields.Nested(ExclusionOut, required=True)
    cases = fields.Integer(required=True)


@blp.get("/cases/<int:number>/exclusions")
@blp.response(200, ExclusionOut(many=True))
@scope(Right.READ, part="exclusions")
def find(number: int) -> list[Exclusion]:
    """What is left out of a case, the oldest first; also what is left out of all cases of its work or site."""
    product = services().product
    return exclusions.of_case(product, product.store.cases.get(str(number)))


@blp.post("/cases/<int:number>/exclusions")
@blp.arguments(ExclusionIn)
@blp.response(201, FollowedOut)
@scope(Right.DECIDE, part="exclusions")
def exclude(given: dict[str, Any], number: int) -> Followed:
    """Leave something out; of more than one case `proceed` is needed too."""
    start, end = given.pop("start", None), given.pop("end", None)
    if given["what"] is Excluded.PASSAGE:
        given["stretch"] = (start or 0, end or 0)
    return exclusions.exclude(acting(), number, **given)


@blp.get("/cases/<int:number>/exclusions/proposed")
@blp.response(200, ExclusionOut(many=True))
@scope(Right.READ, part="exclusions")
def propose(number: int) -> list[Exclusion]:
    """What people left out of other cases and is among the copied text of this one, the latest first."""
    product = services().product
    return exclusions.proposed(product, product.store.cases.get(str(number)))


@blp.post("/cases/<int:number>/exclusions/alike")
@blp.arguments(AlikeIn)
@blp.response(201, FollowedOut)
@scope(Right.DECIDE, part="exclusions")
def exclude_alike(given: dict[str, Any], number: int) -> Followed:
    """Leave out what was left out of another case, for its reason; of more than one case `proceed` is needed too."""
    return exclusions.exclude_alike(acting(), number, given["like"], scope=given["scope"])


@blp.delete("/exclusions/<string:id>")
@blp.response(200, FollowedOut)
@scope(Right.DECIDE, part="exclusions")
def include(id: str) -> Followed:
    """Take an exclusion back."""
    return exclusions.include(acting(), id)
