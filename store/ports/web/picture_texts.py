"""What is written in pictures."""

from collections.abc import Collection
from typing import Protocol

from store.records import PictureText


class PictureTexts(Protocol):
    """Pictures by their content, each read once however many pages show it."""

    def put(self, text: PictureText) -> None:
        """Keep what was read, in place of an earlier reading."""

    def known(self, ids: Collection[str]) -> dict[str, PictureText]:
        """Those of them that were read."""

    def of_document(self, digest: str) -> dict[str, PictureText]:
        """The pages of a document that were read, by their ids."""
