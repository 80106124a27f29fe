"""The API's description, to be read and tried out with a token of one's own."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.access import sessions
from dashboard.frame.context import acting
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.people import tokens
from store.rules.role_rights import Right

blueprint = Blueprint("api_docs", __name__, url_prefix="/account/api")

_DAYS: Final = 1  # that a token to try with lives


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The description; a token is typed in, or made."""
    return _page()


@blueprint.post("/")
@needs(Right.ACCOUNT)
def make() -> str:
    """The same with a new token that ends tomorrow: to look, or with all rights that one has."""
    user = sessions.signed_in()
    assert user  # the right to an account comes with one
    wanted = acting().rights if request.form.get("scopes") == "all" else {Right.READ} & acting().rights
    _, text = tokens.make(acting(), user, t("api_docs.token_name"), wanted, _DAYS)
    return _page(token=text)


def _page(token: str | None = None) -> str:
    return render_template("access/api_docs.html", token=token, may_make=sessions.signed_in() is not None)
