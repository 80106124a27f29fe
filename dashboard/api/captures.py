"""The history of a case's page: its captures, and what changed from one to another."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import shown
from dashboard.frame.context import services
from services.cases.captures import SHOWN, CaptureComparison, Fetch, compared, fetches
from store.rules.rights import Right

blp = blueprint("captures", "The history of a case's page")

_KINDS: Final = ("same", "deleted", "inserted")


class CapturesQuery(Schema):
    """How many, the newest first."""

    limit = fields.Integer(load_default=SHOWN, validate=validate.Range(1, 200))


class ChangesQuery(Schema):
    """Beside which other capture."""

    # "with" is a word of Python's, so that the field has another name inside
    other = fields.Integer(
        data_key="with",
        validate=validate.Range(0, 2**53),
        metadata={"description": "`moment` of another capture; by default the one before"},
    )


class StretchOfText(Schema):
    """A stretch of the text; so many characters that stayed the same are left out after it."""

    kind = fields.String(required=True, validate=validate.OneOf(_KINDS))
    text = fields.String(required=True)
    left_out = fields.Integer(required=True)


@blp.get("/cases/<int:number>/captures")
@blp.arguments(CapturesQuery, location="query")
@blp.response(200, shown(Fetch)(many=True))
@scope(Right.READ)
def find(query: dict[str, int], number: int) -> list[Fetch]:
    """The newest captures of the case's page, each with what differs from the one before it."""
    return fetches(services().product, services().store.cases.get(str(number)), query["limit"])


@blp.get("/cases/<int:number>/captures/<int:moment>/changes")
@blp.arguments(ChangesQuery, location="query")
@blp.response(200, shown(CaptureComparison, also={"parts": fields.List(fields.Nested(StretchOfText), required=True)}))
@scope(Right.READ)
def changes(query: dict[str, Any], number: int, moment: int) -> CaptureComparison:
    """What the page's text lost and gained, from the older of two captures to the newer one."""
    return compared(services().product, services().store.cases.get(str(number)), moment, query.get("other"))
