"""Where every response of a crawl is kept as evidence: the port."""

from collections.abc import Sequence
from typing import Protocol

from crawler.crawl.answered import Answered
from store.records import WarcPlace


class Archive(Protocol):
    """May be written to by several threads."""

    def write_all(self, answers: Sequence[Answered]) -> Sequence[WarcPlace | Exception]:
        """Keep them, for good when this returns: where each is, or why it could not be kept, as
        `store.errors.Unavailable`. It is not to be tried again then, as an archive takes nothing back.
        """

    def close(self) -> None:
        """Nothing more comes."""
