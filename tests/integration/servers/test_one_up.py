"""One `wenhen up` a data folder."""

from pathlib import Path

import pytest

from wenhen.kit.errors import Conflict
from wenhen.runtime.embedded.data_folder import instance_lock


def test_a_second_one_on_a_data_folder_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with instance_lock(tmp_path):
        with pytest.raises(Conflict, match=f"runs on the data folder {tmp_path} already"), instance_lock(tmp_path):
            pytest.fail("two at once")
        with instance_lock(tmp_path / "another"):
            pass
    with instance_lock(tmp_path):
        pass
