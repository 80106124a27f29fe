"""What changed in a page from one of its captures to the next."""

from flask import Blueprint, render_template

from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from services.cases.page_history import compared
from store.rules.role_rights import Right

blueprint = Blueprint("captures", __name__, url_prefix="/cases")


@blueprint.get("/<int:number>/captures/<int:moment>")
@needs(Right.READ)
def show(number: int, moment: int) -> str:
    """What changed in the page's text from the capture before to this one."""
    case = services().store.cases.get(str(number))
    return render_template(
        "cases/capture.html", case=case, comparison=compared(services().product, case.page_id, moment)
    )
