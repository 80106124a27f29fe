"""What crawls learn of a site: that its empty pages have to be rendered; and how people undo that."""

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.records import Site
from store.rules.role_rights import Right

OWN_NAME = "wenhen"  # as the audit log names a crawl


def note_needs_browser(product: Product, id: str, url: str) -> Site:
    """A crawl saw this page show its text in a browser alone. Raises `NotFound`."""
    return learn_rendering(Acting(product, OWN_NAME, frozenset({Right.SITES})), id, url)


@audited("site.learn_rendering")
def learn_rendering(acting: Acting, id: str, url: str) -> Changed[Site]:
    """Render the empty pages of a site from now on; nothing where people want otherwise. Raises `NotFound`."""
    acting.require(Right.SITES)
    sites = acting.product.store.sites
    site = sites.get(id)
    if site.render or site.render_learned_at is not None or not site.learns_render:
        return changed(site)
    learned = {"render_learned_at": acting.product.now(), "render_learned_from": url}
    return changed(sites.change(id, learned), Line(f"site:{id}", new=url))


@audited("site.unlearn_rendering")
def unlearn_rendering(acting: Acting, id: str) -> Changed[Site]:
    """Render the empty pages of a site no more, and try none of them again. Raises `NotFound`."""
    acting.require(Right.SITES)
    sites = acting.product.store.sites
    before = sites.get(id)
    left = {"learns_render": False, "render_learned_at": None, "render_learned_from": None}
    return changed(sites.change(id, left), Line(f"site:{id}", old=before.render_learned_from))


@audited("site.try_rendering")
def try_rendering(acting: Acting, id: str) -> Changed[Site]:
    """Let crawls find out again whether the empty pages of a site have to be rendered. Raises `NotFound`."""
    acting.require(Right.SITES)
    return changed(acting.product.store.sites.change(id, {"learns_render": True}), Line(f"site:{id}"))
