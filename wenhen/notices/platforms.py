"""List and edit the platforms that receive notices."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, Final, cast

from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.plugins import PLATFORMS, working_plugins
from wenhen.kit.rights import Right
from wenhen.kit.web import named_host, split_address, url_host
from wenhen.notices.model import NoticeLaw, Platform

PLAIN_SITE: Final = "plain"  # operators of all other sites
_MAX_FIELD_CHARACTERS: Final = 500  # characters of a value


def all_platforms(product: Product) -> list[Platform]:
    """Return all platforms. Edited platforms replace defaults."""
    kept = {platform.id: platform for platform in product.store.platforms.all()}
    come = [kept.pop(platform.id, platform) for platform in default_platforms()]
    return [*kept.values(), *come]


def get_platform(product: Product, id: str) -> Platform:
    """Return the platform with this id. Raises `NotFound`."""
    known = next((platform for platform in all_platforms(product) if platform.id == id), None)
    if known is None:
        raise NotFound("notices.no_platform", id=id)
    return known


def find_platform(product: Product, host: str, known: Sequence[Platform] = ()) -> Platform:
    """Return the platform of a host by its longest matching domain, or the plain site.

    known: all platforms, to avoid loading them for each host.
    """
    known = known or all_platforms(product)
    fitting = [
        (len(name), platform)
        for platform in known
        for name in platform.hosts
        if host == name or host.endswith(f".{name}")
    ]
    if fitting:
        return max(fitting, key=lambda pair: pair[0])[1]
    return next(platform for platform in known if platform.id == PLAIN_SITE)


def is_delisting(product: Product, id: str) -> bool:
    """Return whether the platform with this id is a search engine, which delists pages but removes no copy."""
    return any(platform.id == id and platform.delists for platform in all_platforms(product))


@audited("platform.put")
def set_platform(acting: Acting, given: Platform, *, checked: bool = False) -> ChangeResult[Platform]:
    """Store a platform in place of the one with its id.

    checked: a person compared it with the platform today.

    Raises `BadInput` for a missing id or name, an invalid host, or a bound below one, and `Forbidden`.
    """
    acting.require(Right.PLATFORMS)
    old = next((platform for platform in all_platforms(acting.product) if platform.id == given.id), None)
    _check_platform(given)
    checked_at = acting.product.now() if checked else (old.checked_at if old else None)
    platform = _with_check(given, checked_at)
    acting.product.store.platforms.put(platform)
    return change_result(platform, AuditLine(f"platform:{platform.id}", old=old, new=platform))


@audited("platform.remove")
def reset_platform(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete an edited platform. A default platform gets its original values back. Raises `NotFound`, `Forbidden`."""
    acting.require(Right.PLATFORMS)
    old = get_platform(acting.product, id)
    if not acting.product.store.platforms.remove(id):
        raise NotFound("notices.no_platform", id=id)
    return change_result(None, AuditLine(f"platform:{id}", old=old))


@cache
def default_platforms() -> tuple[Platform, ...]:
    """Return the default platforms, and those of plug-ins.

    A person has to compare them with the current rules of the platforms.
    """
    text = (resources.files(__package__) / "platforms.json").read_text(encoding="utf-8")
    own = tuple(_parse_platform(entry) for entry in json.loads(text))
    offered = [
        platform
        for plugin_platforms in working_plugins(PLATFORMS).values()
        for platform in cast("list[Platform]", plugin_platforms)
    ]
    further = {platform.id: platform for platform in reversed(offered)}
    return (*own, *(further[id] for id in sorted(further.keys() - {platform.id for platform in own})))


def make_platforms(loaded: object) -> list[Platform]:
    """Return the platforms of a plug-in: a list of objects as in `platforms.json`, or a function that returns one.

    Raises what its values give rise to.
    """
    listed = loaded() if callable(loaded) else loaded
    platforms = [_parse_platform(dict(values)) for values in cast("Iterable[Mapping[str, Any]]", listed)]
    for platform in platforms:
        _check_platform(platform)
    return platforms


def _parse_platform(values: dict[str, Any]) -> Platform:
    lists = {name: tuple(values[name]) for name in ("hosts", "required")}
    return Platform(**{**values, **lists, "law": NoticeLaw(values["law"])})


def _check_platform(platform: Platform) -> None:
    if not platform.id.strip() or not platform.name.strip():
        raise BadInput("notices.platform_unnamed")
    for host in platform.hosts:
        if "/" in host or not named_host(host):
            raise BadInput("notices.platform_host", host=repr(host))
    if platform.days < 1 or any(bound is not None and bound < 1 for bound in (platform.links, platform.mail_megabytes)):
        raise BadInput("notices.platform_bounds")


def _with_check(platform: Platform, checked_at: datetime | None) -> Platform:
    def cut(words: str | None) -> str | None:
        return (words or "").strip()[:_MAX_FIELD_CHARACTERS] or None

    return Platform(
        id=platform.id.strip()[:40],
        name=platform.name.strip()[:_MAX_FIELD_CHARACTERS],
        hosts=tuple(url_host(split_address(host)) for host in platform.hosts),
        law=platform.law,
        required=tuple(words for requirement in platform.required if (words := cut(requirement))),
        links=platform.links,
        mail_megabytes=platform.mail_megabytes,
        entry=cut(platform.entry),
        mail=cut(platform.mail),
        days=platform.days,
        delists=platform.delists,
        engine=cut(platform.engine),
        source=cut(platform.source),
        checked_at=checked_at,
    )
