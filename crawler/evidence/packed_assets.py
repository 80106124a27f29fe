"""What was fetched with a page because its text is shown in it, pictures, fonts and style sheets: kept as one
archive, which a capture names by one digest.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

FONT_SIGNS = (b"wOF2", b"wOFF", b"OTTO", b"true", b"\0\1\0\0")
_STYLE = ".css"  # how the name of a sheet ends in the archive
_UNDATED = (1980, 1, 1, 0, 0, 0)  # so that the same assets make the same archive


@dataclass(frozen=True, slots=True)
class PageAsset:
    """A picture, a font or a style sheet, and the address that the page has it from."""

    address: str
    content: bytes
    is_style: bool = False

    @property
    def digest(self) -> str:
        """By which what is read in a picture is kept."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def is_font(self) -> bool:
        """By how it begins."""
        return self.content.startswith(FONT_SIGNS)

    @property
    def is_picture(self) -> bool:
        """Whether it is neither of the others."""
        return not (self.is_style or self.is_font)


def packed(assets: Sequence[PageAsset]) -> bytes:
    """An archive (ZIP) of the assets in their order, each with its address as its comment."""
    import io
    import zipfile

    with zipfile.ZipFile(archive := io.BytesIO(), "w") as writing:
        for number, one in enumerate(assets, 1):
            entry = zipfile.ZipInfo(f"{number:03}{_STYLE if one.is_style else ''}", _UNDATED)
            entry.comment = one.address.encode()
            writing.writestr(entry, one.content)
    return archive.getvalue()


def unpacked(archive: bytes) -> list[PageAsset]:
    """What was packed."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as reading:
        return [
            PageAsset(one.comment.decode(), reading.read(one), one.filename.endswith(_STYLE))
            for one in reading.infolist()
        ]
