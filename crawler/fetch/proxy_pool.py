"""Choose among a site's proxies in turn and leave failing ones alone.

With proxies no request goes out directly: when all of them fail, the crawl says so. A proxy could resolve a name to
another address than we do, so it is asked for the address that the rule against private ones has passed.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import unquote, urlsplit

from w3lib.http import basic_auth_header

from wenhen.kit.errors import BadInput

FIRST_PROXY_COOLDOWN_SECONDS = (
    15.0  # seconds that a proxy is left alone after a failure; doubled with each further one in a row
)
MAX_PROXY_COOLDOWN_SECONDS = 600.0


@dataclass(slots=True)
class Proxy:
    """One proxy; `authorization` is the header's value and never shown."""

    host: str
    port: int
    authorization: bytes | None = field(default=None, repr=False)
    failures: int = 0  # in a row
    rests_until: float = 0.0  # by the monotonic clock

    @property
    def url(self) -> str:
        """Its address without the password."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def parse_proxy(url: str) -> Proxy:
    """The proxy at http://user:password@host:port; BadInput (which does not repeat the password) for anything else."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "http" or not parts.hostname or not port or parts.path.strip("/") or parts.query:
        raise BadInput("access.bad_proxy", host=parts.hostname or "given")
    login = basic_auth_header(unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return Proxy(parts.hostname, port, login)


class ProxyPool:
    """The proxies of one crawl in turn, those that rest left out."""

    def __init__(self, urls: Sequence[str], clock: Callable[[], float] = monotonic) -> None:
        self.proxies = [parse_proxy(url) for url in urls]
        self._clock = clock
        self._turn = 0

    def choose(self, tried: Collection[str] = ()) -> Proxy | None:
        """The next in turn that is well, one that was not `tried` if there is any; None when all rest."""
        well = [proxy for proxy in self._in_turn() if not self.rests(proxy)]
        fresh = [proxy for proxy in well if proxy.url not in tried]
        chosen = next(iter(fresh or well), None)
        if chosen is not None:
            self._turn = self.proxies.index(chosen) + 1
        return chosen

    def named(self, url: str) -> Proxy | None:
        """The proxy at this address, as its `url` writes it."""
        return next((proxy for proxy in self.proxies if proxy.url == url), None)

    def rests(self, proxy: Proxy) -> bool:
        """Whether it is left alone now."""
        return proxy.rests_until > self._clock()

    def due_for_check(self) -> list[Proxy]:
        """Those that failed and have rested."""
        return [proxy for proxy in self.proxies if proxy.failures and not self.rests(proxy)]

    def worked(self, proxy: Proxy) -> None:
        """It carried a request."""
        proxy.failures, proxy.rests_until = 0, 0.0

    def failed(self, proxy: Proxy) -> None:
        """It did not; it rests, longer each time."""
        proxy.rests_until = self._clock() + min(
            FIRST_PROXY_COOLDOWN_SECONDS * 2.0 ** min(proxy.failures, 10), MAX_PROXY_COOLDOWN_SECONDS
        )
        proxy.failures += 1

    def _in_turn(self) -> list[Proxy]:
        at = self._turn % len(self.proxies)
        return self.proxies[at:] + self.proxies[:at]
