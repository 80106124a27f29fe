"""An exhibit's file checked: by its bytes alone, in a child with bounds, for anybody anywhere."""

from pathlib import Path
from typing import Final

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from services.evidence.package.verify_exhibit import Finding
from store.errors import BadInput, TooLarge

MOST: Final = 512  # MB of a file
_BOUNDS: Final = ReadingBounds(seconds=120, memory=4_000, output=4)


def verify(path: Path, roots: Path | None = None, key: str | None = None) -> list[Finding]:
    """What holds and what does not. roots: file of trusted root certificates, PEM; key: the fingerprint that the
    signature is to have. Raises `TooLarge`, `BadInput`.
    """
    if path.stat().st_size > MOST << 20:
        raise TooLarge("evidence.too_large", path=path, most=MOST)
    try:
        trusted = roots.read_text(encoding="ascii") if roots else ""
    except UnicodeDecodeError as error:
        raise BadInput("evidence.no_certificates", error=error) from error
    found: list[Finding] = read(
        "services.evidence.package.verify_exhibit:check", path.read_bytes(), trusted, key, bounds=_BOUNDS
    )
    return found
