"""The people who use the dashboard."""

from enum import StrEnum


class Role(StrEnum):
    """What somebody is there for; what each may do stands in one table."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    LAWYER = "lawyer"
    ADMINISTRATOR = "administrator"
