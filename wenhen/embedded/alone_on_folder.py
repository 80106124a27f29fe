"""One `wenhen up` a data folder: two would write the same logs, and the first to end would take the servers along."""

from contextlib import AbstractContextManager
from pathlib import Path

from store.errors import Conflict
from wenhen.embedded.data_folder import layout_of
from wenhen.embedded.held_file import held


def alone_on(data: Path) -> AbstractContextManager[None]:
    """Raises `Conflict` while another one runs on this folder, `SetupError` where that cannot be known."""
    return held(layout_of(data).run / "up.lock", 0, Conflict("server.up_already", folder=data))
