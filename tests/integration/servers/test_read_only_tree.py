"""The product can be imported, and compiles nothing anew, where its own folder is read-only: as in its image."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("unshare"):
    pytest.skip("only root of a Linux machine can make a folder read-only to itself", allow_module_level=True)


def read_only(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a Python in the project's folder, which is read-only, by a user who has no home."""
    script = f'mount --bind {ROOT} {ROOT} && mount -o remount,bind,ro {ROOT} && cd {ROOT} && exec "$@"'
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, *command],
        env={"PATH": os.environ["PATH"], "HOME": "/proc/none", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


IMPORTS = (
    "-c",
    "import fingerprinter.features.model; from fingerprinter.compiled import load_all_compiled; load_all_compiled()",
)


def test_without_a_place_for_machine_code_nothing_can_be_imported() -> None:
    assert "no locator available" in read_only(*IMPORTS).stderr


def test_as_the_image_starts_it_what_was_compiled_is_taken_and_nothing_is_compiled_again(tmp_path: Path) -> None:
    warmed, own = tmp_path / "warmed", tmp_path / "own"
    assert "data saved" in read_only(*IMPORTS, NUMBA_CACHE_DIR=str(warmed), NUMBA_DEBUG_CACHE="1").stdout
    entry = ("-m", "wenhen.runtime.processes.container_entry", sys.executable)
    folders = {
        "WENHEN_WARMED": str(warmed),
        "NUMBA_CACHE_DIR": str(own),
        "PROMETHEUS_MULTIPROC_DIR": f"{tmp_path}/told",
    }
    for _ in range(2):
        done = read_only(*entry, *IMPORTS, **folders, NUMBA_DEBUG_CACHE="1")
        assert done.returncode == 0, done.stderr
        assert "index loaded" in done.stdout
        assert "data saved" not in done.stdout
    assert (tmp_path / "told").is_dir()


def test_a_program_that_is_not_there_ends_with_a_line_and_status_127() -> None:
    done = read_only("-m", "wenhen.runtime.processes.container_entry", "/no/such/program")
    assert (done.returncode, done.stderr) == (127, "/no/such/program: No such file or directory\n")
