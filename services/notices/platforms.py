"""To whom notices go: platforms as they come with the product, and as an administrator has set them."""

import json
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import BadInput, NotFound
from store.records import NoticeLaw, Platform
from store.rules.role_rights import Right
from store.rules.web.url_prefix import host_of, named_host, split_address

PLAIN: Final = "plain"  # what is none of the others
_LONGEST: Final = 500  # characters of a value


def platforms(product: Product) -> list[Platform]:
    """All of them; what an administrator has set stands in place of what came."""
    kept = {one.id: one for one in product.store.platforms.all()}
    come = [kept.pop(one.id, one) for one in shipped()]
    return [*kept.values(), *come]


def platform(product: Product, id: str) -> Platform:
    """The one with this id. Raises `NotFound`."""
    found = next((one for one in platforms(product) if one.id == id), None)
    if found is None:
        raise NotFound("notices.no_platform", id=id)
    return found


def platform_of(product: Product, host: str) -> Platform:
    """Whose pages stand on a host: the platform with the longest name that it ends with, or a plain site."""
    known = platforms(product)
    found = [(len(name), one) for one in known for name in one.hosts if host == name or host.endswith(f".{name}")]
    if found:
        return max(found, key=lambda one: one[0])[1]
    return next(one for one in known if one.id == PLAIN)


def delists(product: Product, id: str) -> bool:
    """Whether notices to the one with this id take pages out of a search engine's results, and remove no copy."""
    return any(one.id == id and one.delists for one in platforms(product))


@audited("platform.put")
def put(acting: Acting, given: Platform, *, checked: bool = False) -> Changed[Platform]:
    """Set a platform in place of the one with that id; checked: somebody has compared it today with what it says.

    Raises `BadInput` for one without id or name, a host that is none, or fewer than one link or day; `Forbidden`.
    """
    acting.require(Right.PLATFORMS)
    old = next((one for one in platforms(acting.product) if one.id == given.id), None)
    _look_at(given)
    checked_at = acting.product.now() if checked else (old.checked_at if old else None)
    one = _with(given, checked_at)
    acting.product.store.platforms.put(one)
    return changed(one, Line(f"platform:{one.id}", old=old, new=one))


@audited("platform.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Take back what was set; one that came with the product is again as it came. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.PLATFORMS)
    old = platform(acting.product, id)
    if not acting.product.store.platforms.remove(id):
        raise NotFound("notices.no_platform", id=id)
    return changed(None, Line(f"platform:{id}", old=old))


@cache
def shipped() -> tuple[Platform, ...]:
    """The platforms that come with the product, none of them compared with what the platform says today."""
    text = (resources.files(__package__) / "platforms.json").read_text(encoding="utf-8")
    return tuple(_read(one) for one in json.loads(text))


def _read(values: dict[str, Any]) -> Platform:
    lists = {name: tuple(values[name]) for name in ("hosts", "required")}
    return Platform(**{**values, **lists, "law": NoticeLaw(values["law"])})


def _look_at(given: Platform) -> None:
    if not given.id.strip() or not given.name.strip():
        raise BadInput("notices.platform_unnamed")
    for host in given.hosts:
        if "/" in host or not named_host(host):
            raise BadInput("notices.platform_host", host=repr(host))
    if given.days < 1 or (given.links is not None and given.links < 1):
        raise BadInput("notices.platform_bounds")


def _with(given: Platform, checked_at: datetime | None) -> Platform:
    def cut(words: str | None) -> str | None:
        return (words or "").strip()[:_LONGEST] or None

    return Platform(
        id=given.id.strip()[:40],
        name=given.name.strip()[:_LONGEST],
        hosts=tuple(host_of(split_address(host)) for host in given.hosts),
        law=given.law,
        required=tuple(words for one in given.required if (words := cut(one))),
        links=given.links,
        entry=cut(given.entry),
        mail=cut(given.mail),
        days=given.days,
        delists=given.delists,
        engine=cut(given.engine),
        source=cut(given.source),
        checked_at=checked_at,
    )
