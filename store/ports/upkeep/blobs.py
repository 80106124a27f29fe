"""Bodies and texts."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol


class Blobs(Protocol):
    """Bodies and texts by the SHA-256 of their content; putting one twice stores it once."""

    def put(self, content: bytes) -> str: ...
    def put_all(self, contents: Sequence[bytes]) -> list[str]:
        """Their digests; after an error some may be stored."""

    def get(self, digest: str) -> bytes: ...  # NotFound
    def get_all(self, digests: Collection[str]) -> dict[str, bytes]: ...  # NotFound
    def put_text(self, text: str) -> str: ...
    def put_texts(self, texts: Sequence[str]) -> list[str]:
        """Their digests. BadInput where one is no Unicode, and then none of them is stored."""

    def drop(self, digests: Collection[str], before: datetime) -> int:
        """Forget these contents but what was put in since `before`, which is a day ago at the latest; how many."""

    def get_text(self, digest: str) -> str: ...  # NotFound
    def get_texts(self, digests: Collection[str]) -> dict[str, str]: ...  # NotFound
    def texts_there(self, digests: Collection[str]) -> dict[str, str]:
        """Those of these texts that are there and whole."""
