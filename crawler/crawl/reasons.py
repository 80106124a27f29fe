"""Why an address was not captured, in a word to count by and a line to read."""

from dataclasses import dataclass
from enum import StrEnum

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.spidermiddlewares.httperror import HttpError


class Reason(StrEnum):
    """The words that refusals and failures are counted by; a failed status counts as http_404 and so on."""

    ROBOTS = "robots"
    NO_ROBOTS = "no_robots"
    PRIVATE_ADDRESS = "private_address"
    OTHER_HOST = "other_host"
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"
    NOT_HTML = "not_html"
    SOFT_BLOCK = "soft_block"
    REMOVED = "removed"
    EMPTY_LIST = "empty_list"
    ASKED_TO_WAIT = "asked_to_wait"
    TRAP = "trap"
    PROXY = "proxy"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    NAME = "name_not_found"
    BROKEN = "broken_response"
    NOT_STORED = "not_stored"


class Refusal(IgnoreRequest):
    """A rule of ours forbids fetching an address."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an address that gave no capture."""

    refused: bool  # by a rule; otherwise the server failed
    reason: str
    message: str


class Missed(IgnoreRequest):
    """An address was not even asked for, and the outcome says why: no robots.txt to read, no proxy that works."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


# Scrapy raises one class for all of these (another for the last) and tells them apart by their text only.
IGNORED = (
    ("Forbidden by robots.txt", Reason.ROBOTS, "robots.txt forbids this address"),
    ("max redirections reached", Reason.REDIRECTS, "redirected too often, or in a circle"),
    ("during decompression", Reason.TOO_LARGE, "larger than the limit once decompressed"),
    ("HeadTooLong", Reason.TOO_LARGE, "headers without end"),  # of crawler.fetch.bounded_http
)

KINDS: tuple[tuple[type[Exception], bool, Reason, str], ...] = (
    (StopDownload, True, Reason.NOT_HTML, "not an HTML page, by its content type"),  # SiteSpider.stop_unwanted
    (DownloadCancelledError, True, Reason.TOO_LARGE, "larger than the limit"),  # DOWNLOAD_MAXSIZE
    (DownloadTimeoutError, False, Reason.TIMEOUT, "no complete answer within the time limit"),
    (CannotResolveHostError, False, Reason.NAME, "the host name cannot be resolved"),
    (DownloadConnectionRefusedError, False, Reason.CONNECTION, "the server refused the connection"),
    (DownloadFailedError, False, Reason.CONNECTION, "the connection broke before a whole answer came"),
)


def explain(error: BaseException) -> Outcome:
    """Put an exception of a download into words."""
    ignored = next((rule for rule in IGNORED if rule[0] in str(error)), None)
    match error:
        case Refusal():
            return Outcome(True, error.reason, str(error))
        case Missed():
            return error.outcome
        case HttpError():
            return Outcome(False, f"http_{error.response.status}", f"the server answered {error.response.status}")
        case IgnoreRequest() | DownloadFailedError() if ignored is not None:
            return Outcome(True, ignored[1], ignored[2])
    for kind, refused, reason, message in KINDS:
        if isinstance(error, kind):
            return Outcome(refused, reason, message)
    return Outcome(False, Reason.BROKEN, f"the answer cannot be read: {type(error).__name__}: {error}"[:300])
