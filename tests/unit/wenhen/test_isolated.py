"""What lies in the working folder, say among the texts that somebody imports, is never run as a part of us."""

import re
import subprocess
from pathlib import Path

import pytest

from wenhen.kit.python_process import python_command

ROOT = Path(__file__).parents[3]
ROOMS = ("fingerprinter", "crawler", "matcher", "dashboard", "wenhen", "benchmarks")
SHADOWS = ("celery", "gunicorn", "redis", "pymongo", "numpy", "kombu", "psutil", "wenhen", "crawler", "planted")


@pytest.mark.parametrize(
    "program",
    [
        ("wenhen.pipeline.isolated_program", "celery", "worker", "--help"),
        ("wenhen.pipeline.isolated_program", "gunicorn", "--check-config", "planted:app"),
        ("wenhen.runtime.processes.survey_process",),
    ],
    ids=["celery", "gunicorn", "our own"],
)
def test_a_child_imports_nothing_of_the_folder_that_it_is_started_in(tmp_path: Path, program: tuple[str, ...]) -> None:
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text("open('ran', 'a').write(__name__)\ndef app(*asked): ...\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path), "WENHEN_DATA": str(tmp_path)}
    done = subprocess.run(
        python_command(*program), cwd=tmp_path, env=env, input=b"", capture_output=True, timeout=120, check=False
    )
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert (done.returncode == 0) == ("--help" in program), done.stderr.decode()


def test_every_python_that_we_start_is_isolated() -> None:
    started = re.compile(r"sys\.executable,[^\n]*")
    open_ = {
        f"{file.relative_to(ROOT)}: {line}"
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
        for line in started.findall(file.read_text("utf-8"))
        if '"-I"' not in line
    }
    assert not open_
