"""The pictures that a copy was read from, with frames around what was copied."""

from flask import Blueprint, Response

from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from services.cases.passage_places import framed
from store.rules.role_rights import Right

blueprint = Blueprint("pictures", __name__, url_prefix="/cases")


@blueprint.get("/<int:number>/pictures/<int:passage>/<int:picture>")
@needs(Right.READ)
def show(number: int, passage: int, picture: int) -> Response:
    """A picture of the page, a passage framed; drawn anew, so that nothing of it reaches a browser as it came."""
    case = services().store.cases.get(str(number))
    return Response(framed(services().product, case, passage, picture), mimetype="image/png")
