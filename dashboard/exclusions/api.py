"""Serve the API of exclusions of one case, work or site."""

from marshmallow import Schema, fields, validate

from dashboard.frame.api import ApiBlueprint, JsonObject, choice_field, record_schema, text_field
from dashboard.frame.context import current_actor, numbered_case, services
from wenhen.cases.decisions import MAX_NOTE_CHARACTERS
from wenhen.exclusions.model import Excluded, Exclusion, ExclusionScope
from wenhen.exclusions.service import (
    MAX_TEXT_LETTERS,
    Followed,
    exclude_from_cases,
    find_case_exclusions,
    propose_exclusions,
    reuse_exclusion,
    withdraw_exclusion,
)
from wenhen.kit.rights import Right

exclusions_blp = ApiBlueprint("exclusions", "What is left out of cases")

_OFFSET_RANGE = validate.Range(0, 2**53)

ExclusionOut = record_schema(Exclusion, leave_out=("letters", "covers"))
FollowedOut = record_schema(
    Followed, also={"exclusion": fields.Nested(ExclusionOut, required=True)}, name="FollowedOut"
)


class ExclusionIn(Schema):
    """What to exclude, from which cases, and why. `passage` requires `start` and `end`, `block` requires a `text`."""

    what = choice_field(Excluded, required=True)
    scope = choice_field(ExclusionScope, load_default=ExclusionScope.CASE)
    why = text_field(MAX_NOTE_CHARACTERS, least=1, required=True)
    start = fields.Integer(
        strict=True, validate=_OFFSET_RANGE, metadata={"description": "code point of the page's text"}
    )
    end = fields.Integer(
        strict=True, validate=_OFFSET_RANGE, metadata={"description": "the first one that is not in it"}
    )
    text = text_field(MAX_TEXT_LETTERS, metadata={"description": "left out wherever it stands in the page or the work"})


class AlikeIn(Schema):
    """An exclusion of another case to use again."""

    like = text_field(100, least=1, required=True, metadata={"description": "the id of that exclusion"})
    scope = choice_field(ExclusionScope, load_default=ExclusionScope.CASE)


@exclusions_blp.get("/cases/<int:number>/exclusions")
@exclusions_blp.response(200, ExclusionOut(many=True))
@exclusions_blp.scope(Right.READ)
def find(number: int) -> list[Exclusion]:
    """What is left out of a case, the oldest first; also what is left out of all cases of its work or site."""
    return find_case_exclusions(services().product, numbered_case(number))


@exclusions_blp.post("/cases/<int:number>/exclusions")
@exclusions_blp.arguments(ExclusionIn)
@exclusions_blp.response(201, FollowedOut)
@exclusions_blp.scope(Right.DECIDE)
def exclude(body: JsonObject, number: int) -> Followed:
    """Leave something out; of more than one case `proceed` is needed too."""
    start, end = body.pop("start", None), body.pop("end", None)
    if body["what"] is Excluded.PASSAGE:
        body["stretch"] = (start or 0, end or 0)
    return exclude_from_cases(current_actor(), number, **body)


@exclusions_blp.get("/cases/<int:number>/exclusions/proposed")
@exclusions_blp.response(200, ExclusionOut(many=True))
@exclusions_blp.scope(Right.READ)
def propose(number: int) -> list[Exclusion]:
    """What people left out of other cases and is among the copied text of this one, the latest first."""
    return propose_exclusions(services().product, numbered_case(number))


@exclusions_blp.post("/cases/<int:number>/exclusions/alike")
@exclusions_blp.arguments(AlikeIn)
@exclusions_blp.response(201, FollowedOut)
@exclusions_blp.scope(Right.DECIDE)
def exclude_alike(body: JsonObject, number: int) -> Followed:
    """Leave out what was left out of another case, for its reason; of more than one case `proceed` is needed too."""
    return reuse_exclusion(current_actor(), number, body["like"], scope=body["scope"])


@exclusions_blp.delete("/exclusions/<string:id>")
@exclusions_blp.response(200, FollowedOut)
@exclusions_blp.scope(Right.DECIDE)
def include(id: str) -> Followed:
    """Take an exclusion back."""
    return withdraw_exclusion(current_actor(), id)
