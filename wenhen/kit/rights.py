"""Define roles and the rights of each."""

from enum import StrEnum
from typing import Final, NamedTuple


class ActingToken(NamedTuple):
    """The API token through which something is done, as the audit log names it."""

    id: str
    name: str


class Role(StrEnum):
    """What somebody is there for; what each may do stands in one table."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    LAWYER = "lawyer"
    ADMINISTRATOR = "administrator"


# Who may do what: one table of roles and rights.


class Right(StrEnum):
    """What a view lets somebody do; also the scopes of a token."""

    READ = "read"  # look at every screen but those below
    CHECK = "check"  # ask whether a text is copied, or original
    EXPORT = "export"  # reports, lists and evidence to take away
    COMMENT = "comment"
    DECIDE = "decide"  # on cases: confirm, dismiss, open again, quiet, leave a passage or source out
    ASSIGN = "assign"  # hand a case to somebody
    PROCEED = "proceed"  # the path after confirmation, notice sent to escalated; also to undo what others decided
    HOLDERS = "holders"  # rights holders and their papers
    WORKS = "works"  # import, merge and remove works
    DETAILS = "details"  # what is said of works: title, author, holder, first publication and its proof
    SITES = "sites"  # add, change, pause and remove sites
    ACCESS = "access"  # how sites are reached: sessions, proxies, private addresses; whether robots.txt is obeyed
    CRAWL = "crawl"  # crawl now
    LICENCES = "licences"  # grant and withdraw
    OPERATE = "operate"  # what keeps the system running: retry what failed
    AUDIT = "audit"  # read the audit log
    ACCOUNT = "account"  # one's own password, second factor, sessions and tokens
    USERS = "users"  # other people, their roles and tokens
    PLATFORMS = "platforms"  # to whom notices go, and what they ask for
    WEBHOOKS = "webhooks"  # who is told of cases


_RIGHTS_OF_EVERYBODY: Final = {
    Right.READ,
    Right.CHECK,
    Right.EXPORT,
    Right.COMMENT,
    Right.DECIDE,
    Right.HOLDERS,
    Right.ACCOUNT,
}
RIGHTS: Final[dict[Role, frozenset[Right]]] = {
    Role.OPERATOR: frozenset(
        _RIGHTS_OF_EVERYBODY | {Right.WORKS, Right.DETAILS, Right.SITES, Right.CRAWL, Right.OPERATE}
    ),
    Role.REVIEWER: frozenset(_RIGHTS_OF_EVERYBODY | {Right.ASSIGN, Right.WORKS, Right.DETAILS, Right.CRAWL}),
    Role.LAWYER: frozenset(
        _RIGHTS_OF_EVERYBODY | {Right.ASSIGN, Right.PROCEED, Right.DETAILS, Right.LICENCES, Right.AUDIT}
    ),
    Role.ADMINISTRATOR: frozenset(Right),
}
