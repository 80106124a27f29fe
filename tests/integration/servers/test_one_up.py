"""One `wenhen up` a data folder, and one worker at a time that compiles."""

from pathlib import Path

import pytest
from filelock import Timeout

from wenhen.kit.errors import Conflict
from wenhen.kit.python_process import COMPILING
from wenhen.runtime.embedded.data_folder import compiling_lock, instance_lock, is_compiling
from wenhen.runtime.processes.workers import CompilingNotice


def test_a_second_one_on_a_data_folder_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with instance_lock(tmp_path):
        with pytest.raises(Conflict, match=f"runs on the data folder {tmp_path} already"), instance_lock(tmp_path):
            pytest.fail("two at once")
        with instance_lock(tmp_path / "another"):
            pass
    with instance_lock(tmp_path):
        pass


def test_who_waits_for_a_worker_is_told_that_it_compiles_and_when_it_is_done(tmp_path: Path) -> None:
    said: list[str] = []
    notice = CompilingNotice(tmp_path, said.append)
    notice.look()
    assert said == [], "nothing is compiled"
    assert not list(tmp_path.iterdir()), "whoever only looks writes nothing"
    with compiling_lock(tmp_path):
        assert is_compiling(tmp_path)
        assert not is_compiling(tmp_path / "another")
        notice.look()
        notice.look()
        assert said == [COMPILING]
        with pytest.raises(Timeout):  # another worker waits, and then finds the machine code on disk
            compiling_lock(tmp_path).acquire(timeout=0)
    notice.look()
    notice.look()
    assert len(said) == 2
    assert "compiled and kept" in said[1]
