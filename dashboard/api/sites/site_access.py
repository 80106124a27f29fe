"""How a site is reached: session, proxies, robots.txt."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import shown, words
from dashboard.frame.context import acting, services
from services.crawls import learned_rendering
from services.sites import site_access
from store.records import Site
from store.rules.role_rights import Right
from store.rules.web.shown_access import ShownAccess, without_secrets

blp = blueprint("site_access", "How sites are reached; no secret is ever told")


class SessionIn(Schema):
    """A session that somebody began in a browser."""

    cookies = words(None, least=1, required=True, metadata={"description": "a cookies.txt, or a Cookie header"})


class ProxiesIn(Schema):
    """The proxies of a site; none: those of the settings."""

    proxies = fields.List(
        words(500, least=1),
        required=True,
        validate=validate.Length(max=200),
        metadata={"description": "http://user:password@host:port; a password written as *** stays as it is"},
    )


class ReasonIn(Schema):
    """Why robots.txt is not obeyed, or fonts are deciphered."""

    reason = words(2000, least=1, required=True)


@blp.get("/sites/<string:id>/access")
@blp.response(200, shown(ShownAccess))
@scope(Right.ACCESS, part="site_access")
def get(id: str) -> ShownAccess:
    """Its session without the values of cookies, its proxies without passwords."""
    return _known(id)


@blp.put("/sites/<string:id>/session")
@blp.arguments(SessionIn)
@blp.response(200, shown(ShownAccess))
@scope(Right.ACCESS, part="site_access")
def begin(given: dict[str, str], id: str) -> ShownAccess:
    """Keep a session; the next crawl goes on with it."""
    site_access.begin_session(acting(), id, given["cookies"])
    return _known(id)


@blp.delete("/sites/<string:id>/session")
@blp.response(204)
@scope(Right.ACCESS, part="site_access")
def end(id: str) -> None:
    """Forget the session."""
    site_access.end_session(acting(), id)


@blp.put("/sites/<string:id>/proxies")
@blp.arguments(ProxiesIn)
@blp.response(200, shown(ShownAccess))
@scope(Right.ACCESS, part="site_access")
def through(given: dict[str, Any], id: str) -> ShownAccess:
    """Fetch a site through these proxies alone."""
    site_access.set_proxies(acting(), id, given["proxies"])
    return _known(id)


@blp.put("/sites/<string:id>/robots")
@blp.arguments(ReasonIn)
@blp.response(200, shown(Site))
@scope(Right.ACCESS, part="site_access")
def override(given: dict[str, str], id: str) -> Site:
    """Fetch what robots.txt forbids; the reason is kept on the site and in the audit log."""
    return site_access.override_robots(acting(), id, reason=given["reason"])


@blp.delete("/sites/<string:id>/robots")
@blp.response(200, shown(Site))
@scope(Right.ACCESS, part="site_access")
def obey(id: str) -> Site:
    """Obey robots.txt again."""
    return site_access.obey_robots(acting(), id)


@blp.put("/sites/<string:id>/fonts")
@blp.arguments(ReasonIn)
@blp.response(200, shown(Site))
@scope(Right.ACCESS, part="site_access")
def decipher(given: dict[str, str], id: str) -> Site:
    """Read a site's pages as their fonts show them; the reason is kept on the site and in the audit log."""
    return site_access.decipher_fonts(acting(), id, reason=given["reason"])


@blp.delete("/sites/<string:id>/fonts")
@blp.response(200, shown(Site))
@scope(Right.ACCESS, part="site_access")
def leave_fonts(id: str) -> Site:
    """Decipher the site's fonts no more."""
    return site_access.leave_fonts(acting(), id)


@blp.delete("/sites/<string:id>/learned-rendering")
@blp.response(200, shown(Site))
@scope(Right.SITES, part="site_access")
def unlearn_rendering(id: str) -> Site:
    """Render the site's empty pages no more, and try none of them again."""
    return learned_rendering.unlearn_rendering(acting(), id)


@blp.put("/sites/<string:id>/learned-rendering")
@blp.response(200, shown(Site))
@scope(Right.SITES, part="site_access")
def try_rendering(id: str) -> Site:
    """Let crawls find out again whether the site's empty pages have to be rendered."""
    return learned_rendering.try_rendering(acting(), id)


def _known(id: str) -> ShownAccess:
    store = services().store
    return without_secrets(store.accesses.get(store.sites.get(id).id))
