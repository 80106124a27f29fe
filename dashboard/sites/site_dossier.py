"""What is known of one site, for whoever writes to it or takes it to court."""

from flask import Blueprint, render_template

from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from services.sites.dossier import WORKS, dossier
from store.rules.rights import Right

blueprint = Blueprint("site_dossier", __name__, url_prefix="/sites/dossier")


@blueprint.get("/<path:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Who runs it, where it is served from, what it took, and how it met notices."""
    return render_template("sites/site_dossier.html", dossier=dossier(services().product, id), named=WORKS)
