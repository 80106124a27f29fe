"""The pictures that were fetched with a page, kept as one archive: what a capture names by one digest."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

_UNDATED = (1980, 1, 1, 0, 0, 0)  # so that the same pictures make the same archive


@dataclass(frozen=True, slots=True)
class FetchedPicture:
    """A picture and the address that the page has it from."""

    address: str
    content: bytes

    @property
    def digest(self) -> str:
        """By which its reading is kept."""
        return hashlib.sha256(self.content).hexdigest()


def packed(pictures: Sequence[FetchedPicture]) -> bytes:
    """An archive (ZIP) of the pictures in their order, each with its address as its comment."""
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as writing:
        for number, one in enumerate(pictures, 1):
            entry = zipfile.ZipInfo(f"{number:03}", _UNDATED)
            entry.comment = one.address.encode()
            writing.writestr(entry, one.content)
    return archive.getvalue()


def unpacked(archive: bytes) -> list[FetchedPicture]:
    """What was packed."""
    with zipfile.ZipFile(io.BytesIO(archive)) as reading:
        return [FetchedPicture(one.comment.decode(), reading.read(one)) for one in reading.infolist()]
