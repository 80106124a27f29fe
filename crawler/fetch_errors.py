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
    """A rule of the crawl forbids the request."""

    def __init__(self, reason: SkipReason, message: Message) -> None:
        super().__init__(str(message))
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class SkipOutcome:
    """The outcome of an address without a capture."""

    refused: bool  # by a rule; otherwise the server failed
    reason: str
    message: Message


class RequestSkipped(IgnoreRequest):
    """An address was not requested, for example because no proxy works. The outcome tells the reason."""

    def __init__(self, outcome: SkipOutcome) -> None:
        super().__init__(str(outcome.message))
        self.outcome = outcome


MAX_ERROR_CHARACTERS = 200  # characters of a library's error message

# Scrapy raises one class for all of these, and another for the last. Only their text tells them apart.
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
    """Return the outcome that an exception of a download stands for."""
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
    for kind, refused, reason, explanation in ERROR_OUTCOMES:
        if isinstance(error, kind):
            return SkipOutcome(refused, reason, explanation)
    return SkipOutcome(
        False, SkipReason.BROKEN, message("fetch.unreadable", error=failure(error, MAX_ERROR_CHARACTERS))
    )
