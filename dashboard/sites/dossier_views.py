"""Show the dossier of a site, and look up its registration."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import language
from dashboard.frame.requests import file_response
from dashboard.frame.security import needs
from wenhen.dossiers.service import MAX_WORKS, make_dossier
from wenhen.kit.errors import BadInput, NotFound, Unavailable, Unreadable
from wenhen.kit.rights import Right
from wenhen.sites.registrations import load_registration_file, query_registrations

site_dossier_blueprint = Blueprint("site_dossier", __name__, url_prefix="/sites/dossier")


@site_dossier_blueprint.get("/<path:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Show the operator of a site, its servers, its copies, and its responses to notices."""
    product = services().product
    return render_template(
        "sites/site_dossier.html",
        dossier=make_dossier(product, id),
        named=MAX_WORKS,
        asks=product.settings.dossier.rdap,
    )


@site_dossier_blueprint.post("/registration")
@needs(Right.PROCEED)
def look_up() -> Response:
    """Query the registration of the site's domains."""
    id = request.form.get("id", "")
    try:
        query_registrations(current_actor(), id)
    except (BadInput, Unavailable, Unreadable, NotFound) as error:
        flash(error.message.text(language()))
    return redirect(url_for("site_dossier.show", id=id) + "#registration", 303)


@site_dossier_blueprint.get("/registration/<string:id>.json")
@needs(Right.READ)
def registration(id: str) -> Response:
    """Download a registration answer unchanged."""
    return file_response(*load_registration_file(services().product, id))
