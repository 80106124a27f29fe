"""Somebody who ends the servers that commands leave running, once nobody uses them any more."""

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from wenhen.child_environment import python
from wenhen.embedded.data_folder import layout_of
from wenhen.embedded.end_when_idle import lock_of
from wenhen.embedded.server_process import launch


def see_to_idle(data: Path) -> None:
    """Have somebody look after the servers of a folder, unless somebody does."""
    layout = layout_of(data)
    if not layout.run.is_dir():
        return
    with suppress(Timeout, OSError):
        with FileLock(lock_of(layout), timeout=0):
            pass
        launch(python("wenhen.embedded.end_when_idle", str(data)), {}, layout.log / "idle.log")
