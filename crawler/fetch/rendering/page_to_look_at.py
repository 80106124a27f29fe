"""What a browser is given to look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PageToLookAt:
    """A page that is looked at. document: as captured; content_type: as its server told it. internal: it may lie in a
    private network; host_map: as in `CrawlJob`.
    """

    url: str
    document: bytes
    content_type: str
    user_agent: str
    internal: bool = False
    host_map: Mapping[str, str] = field(default_factory=dict)
