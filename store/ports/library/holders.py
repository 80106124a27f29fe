"""The rights holders."""

from typing import Protocol

from store.records import Holder, Paper


class Holders(Protocol):
    """Rights holders by name."""

    def put(self, holder: Holder) -> None:
        """Store the holder in place of the one of that name, whose papers stay. BadInput: a site that is no host or
        host/path.
        """

    def add_paper(self, id: str, paper: Paper) -> None: ...  # NotFound
    def remove_paper(self, id: str, paper_id: str) -> None: ...
    def get(self, id: str) -> Holder: ...  # NotFound
    def all(self) -> list[Holder]: ...
    def remove(self, id: str) -> None: ...  # NotFound
    def at_home(self, owner: str, url: str) -> bool:
        """Whether the address lies on one of the owner's own sites; False for an owner who is not known."""
