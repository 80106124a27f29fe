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
        raise BadInput("importing.broken_archive", error=str(error)) from None
    with archive:
        yield archive


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One file of the archive. Raises `BadInput` if it is missing, broken, encrypted, or `TooLarge`."""
    try:
        info = archive.getinfo(name)
        if info.file_size > MAX_FILE_BYTES or info.file_size > MAX_RATIO * max(info.compress_size, 1024):
            raise TooLarge("importing.unpacks_to", name=name, size=info.file_size / 2**20)
        return archive.read(info)
    except KeyError:
        raise BadInput("importing.missing_in_archive", name=name) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BadInput("importing.broken_in_archive", name=name, error=str(error)) from None
    except RuntimeError:
        raise BadInput("importing.locked_in_archive", name=name) from None


def shown_name(info: zipfile.ZipInfo) -> str:
    """The member's name as its maker wrote it; Chinese Windows writes GBK without saying so."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("gb18030")
    except UnicodeError:
        return info.filename
