"""An environment of its own for each tool that cannot live in ours, made once and kept in the data folder."""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

LONGEST = 1800  # seconds that an installation may take
MADE = "made"  # written last


class ToolAbsent(Exception):
    """A tool that cannot be had here; it says why."""


def python_with(requirements: tuple[str, ...], folder: Path) -> Path:
    """The interpreter that has these packages: ours where none are asked for. Raises ToolAbsent."""
    if not requirements:
        return Path(sys.executable)
    place = folder / sha256("\n".join((sys.version, *requirements)).encode()).hexdigest()[:16]
    python = place / "bin" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not (place / MADE).exists():
            shutil.rmtree(place, ignore_errors=True)
            _run([sys.executable, "-I", "-m", "venv", "--without-pip", str(place)])
            _run([sys.executable, "-I", "-m", "pip", "--python", str(python), "install", "--quiet", *requirements])
            (place / MADE).touch()
    return python


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired as error:
        raise ToolAbsent(f"not installed in {LONGEST} s") from error
    except subprocess.CalledProcessError as error:
        raise ToolAbsent(last_line(error.stderr or error.stdout)) from error


def last_line(text: str) -> str:
    """What a program said last, which is what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
