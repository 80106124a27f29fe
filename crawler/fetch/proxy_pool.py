"""Choose among a site's proxies in turn, with cooldowns for failing ones.

With proxies no request goes out directly. If all of them fail, the crawl reports that. A proxy may resolve a name to
another address, so it gets the vetted address instead.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import unquote, urlsplit

from w3lib.http import basic_auth_header

from wenhen.kit.errors import BadInput

FIRST_PROXY_COOLDOWN_SECONDS = 15.0  # seconds of the first cooldown, doubled with each further failure in a row
MAX_PROXY_COOLDOWN_SECONDS = 600.0


@dataclass(slots=True)
class Proxy:
    """A proxy. `authorization` is the header's value and is never shown."""

    host: str
    port: int
    authorization: bytes | None = field(default=None, repr=False)
    failures: int = 0  # in a row
    rests_until: float = 0.0  # by the monotonic clock

    @property
    def url(self) -> str:
        """Return the address without the password."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def parse_proxy(url: str) -> Proxy:
    """Parse http://user:password@host:port. Raise BadInput, which does not repeat the password, for anything else."""
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
    """The proxies of one crawl."""

    def __init__(self, urls: Sequence[str], clock: Callable[[], float] = monotonic) -> None:
        self.proxies = [parse_proxy(url) for url in urls]
        self._clock = clock
        self._turn = 0

    def choose(self, tried: Collection[str] = ()) -> Proxy | None:
        """Return the next working proxy, an untried one if possible. Return None while all are in cooldown."""
        well = [proxy for proxy in self._in_turn() if not self.rests(proxy)]
        fresh = [proxy for proxy in well if proxy.url not in tried]
        chosen = next(iter(fresh or well), None)
        if chosen is not None:
            self._turn = self.proxies.index(chosen) + 1
        return chosen

    def find_proxy(self, url: str) -> Proxy | None:
        """Return the proxy with this `url`, or None."""
        return next((proxy for proxy in self.proxies if proxy.url == url), None)

    def rests(self, proxy: Proxy) -> bool:
        """Return whether a proxy is in cooldown."""
        return proxy.rests_until > self._clock()

    def due_for_check(self) -> list[Proxy]:
        """Return the failed proxies whose cooldown is over."""
        return [proxy for proxy in self.proxies if proxy.failures and not self.rests(proxy)]

    def note_success(self, proxy: Proxy) -> None:
        """Note that a proxy carried a request."""
        proxy.failures, proxy.rests_until = 0, 0.0

    def note_failure(self, proxy: Proxy) -> None:
        """Note a failure. The cooldown grows each time."""
        proxy.rests_until = self._clock() + min(
            FIRST_PROXY_COOLDOWN_SECONDS * 2.0 ** min(proxy.failures, 10), MAX_PROXY_COOLDOWN_SECONDS
        )
        proxy.failures += 1

    def _in_turn(self) -> list[Proxy]:
        start = self._turn % len(self.proxies)
        return self.proxies[start:] + self.proxies[:start]
