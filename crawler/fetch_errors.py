"""Explain download errors: a reason to count by and a message to read."""

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

from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message, failure, message


class RequestRefused(IgnoreRequest):
    """A rule of ours forbids fetching an address."""

    def __init__(self, reason: SkipReason, message: Message) -> None:
        super().__init__(str(message))
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class SkipOutcome:
    """What became of an address that gave no capture."""

    refused: bool  # by a rule; otherwise the server failed
    reason: str
    message: Message


class RequestSkipped(IgnoreRequest):
    """An address was not even asked for, and the outcome says why: no robots.txt to read, no proxy that works."""

    def __init__(self, outcome: SkipOutcome) -> None:
        super().__init__(str(outcome.message))
        self.outcome = outcome


MAX_ERROR_CHARACTERS = 200  # characters of what a library says of an answer

# Scrapy raises one class for all of these (another for the last) and tells them apart by their text only.
IGNORE_MESSAGES = (
    ("max redirections reached", SkipReason.REDIRECTS, Message("fetch.redirects")),
    ("during decompression", SkipReason.TOO_LARGE, Message("fetch.decompressed")),
    ("HeadTooLong", SkipReason.TOO_LARGE, Message("fetch.headers")),  # of crawler.fetch.guard
)

ERROR_OUTCOMES: tuple[tuple[type[Exception], bool, SkipReason, Message], ...] = (
    (StopDownload, True, SkipReason.NOT_HTML, Message("fetch.not_html")),  # SiteSpider.stop_unwanted
    (DownloadCancelledError, True, SkipReason.TOO_LARGE, Message("fetch.over_limit")),  # DOWNLOAD_MAXSIZE
    (DownloadTimeoutError, False, SkipReason.TIMEOUT, Message("fetch.timeout")),
    (CannotResolveHostError, False, SkipReason.NAME, Message("fetch.no_name")),
    (DownloadConnectionRefusedError, False, SkipReason.CONNECTION, Message("fetch.connection_refused")),
    (DownloadFailedError, False, SkipReason.CONNECTION, Message("fetch.connection_broke")),
)


def explain_error(error: BaseException) -> SkipOutcome:
    """Put an exception of a download into words."""
    ignored = next((rule for rule in IGNORE_MESSAGES if rule[0] in str(error)), None)
    match error:
        case RequestRefused():
            return SkipOutcome(True, error.reason, error.message)
        case RequestSkipped():
            return error.outcome
        case HttpError():
            status = error.response.status
            return SkipOutcome(False, f"http_{status}", message("fetch.answered", status=status))
        case IgnoreRequest() | DownloadFailedError() if ignored is not None:
            return SkipOutcome(True, ignored[1], ignored[2])
    for kind, refused, reason, told in ERROR_OUTCOMES:
        if isinstance(error, kind):
            return SkipOutcome(refused, reason, told)
    return SkipOutcome(
        False, SkipReason.BROKEN, message("fetch.unreadable", error=failure(error, MAX_ERROR_CHARACTERS))
    )
