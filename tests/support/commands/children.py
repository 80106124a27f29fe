"""The processes that a test started: those that are there, by a word of their command, and whether one has ended."""

import psutil


def children_with(word: str, pid: int | None = None) -> list[psutil.Process]:
    """Those below a process (this one, if none is given) whose command has the word; without those that ended."""
    return [one for one in psutil.Process(pid).children(recursive=True) if word in _command(one)]


def ended(pid: int) -> bool:
    """Whether a process is no more, or waits for nothing but that its parent asks for its end."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it ended meanwhile, or nobody has asked for its end yet
        return []
