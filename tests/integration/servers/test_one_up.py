"""One `wenhen up` a data folder."""

from pathlib import Path

import pytest

from store.errors import Conflict
from wenhen.embedded.alone_on_folder import alone_on


def test_a_second_one_on_a_data_folder_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with alone_on(tmp_path):
        with pytest.raises(Conflict, match=f"runs on the data folder {tmp_path} already"), alone_on(tmp_path):
            pytest.fail("two at once")
        with alone_on(tmp_path / "another"):
            pass
    with alone_on(tmp_path):
        pass
