"""Show the OpenAPI description, and create tokens to try the API."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.accounts.sign_in import signed_in_user
from dashboard.frame.context import current_actor
from dashboard.frame.language import t
from dashboard.frame.security import needs
from wenhen.accounts.sessions import make_api_token
from wenhen.kit.rights import Right

api_docs_blueprint = Blueprint("api_docs", __name__, url_prefix="/account/api")

_TOKEN_LIFETIME_DAYS: Final = 1  # lifetime of a trial token


@api_docs_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the API description. The reader enters an existing token or creates one."""
    return _render_api_docs()


@api_docs_blueprint.post("/")
@needs(Right.ACCOUNT)
def make() -> str:
    """Create a token that expires tomorrow, and show the API description with it.

    The token has the right to read, or all rights of the user.
    """
    user = signed_in_user()
    assert user  # only signed-in users have the right to an account
    wanted = current_actor().rights if request.form.get("scopes") == "all" else {Right.READ} & current_actor().rights
    _, text = make_api_token(current_actor(), user, t("api_docs.token_name"), wanted, _TOKEN_LIFETIME_DAYS)
    return _render_api_docs(token=text)


def _render_api_docs(token: str | None = None) -> str:
    return render_template("access/api_docs.html", token=token, may_make=signed_in_user() is not None)
