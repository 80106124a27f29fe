"""What people say to each other about a case."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One remark; it stays as it was written."""

    id: str
    case_number: int
    by: str
    at: datetime
    text: str
