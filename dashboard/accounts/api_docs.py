"""Show the OpenAPI description, with a token to try it."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.accounts.sign_in import signed_in_user
from dashboard.frame.context import current_actor
from dashboard.frame.language import t
from dashboard.frame.security import needs
from wenhen.accounts.sessions import make_api_token
from wenhen.kit.rights import Right

api_docs_blueprint = Blueprint("api_docs", __name__, url_prefix="/account/api")

_TOKEN_LIFETIME_DAYS: Final = 1  # that a token to try with lives


@api_docs_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The description; a token is typed in, or made."""
    return _render_api_docs()


@api_docs_blueprint.post("/")
@needs(Right.ACCOUNT)
def make() -> str:
    """The same with a new token that ends tomorrow: to look, or with all rights that one has."""
    user = signed_in_user()
    assert user  # the right to an account comes with one
    wanted = current_actor().rights if request.form.get("scopes") == "all" else {Right.READ} & current_actor().rights
    _, text = make_api_token(current_actor(), user, t("api_docs.token_name"), wanted, _TOKEN_LIFETIME_DAYS)
    return _render_api_docs(token=text)


def _render_api_docs(token: str | None = None) -> str:
    return render_template("access/api_docs.html", token=token, may_make=signed_in_user() is not None)
