"""How an engine is asked over HTTP: bounded in time and size, and as slowly as it wants."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx

from crawler.crawl.host_names import host_of
from store.errors import SetupError, Unavailable

Refused = Callable[[str, int], SetupError]  # by address and status

LARGEST: Final = 4 << 20  # bytes of an answer
LONGEST_PAUSE: Final = 120.0  # seconds
LONGEST_NUMBER: Final = 10  # digits


class Asking:
    """Asks one address for JSON. Redirections are not followed: a key goes nowhere else than to where it was meant."""

    def __init__(
        self, url: str, *, timeout: float, refusals: Mapping[int, Refused], headers: Mapping[str, str] | None = None
    ) -> None:
        """refusals: statuses by which the engine says that it is set up wrongly, and the error of each.
        SetupError where `url` is no address.
        """
        if not url.startswith(("http://", "https://")) or host_of(url) is None:
            raise SetupError("discover.no_address", url=url)
        self.url = url
        self._refusals = refusals
        self._client = httpx.Client(timeout=timeout, headers={"Accept": "application/json", **(headers or {})})

    def ask(self, question: Mapping[str, str]) -> Any:
        """The answer; asked once more after the pause that an engine wants, where it names one that is not too long.

        Raises `Unavailable` where it does not answer, `SetupError` where it never will.
        """
        try:
            try:
                return self._ask(question)
            except _Limited as limited:
                if limited.seconds is None or limited.seconds > LONGEST_PAUSE:
                    raise
                time.sleep(limited.seconds)
            return self._ask(question)
        except httpx.InvalidURL as error:
            raise SetupError("discover.unasked", url=self.url, error=str(error)) from error
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            raise Unavailable("discover.silent", url=self.url, error=why) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, question: Mapping[str, str]) -> Any:
        with self._client.stream("GET", self.url, params=dict(question)) as response:
            if response.status_code in self._refusals:
                raise self._refusals[response.status_code](self.url, response.status_code)
            if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
                limited = _Limited("discover.limited", url=self.url)
                limited.seconds = pause(response.headers)
                raise limited
            response.raise_for_status()
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise Unavailable("discover.large", url=self.url, size=LARGEST >> 20)
        try:
            return httpx.Response(200, content=body).json()
        except ValueError as error:
            raise SetupError("discover.no_json", url=self.url) from error


class _Limited(Unavailable):
    """Too many questions (429)."""

    seconds: float | None = None  # that the engine asks to wait, where it says so by a number


def pause(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait after too many questions: Retry-After (RFC 9110, 10.2.3), else until every limit that is used up
    (X-RateLimit-Remaining, several with commas between them) begins anew (X-RateLimit-Reset); None where neither says.

    >>> pause({"X-RateLimit-Remaining": "0, 1999", "X-RateLimit-Reset": "1, 1419704"})
    1.0
    """
    if "Retry-After" in headers:
        return _seconds(headers["Retry-After"])
    resets = [_seconds(one) for one in headers.get("X-RateLimit-Reset", "").split(",")]
    remaining = [one.strip() for one in headers.get("X-RateLimit-Remaining", "").split(",")]
    used_up = [reset for left, reset in zip(remaining, resets, strict=False) if left == "0"]
    wanted = [one for one in used_up or resets if one is not None]
    return max(wanted, default=None)


def _seconds(written: str) -> float | None:
    number = written.strip()
    return float(number) if number.isascii() and number.isdecimal() and len(number) < LONGEST_NUMBER else None
