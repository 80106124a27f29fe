"""The one tree of errors.

::

    WenhenError
    ├── BadInput            a file, text, address or option that cannot be used as given
    │   ├── TooLarge        larger than its limit
    │   └── Unreadable      bytes that cannot be read within the bounds of a reader (another try helps nothing)
    ├── NotFound            no such record
    ├── Conflict            the record changed under the caller, or exists already
    ├── Unavailable         a server or a site does not answer (worth another try)
    │   ├── IndexNotReady   the inverted index is missing or being built
    │   └── DiskFull        no room for a write
    ├── Forbidden           who acts has no right to it
    ├── TooManyTries        passwords or codes come too quickly: wait
    ├── FetchRefused        a rule forbids fetching an address (robots, private network, limits)
    └── SetupError          something that the machine lacks, with what to do about it

An error carries a code and figures (`store.messages`): what was wrong, where, and what to do is one line that each
reader's language makes of them.
"""

from store.messages import Message, message


class WenhenError(Exception):
    """Base of every error that the product raises on purpose.

    code: of a sentence in `store/sentences`; figures: the values of its braces:
    ``raise NotFound("works.unknown", id=id)``.
    """

    def __init__(self, code: str, /, **figures: object) -> None:
        self.message = message(code, **figures)
        super().__init__(str(self.message))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross processes with what they carry."""
        return _again, (type(self), self.message)


def _again(kind: type[WenhenError], carried: Message) -> WenhenError:
    return kind(carried.code, **carried.figures)


class BadInput(WenhenError):
    """A file, text, address or option cannot be used as given."""


class TooLarge(BadInput):
    """Input is larger than the limit that the message names."""


class Unreadable(BadInput):
    """Foreign bytes cannot be read within the bounds of time, memory and output, or fail their reader."""


class NotFound(WenhenError):
    """No record has the id that was asked for."""


class Conflict(WenhenError):
    """The record changed under the caller, or exists already."""


class Unavailable(WenhenError):
    """A server or a site does not answer; trying again later may help."""


class IndexNotReady(Unavailable):
    """The inverted index is missing or being built; it is rebuilt from the fingerprints."""


class DiskFull(Unavailable):
    """There is no room for a write; nothing that was stored before is lost."""


class Forbidden(WenhenError):
    """Who acts has no right to it."""


class TooManyTries(WenhenError):
    """Passwords or codes come too quickly; the figure `seconds` says how long to wait."""


class FetchRefused(WenhenError):
    """A rule (robots.txt, private address, size or redirect limit) forbids fetching an address."""


class SetupError(WenhenError):
    """The machine lacks something; the message says what, and what to do."""
