"""What is stored can be looked into by its owner alone."""

import os
import stat
from pathlib import Path

import pytest

from wenhen.kit.errors import SetupError
from wenhen.kit.files import make_private_folder, open_private_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_and_a_new_file_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "new")
        open_private_file(tmp_path / "new" / "file").close()
    finally:
        os.umask(before)
    assert (mode(tmp_path / "new"), mode(tmp_path / "new" / "file")) == (0o700, 0o600)


def test_an_open_folder_that_is_plainly_ours_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "one.warc.gz").touch()
    make_private_folder(tmp_path, ["*.warc.gz"])
    assert mode(tmp_path) == 0o700


@pytest.mark.parametrize("kind", ["somebody's home", "for all to write", "of another user"])
def test_an_open_folder_that_may_be_somebody_elses_is_refused_and_left_as_it_is(tmp_path: Path, kind: str) -> None:
    given = 0o1777 if kind == "for all to write" else 0o755
    tmp_path.chmod(given)
    if kind == "somebody's home":
        (tmp_path / "letters.txt").touch()
    if kind == "of another user":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(tmp_path, 65534, -1)
    with pytest.raises(SetupError, match="0700"):
        make_private_folder(tmp_path, ["*.warc.gz"])
    assert mode(tmp_path) == given
