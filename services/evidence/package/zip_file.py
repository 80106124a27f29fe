"""Members as a zip file, and back: nothing is compressed, nothing carries a clock, so the same members are the same
bytes, and a bit that was changed anywhere between them shows.
"""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from store.errors import BadInput

_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the first that the format can tell
_UNIX: Final = 3
_MODE: Final = 0o100644 << 16


def zipped(members: Mapping[str, bytes]) -> bytes:
    """The file, with its members in this order."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system, info.external_attr = _UNIX, _MODE
            archive.writestr(info, content)
    return out.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """The members in their order. BadInput: no zip file, or not one that `zipped` could have written."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            infos = archive.infolist()
            if any(one.compress_type != zipfile.ZIP_STORED for one in infos):
                raise BadInput("evidence.compressed")
            members = {one.filename: archive.read(one) for one in infos}
            if len(members) < len(infos):
                raise BadInput("evidence.twice")
            return members
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadInput("evidence.no_zip", error=error) from error
