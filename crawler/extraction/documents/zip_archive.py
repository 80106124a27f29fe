"""Open untrusted ZIP archives: broken files, decompression bombs, names in GBK."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote

from crawler.extraction.charset import common_characters
from wenhen.kit.errors import BadInput, TooLarge
from wenhen.kit.size_and_time_limits import (
    FREE_UNPACKED_BYTES,
    MAX_ARCHIVE_FILES,
    MAX_COMPRESSION_RATIO,
    MAX_FILE_BYTES,
    MAX_TOTAL_RATIO,
)

_UTF8_NAME_FLAG = 0x800
_UNICODE_PATH_FIELD = 0x7075  # extra field with the name in UTF-8 (Info-ZIP)
_PACKER_FOLDERS: Final = frozenset(("__MACOSX",))  # folders that packers add themselves
_PACKER_FILES: Final = frozenset(("thumbs.db", "desktop.ini"))
# Errors of zipfile and its libraries for malformed bytes: bz2 raises OSError, a wrong offset ValueError, an unknown
# version NotImplementedError.
_ZIP_ERRORS: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(LookupError, NotImplementedError, ValueError),
)


class ZipArchive:
    """Represent an open archive: its files, and how much may still be unpacked."""

    def __init__(self, opened: zipfile.ZipFile, size: int) -> None:
        self._opened = opened
        self._left = FREE_UNPACKED_BYTES + MAX_TOTAL_RATIO * size
        self.files = [info for info in opened.infolist() if not info.is_dir()]
        if len(self.files) > MAX_ARCHIVE_FILES:
            raise TooLarge("importing.too_many_files", count=len(self.files), most=MAX_ARCHIVE_FILES)

    def read(self, file: zipfile.ZipInfo | str) -> bytes:
        """Return a file, or the one with this name.

        Raises `BadInput` if it is missing, broken or encrypted, and `TooLarge` if it or the whole archive unpacks to
        more than any text would.
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

    def read_part(self, name: str) -> bytes:
        """Return the file with this name or an equivalent one, as reading programs do.

        Slashes in either direction, letter case and composed marks make no difference. Raises as `read`.
        """
        return self.read(self._parts.get(_part_key(name), name))

    def has_part(self, name: str) -> bool:
        """Tell whether `read_part` finds a file with this name."""
        return _part_key(name) in self._parts

    def has_folder(self, name: str) -> bool:
        """Tell whether a file's name begins with this prefix."""
        return any(part.startswith(_part_key(name)) for part in self._parts)

    @cached_property
    def _parts(self) -> dict[str, zipfile.ZipInfo]:
        named = {decode_member_name(info): info for info in reversed(self.files)}
        # Some programs store names as references write them: `a%20b.xhtml`.
        unquoted = {_part_key(unquote(name)): info for name, info in named.items()}
        return unquoted | {_part_key(name): info for name, info in named.items()}

    def _weigh(self, info: zipfile.ZipInfo) -> None:
        if info.file_size > MAX_FILE_BYTES or info.file_size > MAX_COMPRESSION_RATIO * max(info.compress_size, 1024):
            raise TooLarge("importing.unpacks_to", name=info.filename, size=info.file_size / 2**20)
        self._left -= info.file_size
        if self._left < 0:
            raise TooLarge("importing.unpacks_to_all", name=info.filename)


@contextmanager
def open_zip(content: bytes) -> Iterator[ZipArchive]:
    """Open the archive in these bytes. Raises `BadInput` if it is none or its directory is broken."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        files = ZipArchive(archive, len(content))
    except _ZIP_ERRORS as error:
        raise BadInput("importing.broken_archive", error=str(error)) from None
    with archive:
        yield files


def decode_member_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name as its maker wrote it, with composed marks.

    Macs write UTF-8, and Windows writes GBK, Shift-JIS or Big5, without declaring it.
    """
    return normalize("NFC", _decode_name(info))


def _decode_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _UTF8_NAME_FLAG:
        return info.filename
    if (stated := _unicode_path(info.extra)) is not None:
        return stated
    readings = list(_iter_readings(info.filename))
    likely = (name for name in readings if all(sign < "\x80" or sign in common_characters() for sign in name))
    return next(likely, readings[0] if readings else info.filename)


def _iter_readings(name: str) -> Iterator[str]:
    """Yield a name decoded in common undeclared charsets, the most frequent first. UTF-8 proves itself by its form."""
    for charset in ("utf-8", "gb18030", "cp932", "big5"):
        try:
            yield name.encode("cp437").decode(charset)
        except UnicodeError:
            continue
        if charset == "utf-8":
            return


def _unicode_path(extra: bytes) -> str | None:
    offset = 0
    while offset + 4 <= len(extra):
        field, size = struct.unpack_from("<HH", extra, offset)
        if field == _UNICODE_PATH_FIELD and size > 5:  # a version and a checksum come first
            try:
                return extra[offset + 9 : offset + 4 + size].decode()
            except UnicodeDecodeError:
                return None
        offset += 4 + size
    return None


def is_packer_file(name: str) -> bool:
    """Tell whether a packer added a member itself: metadata that a Mac or Windows keeps beside files."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.name.startswith(".") or path.name.lower() in _PACKER_FILES or not _PACKER_FOLDERS.isdisjoint(path.parts)


def _part_key(name: str) -> str:
    return normalize("NFC", name).replace("\\", "/").removeprefix("./").lstrip("/").casefold()
