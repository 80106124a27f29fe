"""Define roles and the rights of each."""

from enum import StrEnum
from typing import Final, NamedTuple


class ActingToken(NamedTuple):
    """The API token of a request, as the audit log names it."""

    id: str
    name: str


class Role(StrEnum):
    """The roles of users. The rights of each are in one table."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    LAWYER = "lawyer"
    ADMINISTRATOR = "administrator"


# The table of roles and rights.


class Right(StrEnum):
    """What a view requires of a user; also the scopes of a token."""

    READ = "read"  # view every screen except those below
    CHECK = "check"  # check whether a text is copied, or original
    EXPORT = "export"  # download reports, lists and evidence
    COMMENT = "comment"
    DECIDE = "decide"  # on cases: confirm, dismiss, reopen, mute, exclude a passage or source
    ASSIGN = "assign"  # assign a case to a user
    PROCEED = "proceed"  # steps after confirmation, from notice sent to escalated; also to undo decisions of others
    HOLDERS = "holders"  # rights holders and their papers
    WORKS = "works"  # import, merge and remove works
    DETAILS = "details"  # data of works: title, author, holder, first publication and its proof
    SITES = "sites"  # add, change, pause and remove sites
    ACCESS = "access"  # access to sites: sessions, proxies, private addresses, and whether robots.txt is obeyed
    CRAWL = "crawl"  # crawl now
    LICENCES = "licences"  # grant and withdraw
    OPERATE = "operate"  # keep the system running: retry what failed
    AUDIT = "audit"  # read the audit log
    ACCOUNT = "account"  # one's own password, second factor, sessions and tokens
    USERS = "users"  # other people, their roles and tokens
    PLATFORMS = "platforms"  # recipients of notices, and their requirements
    WEBHOOKS = "webhooks"  # endpoints that receive cases
    FEED = "feed"  # as the only scope of a token: read feeds at a secret address
    SETTINGS = "settings"  # the settings of the installation


_RIGHTS_OF_EVERYBODY: Final = {
    Right.READ,
    Right.CHECK,
    Right.EXPORT,
    Right.COMMENT,
    Right.DECIDE,
    Right.HOLDERS,
    Right.ACCOUNT,
    Right.FEED,
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
# What is left of the rights of a role to people who are held to rights holders.
RIGHTS_OF_HELD: Final = frozenset(
    (
        Right.READ,
        Right.EXPORT,
        Right.COMMENT,
        Right.DECIDE,
        Right.ASSIGN,
        Right.PROCEED,
        Right.ACCOUNT,
        Right.FEED,
    )
)
