"""How a site is reached, as a crawl needs it: what the store keeps sealed is opened here, and nowhere else."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from services.context import Product
from services.sealed_secrets import Seal
from store.records import Access, Cookie


def opened_access(product: Product, site_id: str) -> Access:
    """The session and the proxies of a site, with their secrets. Raises `SetupError` where they were sealed under a
    key that is not there.
    """
    kept, seal = product.store.accesses.get(site_id), product.seal
    whose = _whose(site_id)
    return replace(
        kept,
        cookies=tuple(replace(one, value=seal.opened(one.value, whose)) for one in kept.cookies),
        proxies=tuple(_with_password(url, seal.opened(_password(url), whose)) for url in kept.proxies),
    )


def keep_cookies(product: Product, site_id: str, cookies: Sequence[Cookie]) -> None:
    """Keep these, sealed, in place of those before."""
    product.store.accesses.set_cookies(site_id, renewed_cookies(product.seal, site_id, cookies), product.now())


def renewed_cookies(seal: Seal, site_id: str, cookies: Sequence[Cookie]) -> tuple[Cookie, ...]:
    """The cookies as they are kept: each value sealed under the present key."""
    return tuple(replace(one, value=seal.renewed(one.value, _whose(site_id))) for one in cookies)


def renewed_proxies(seal: Seal, site_id: str, urls: Sequence[str]) -> tuple[str, ...]:
    """The proxies as they are kept: each password sealed under the present key."""
    return tuple(_with_password(url, seal.renewed(_password(url), _whose(site_id))) for url in urls)


def _whose(site_id: str) -> str:
    return f"site:{site_id}"


def _password(url: str) -> str:
    return urlsplit(url if "://" in url else f"http://{url}").password or ""


def _with_password(url: str, password: str) -> str:
    """The address with another password; one that has none stays as it is."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.password is None:
        return url
    login, _, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{login.partition(':')[0]}:{password}@{place}"))
