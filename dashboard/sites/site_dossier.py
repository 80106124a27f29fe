"""What is known of one site, for whoever writes to it or takes it to court."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language
from dashboard.frame.permissions import needs
from services.sites.dossier import WORKS, dossier
from services.sites.rdap import site_domains
from store.errors import BadInput, NotFound, Unavailable, Unreadable
from store.rules.role_rights import Right

blueprint = Blueprint("site_dossier", __name__, url_prefix="/sites/dossier")


@blueprint.get("/<path:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Who runs it, where it is served from, what it took, and how it met notices."""
    product = services().product
    return render_template(
        "sites/site_dossier.html", dossier=dossier(product, id), named=WORKS, asks=product.settings.dossier.rdap
    )


@blueprint.post("/registration")
@needs(Right.PROCEED)
def look_up() -> Response:
    """Ask who registered its domains."""
    id = request.form.get("id", "")
    try:
        site_domains.look_up(acting(), id)
    except (BadInput, Unavailable, Unreadable, NotFound) as error:
        flash(error.message.text(language()))
    return redirect(url_for("site_dossier.show", id=id) + "#registration", 303)


@blueprint.get("/registration/<string:id>.json")
@needs(Right.READ)
def registration(id: str) -> Response:
    """An answer as it came."""
    return as_file(*site_domains.file_of(services().product, id))
