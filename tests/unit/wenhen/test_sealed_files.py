"""The files of a sealed backup: each opens with the backup's key alone, whichever release wrote it."""

import gzip
import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from wenhen.backups import sealed_files
from wenhen.backups.sealed_files import SEALED_PIECE_BYTES, BackupKey, read_part, write_part
from wenhen.kit.errors import BadInput

SECRET = "a key of the installation"
SALT = b"salt of one file"
CONTENT = bytes(range(256)) * 40


def written(path: Path, key: BackupKey | None, content: bytes = CONTENT) -> bytes:
    with write_part(path, key) as part:
        part.write(content)
    return path.read_bytes()


def read(path: Path, key: BackupKey | None) -> bytes:
    with read_part(path, key) as part:
        return part.read()


def sealed_at_first(content: bytes) -> bytes:
    """A file as the first release that sealed any wrote it."""
    key = hashlib.scrypt(SECRET.encode(), salt=SALT, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=32)
    packed = gzip.compress(content)
    assert len(packed) < SEALED_PIECE_BYTES
    return b"wenhen-backup-1\n" + SALT + AESGCM(key).encrypt(bytes(11) + b"\x01", packed, None)


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The salts from which scrypt derived keys."""
    salts: list[bytes] = []

    def derive(*, salt: bytes, length: int, n: int, r: int, p: int) -> Scrypt:
        salts.append(salt)
        return Scrypt(salt=salt, length=length, n=n, r=r, p=p)

    monkeypatch.setattr(sealed_files, "Scrypt", derive)
    return salts


def test_the_slow_key_is_derived_once_for_all_files_of_a_backup_as_they_are_written_and_read(
    tmp_path: Path, derived: list[bytes]
) -> None:
    key = BackupKey(SECRET)
    sealed = {written(tmp_path / str(number), key) for number in range(5)}
    assert len(sealed) == 5, "each file is sealed under a key of its own"
    assert len(derived) == 1
    later = BackupKey(SECRET)
    assert {read(tmp_path / str(number), later) for number in range(5)} == {CONTENT}
    written(tmp_path / "log", later)
    assert derived == derived[:1] * 2, "what is added later has the key of the backup"


def test_another_backup_has_another_key(tmp_path: Path, derived: list[bytes]) -> None:
    for name in ("one", "other"):
        written(tmp_path / name, BackupKey(SECRET))
    assert len(set(derived)) == 2


def test_files_that_an_earlier_release_sealed_are_read(tmp_path: Path) -> None:
    file = tmp_path / "part"
    file.write_bytes(sealed_at_first(CONTENT))
    key = BackupKey(SECRET)
    assert read(file, key) == CONTENT
    written(tmp_path / "newer", key)
    assert read(tmp_path / "newer", BackupKey(SECRET)) == CONTENT
    with pytest.raises(BadInput, match="the key is another"):
        read(file, BackupKey("another"))


@pytest.mark.parametrize("place", [20, 40, 60, -1])
def test_a_sealed_file_with_a_byte_changed_is_not_opened(tmp_path: Path, place: int) -> None:
    content = bytearray(written(tmp_path / "part", BackupKey(SECRET)))
    content[place] ^= 1
    (tmp_path / "part").write_bytes(content)
    with pytest.raises(BadInput):
        read(tmp_path / "part", BackupKey(SECRET))
