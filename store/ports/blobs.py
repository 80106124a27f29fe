"""Bodies and texts."""

from typing import Protocol


class Blobs(Protocol):
    """Bodies and texts by the SHA-256 of their content; putting one twice stores it once."""

    def put(self, content: bytes) -> str: ...
    def get(self, digest: str) -> bytes: ...  # NotFound
    def put_text(self, text: str) -> str: ...
    def get_text(self, digest: str) -> str: ...  # NotFound
