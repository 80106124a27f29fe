"""Stop throw-away servers and remove their folders when their owner has ended.

Run by path as ``python throwaway_watchdog.py OWNER_PID FOLDER…``. It imports nothing of this project, so that it starts
fast. Unlike PR_SET_PDEATHSIG, which depends on the thread that started a child, it depends on the process.
"""

import contextlib
import os
import shutil
import sys
import time
from itertools import pairwise
from pathlib import Path

import psutil


def remove_servers(folders: list[Path]) -> None:
    """Kill the servers with one of `folders` on their command line, then remove the folders."""
    while users := [process for process in psutil.process_iter() if _is_server_in(process, folders)]:
        for process in users:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(0.02)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _is_server_in(process: psutil.Process, folders: list[Path]) -> bool:
    try:
        command = process.cmdline() if process.status() != psutil.STATUS_ZOMBIE else []
    except psutil.Error:
        return False
    flags = {"--dbpath", "--dir"}
    values = [value for flag, value in pairwise(command) if flag in flags]
    return any(Path(value).is_relative_to(folder) for value in values for folder in folders)


def wait_for_owner() -> None:
    """Wait until the owner has ended, or has removed the first folder itself. Then remove the servers."""
    owner, folders = int(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]]
    while os.getppid() == owner and folders[0].exists():
        time.sleep(0.5)
    remove_servers(folders)


if __name__ == "__main__":
    wait_for_owner()
