"""Serve the API of site access, and of mirrors."""

from marshmallow import Schema, fields, validate

from crawler.site_access import ShownAccess, mask_access
from dashboard.frame.api import ApiBlueprint, JsonObject, record_schema, text_field
from dashboard.frame.context import current_actor, services
from wenhen.kit.rights import Right
from wenhen.sites.access import (
    clear_session_cookies,
    disable_font_deciphering,
    enable_font_deciphering,
    forget_rendering,
    override_robots,
    respect_robots,
    retry_rendering,
    set_proxies,
    set_session_cookies,
)
from wenhen.sites.model import Mirror, Site

# Access to a site: session, proxies, robots.txt.


site_access_blp = ApiBlueprint("site_access", "How sites are reached; no secret is ever told")


class SessionIn(Schema):
    """The cookies of a session that somebody began in a browser."""

    cookies = text_field(None, least=1, required=True, metadata={"description": "a cookies.txt, or a Cookie header"})


class ProxiesIn(Schema):
    """The proxies of a site. An empty list selects those of the settings."""

    proxies = fields.List(
        text_field(500, least=1),
        required=True,
        validate=validate.Length(max=200),
        metadata={"description": "http://user:password@host:port; a password written as *** stays as it is"},
    )


class ReasonIn(Schema):
    """The reason to override robots.txt, or to decipher fonts."""

    reason = text_field(2000, least=1, required=True)


@site_access_blp.get("/sites/<string:id>/access")
@site_access_blp.response(200, record_schema(ShownAccess))
@site_access_blp.scope(Right.ACCESS)
def get(id: str) -> ShownAccess:
    """Its session without the values of cookies, its proxies without passwords."""
    return _access_without_secrets(id)


@site_access_blp.put("/sites/<string:id>/session")
@site_access_blp.arguments(SessionIn)
@site_access_blp.response(200, record_schema(ShownAccess))
@site_access_blp.scope(Right.ACCESS)
def begin(body: dict[str, str], id: str) -> ShownAccess:
    """Keep a session; the next crawl goes on with it."""
    set_session_cookies(current_actor(), id, body["cookies"])
    return _access_without_secrets(id)


@site_access_blp.delete("/sites/<string:id>/session")
@site_access_blp.response(204)
@site_access_blp.scope(Right.ACCESS)
def end(id: str) -> None:
    """Forget the session."""
    clear_session_cookies(current_actor(), id)


@site_access_blp.put("/sites/<string:id>/proxies")
@site_access_blp.arguments(ProxiesIn)
@site_access_blp.response(200, record_schema(ShownAccess))
@site_access_blp.scope(Right.ACCESS)
def through(body: JsonObject, id: str) -> ShownAccess:
    """Fetch a site through these proxies alone."""
    set_proxies(current_actor(), id, body["proxies"])
    return _access_without_secrets(id)


@site_access_blp.put("/sites/<string:id>/robots")
@site_access_blp.arguments(ReasonIn)
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.ACCESS)
def override(body: dict[str, str], id: str) -> Site:
    """Fetch what robots.txt forbids; the reason is kept on the site and in the audit log."""
    return override_robots(current_actor(), id, reason=body["reason"])


@site_access_blp.delete("/sites/<string:id>/robots")
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.ACCESS)
def obey(id: str) -> Site:
    """Obey robots.txt again."""
    return respect_robots(current_actor(), id)


@site_access_blp.put("/sites/<string:id>/fonts")
@site_access_blp.arguments(ReasonIn)
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.ACCESS)
def decipher(body: dict[str, str], id: str) -> Site:
    """Read a site's pages as their fonts show them; the reason is kept on the site and in the audit log."""
    return enable_font_deciphering(current_actor(), id, reason=body["reason"])


@site_access_blp.delete("/sites/<string:id>/fonts")
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.ACCESS)
def leave_fonts(id: str) -> Site:
    """Decipher the site's fonts no more."""
    return disable_font_deciphering(current_actor(), id)


@site_access_blp.delete("/sites/<string:id>/learned-rendering")
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.SITES)
def unlearn_rendering(id: str) -> Site:
    """Render the site's empty pages no more, and try none of them again."""
    return forget_rendering(current_actor(), id)


@site_access_blp.put("/sites/<string:id>/learned-rendering")
@site_access_blp.response(200, record_schema(Site))
@site_access_blp.scope(Right.SITES)
def try_rendering(id: str) -> Site:
    """Let crawls find out again whether the site's empty pages have to be rendered."""
    return retry_rendering(current_actor(), id)


def _access_without_secrets(id: str) -> ShownAccess:
    store = services().store
    return mask_access(store.accesses.get(store.sites.get(id).id))


mirrors_blp = ApiBlueprint("mirrors", "Hosts that carry the pages of another")


@mirrors_blp.get("/mirrors")
@mirrors_blp.response(200, record_schema(Mirror)(many=True))
@mirrors_blp.scope(Right.READ)
def find() -> list[Mirror]:
    """All mirrors, each with the host that it is counted as."""
    return services().store.mirrors.all()
