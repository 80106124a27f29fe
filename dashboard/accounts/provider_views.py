"""Sign people in by a provider of OpenID Connect."""

from dataclasses import asdict
from typing import Final

from flask import Blueprint, abort, redirect, request, session
from flask.typing import ResponseReturnValue

from dashboard.accounts.sign_in import (
    PROVIDER,
    go_on_signing_in,
    next_address,
    outward_address,
    render_sign_in,
    request_origin,
    signed_in_user,
)
from dashboard.frame.context import language, services
from dashboard.frame.security import limiter, open_to_all
from wenhen.accounts.single_sign_on import (
    PendingSignIn,
    admit_person,
    begin_provider_sign_in,
    complete_provider_sign_in,
)
from wenhen.kit.errors import BadInput, Forbidden, Unavailable

provider_blueprint = Blueprint("provider", __name__, url_prefix="/sign-in/provider")
_PENDING_KEY: Final = "provider"  # in the cookie: what to check when the person comes back


@provider_blueprint.get("/")
@open_to_all
@limiter.limit("30 per minute")
def begin() -> ResponseReturnValue:
    """Send the person to the provider. A link leads here, because browsers let no form lead elsewhere."""
    settings = services().product.settings.signin
    if not settings.issuer:
        abort(404)
    if signed_in_user():
        return redirect(next_address(), 303)
    try:
        address, pending = begin_provider_sign_in(settings, outward_address("provider.back"), services().clock())
    except Unavailable as error:
        return render_sign_in(error.message.text(language())), 503
    session[_PENDING_KEY] = {**asdict(pending), "next": next_address()}
    return redirect(address, 303)


@provider_blueprint.get("/back")
@open_to_all
@limiter.limit("30 per minute")
def back() -> ResponseReturnValue:
    """Sign the person in who comes back with a code of the provider."""
    product = services().product
    if not product.settings.signin.issuer:
        abort(404)
    kept = session.pop(_PENDING_KEY, None)  # a code is redeemed once, whatever comes of it
    target = kept.pop("next") if kept else next_address()
    try:
        identity = complete_provider_sign_in(
            product.settings.signin,
            PendingSignIn(**kept) if kept else None,
            request.args,
            outward_address("provider.back"),
            services().clock(),
        )
        user = admit_person(product, identity, request_origin())
    except (BadInput, Forbidden, Unavailable) as error:
        status = 503 if isinstance(error, Unavailable) else 403 if isinstance(error, Forbidden) else 400
        return render_sign_in(error.message.text(language())), status
    return go_on_signing_in(user, target, PROVIDER)
