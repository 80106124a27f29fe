"""Open untrusted ZIP archives: broken files, bombs, names in GBK."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from wenhen.kit.errors import BadInput, TooLarge

MAX_FILE_BYTES = 256 * 2**20
MAX_COMPRESSION_RATIO = 200  # a text deflates to a third; only a bomb to less than this
MAX_ARCHIVE_FILES = 20_000
FREE_UNPACKED_BYTES = (
    64 * 2**20
)  # that any archive may unpack to; a larger one, to that and so many times its own size:
MAX_TOTAL_RATIO = 20
_UTF8_NAME_FLAG = 0x800
# What zipfile and the libraries under it raise for bytes that no program wrote: bz2 an OSError, a wrong offset a
# ValueError, a version that does not exist a NotImplementedError.
_ZIP_ERRORS: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(LookupError, NotImplementedError, ValueError),
)


class ZipArchive:
    """An archive that is open: its files, and how much may still be unpacked."""

    def __init__(self, opened: zipfile.ZipFile, size: int) -> None:
        self._opened = opened
        self._left = FREE_UNPACKED_BYTES + MAX_TOTAL_RATIO * size
        self.files = [info for info in opened.infolist() if not info.is_dir()]
        if len(self.files) > MAX_ARCHIVE_FILES:
            raise TooLarge("importing.too_many_files", count=len(self.files), most=MAX_ARCHIVE_FILES)

    def read(self, file: zipfile.ZipInfo | str) -> bytes:
        """A file, or the one of that name. Raises `BadInput` if it is missing, broken, encrypted, or `TooLarge`; so
        does one with which the archive unpacks to more than any text would.
        """
        name = file if isinstance(file, str) else file.filename
        try:
            info = self._opened.getinfo(file) if isinstance(file, str) else file
            self._weigh(info)
            return self._opened.read(info)
        except KeyError:
            raise BadInput("importing.missing_in_archive", name=name) from None
        except _ZIP_ERRORS as error:
            raise BadInput("importing.broken_in_archive", name=name, error=str(error)) from None
        except RuntimeError:
            raise BadInput("importing.locked_in_archive", name=name) from None

    def weigh(self) -> None:
        """Raises `TooLarge` where its files unpack to more than any text would; zipfile unpacks none to more than its
        entry says.
        """
        for info in self.files:
            self._weigh(info)

    def _weigh(self, info: zipfile.ZipInfo) -> None:
        if info.file_size > MAX_FILE_BYTES or info.file_size > MAX_COMPRESSION_RATIO * max(info.compress_size, 1024):
            raise TooLarge("importing.unpacks_to", name=info.filename, size=info.file_size / 2**20)
        self._left -= info.file_size
        if self._left < 0:
            raise TooLarge("importing.unpacks_to_all", name=info.filename)


@contextmanager
def open_zip(content: bytes) -> Iterator[ZipArchive]:
    """The archive in these bytes. Raises `BadInput` if it is none or its directory is broken."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        files = ZipArchive(archive, len(content))
    except _ZIP_ERRORS as error:
        raise BadInput("importing.broken_archive", error=str(error)) from None
    with archive:
        yield files


def decode_member_name(info: zipfile.ZipInfo) -> str:
    """The member's name as its maker wrote it; Chinese Windows writes GBK without saying so."""
    if info.flag_bits & _UTF8_NAME_FLAG:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("gb18030")
    except UnicodeError:
        return info.filename
