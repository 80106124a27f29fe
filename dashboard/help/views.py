"""Show help pages."""

from flask import Blueprint, render_template

from dashboard.frame.language import language
from dashboard.frame.security import needs
from dashboard.help.documents import GUIDES, list_documents, render_document, render_guide
from wenhen.kit.rights import Right

help_blueprint = Blueprint("help", __name__, url_prefix="/help")


@help_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """List the guides in the reader's language, and the documents."""
    guides = {name: render_guide(name, language()).title for name in GUIDES}
    return render_template("help/contents.html", guides=guides, documents=list_documents())


@help_blueprint.get("/<string:name>")
@needs(Right.READ)
def guide(name: str) -> str:
    """Show a guide."""
    return render_template("help/page.html", page=render_guide(name, language()), english=False)


@help_blueprint.get("/documents/<string:name>")
@needs(Right.READ)
def document(name: str) -> str:
    """Show a document. Most of them are in English."""
    return render_template("help/page.html", page=render_document(name), english=True)
