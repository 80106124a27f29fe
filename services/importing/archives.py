"""Reading .zip files that anybody may have made: broken ones, bombs, and names in GBK."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from services.importing.found import MAX_FILE_BYTES
from store.errors import BadInput, TooLarge

MAX_RATIO = 200  # a text deflates to a third; only a bomb to less than this
_UTF8_NAME = 0x800


@contextmanager
def opened(content: bytes) -> Iterator[zipfile.ZipFile]:
    """The archive in these bytes. Raises `BadInput` if it is none or its directory is broken."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise BadInput(f"a broken archive ({error}): pack it again") from None
    with archive:
        yield archive


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One file of the archive. Raises `BadInput` if it is missing, broken, encrypted, or `TooLarge`."""
    try:
        info = archive.getinfo(name)
        if info.file_size > MAX_FILE_BYTES or info.file_size > MAX_RATIO * max(info.compress_size, 1024):
            raise TooLarge(f"{name} unpacks to {info.file_size / 2**20:.0f} MB: unpack it by hand if it is meant so")
        return archive.read(info)
    except KeyError:
        raise BadInput(f"the archive has no {name}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BadInput(f"{name} in the archive is broken ({error}): pack it again") from None
    except RuntimeError:
        raise BadInput(f"{name} in the archive is protected by a password: unpack it by hand") from None


def shown_name(info: zipfile.ZipInfo) -> str:
    """The member's name as its maker wrote it; Chinese Windows writes GBK without saying so."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("gb18030")
    except UnicodeError:
        return info.filename
