"""Why an address was not captured, in a word to count by and a message to read."""

from dataclasses import dataclass

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

from crawler.crawl.miss_reasons import Reason
from store.failures import failure
from store.messages import Message, message


class Refusal(IgnoreRequest):
    """A rule of ours forbids fetching an address."""

    def __init__(self, reason: Reason, message: Message) -> None:
        super().__init__(str(message))
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an address that gave no capture."""

    refused: bool  # by a rule; otherwise the server failed
    reason: str
    message: Message


class Missed(IgnoreRequest):
    """An address was not even asked for, and the outcome says why: no robots.txt to read, no proxy that works."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.message))
        self.outcome = outcome


LONGEST = 200  # characters of what a library says of an answer

# Scrapy raises one class for all of these (another for the last) and tells them apart by their text only.
IGNORED = (
    ("Forbidden by robots.txt", Reason.ROBOTS, Message("fetch.robots")),
    ("max redirections reached", Reason.REDIRECTS, Message("fetch.redirects")),
    ("during decompression", Reason.TOO_LARGE, Message("fetch.decompressed")),
    ("HeadTooLong", Reason.TOO_LARGE, Message("fetch.headers")),  # of crawler.fetch.bounded_headers
)

KINDS: tuple[tuple[type[Exception], bool, Reason, Message], ...] = (
    (StopDownload, True, Reason.NOT_HTML, Message("fetch.not_html")),  # SiteSpider.stop_unwanted
    (DownloadCancelledError, True, Reason.TOO_LARGE, Message("fetch.over_limit")),  # DOWNLOAD_MAXSIZE
    (DownloadTimeoutError, False, Reason.TIMEOUT, Message("fetch.timeout")),
    (CannotResolveHostError, False, Reason.NAME, Message("fetch.no_name")),
    (DownloadConnectionRefusedError, False, Reason.CONNECTION, Message("fetch.connection_refused")),
    (DownloadFailedError, False, Reason.CONNECTION, Message("fetch.connection_broke")),
)


def explain(error: BaseException) -> Outcome:
    """Put an exception of a download into words."""
    ignored = next((rule for rule in IGNORED if rule[0] in str(error)), None)
    match error:
        case Refusal():
            return Outcome(True, error.reason, error.message)
        case Missed():
            return error.outcome
        case HttpError():
            status = error.response.status
            return Outcome(False, f"http_{status}", message("fetch.answered", status=status))
        case IgnoreRequest() | DownloadFailedError() if ignored is not None:
            return Outcome(True, ignored[1], ignored[2])
    for kind, refused, reason, told in KINDS:
        if isinstance(error, kind):
            return Outcome(refused, reason, told)
    return Outcome(False, Reason.BROKEN, message("fetch.unreadable", error=failure(error, LONGEST)))
