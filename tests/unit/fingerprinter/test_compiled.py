"""Compiled functions are there for the types that they declare, from their first call on and not before."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fingerprinter.normalize.reading_order import has_rows
from wenhen.kit.python_process import PRECOMPILE_COMMAND

ROOT = Path(__file__).parents[3]


def test_nothing_is_read_until_a_function_is_called_and_then_no_more_than_it_needs() -> None:
    program = """
from fingerprinter import compiled
import matcher.retrieval.candidates
import matcher.attribution.resolve_sources
from fingerprinter.normalize.obfuscation import detect_obfuscation
import numpy as np
def loaded(): return sum(bool(one._compiled is not None and one.overloads) for one in compiled._DECLARED)
before = loaded()
detect_obfuscation(np.zeros(3, np.uint32))
print(before, loaded(), len(compiled._DECLARED) > 20)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1", "True"]


def test_what_is_not_of_the_declared_types_is_refused_and_compiled_for_nothing_else() -> None:
    for wrong in ("text", np.zeros(3, np.float64)):
        with pytest.raises(TypeError, match="No matching definition"):
            has_rows(wrong)
    assert len(has_rows.overloads) == 1


KEPT = """
import sys
from fingerprinter import numba_cache
{before}
import numpy as np
from numba import njit
from matcher.retrieval.ranking import _count_common_places
places, numbers = np.array([0, 0, 3, 3, 3], np.uint32), np.array([1, 2, 1, 1, 4], np.uint32)
found = _count_common_places(places, numbers, 2.0)
learned = "numba.np.arraymath" in sys.modules
@njit
def again(places, numbers):
    return 10 * _count_common_places(places, numbers, 2.0)
print(found, learned, again(places, numbers), _count_common_places(places[:0], numbers[:0], 1.0))
"""


def test_code_from_disk_runs_without_what_it_was_compiled_with_and_can_still_be_built_into_other_code() -> None:
    for before, learned in (("", "False"), ("numba_cache.IS_TESTED_NUMBA = False  # another numba", "True")):
        program = [sys.executable, "-c", KEPT.format(before=before)]
        subprocess.run(program, cwd=ROOT, capture_output=True, check=True)  # by now it is on disk
        done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["2", learned, "20", "0"]


def test_code_that_is_not_on_disk_is_compiled_and_kept(tmp_path: Path) -> None:
    module = tmp_path / "adding.py"
    module.write_text("""
import numpy as np
from fingerprinter.compiled import compiled

@compiled("i8(i8[::1])")
def total(numbers):
    if len(numbers) > 3:
        raise ValueError("too many")
    return np.cumsum(numbers)[-1]
""")
    program = """
import numpy as np
from adding import total
print(total(np.arange(3)), dict(total.stats.cache_hits) != {})
try:
    total(np.arange(4))
except ValueError as error:
    print(error)
"""
    for kept in ("False", "True"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split("\n")[:2] == [f"3 {kept}", "too many"]


ADDING = """
from fingerprinter.compiled import compiled

@compiled("i8(i8, i8)")
def total(one, other):
    return one + other
"""


def run_adding(folder: Path, cache: str, program: str, *arguments: str) -> str:
    """Run a program with a compiled function, and a cache of machine code of its own. Return what it prints."""
    (folder / "adding.py").write_text(ADDING)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "NUMBA_CACHE_DIR": str(folder / cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_child_compiles_what_is_not_on_disk_and_tells_so_and_this_process_keeps_nothing_of_it(tmp_path: Path) -> None:
    program = """
import sys
from fingerprinter.compiled import is_machine_code_complete
from wenhen.kit.python_process import compile_in_child
from adding import total
compile_in_child(is_machine_code_complete, print, [sys.executable, "-c", sys.argv[1]])
print(total(1, 2), dict(total.stats.cache_hits) != {})
compile_in_child(is_machine_code_complete, print, ["no such program"])  # by now all is on disk: no child, no word
"""
    fails = "raise SystemExit(1)"  # then the process compiles what it calls
    compiles = "import adding, fingerprinter.compiled as all; all.load_all_compiled()"
    for child, told, from_disk in ((fails, "ended with status 1", "False"), (compiles, "compiled and kept", "True")):
        begun, done, result = run_adding(tmp_path, from_disk, program, child).splitlines()
        assert "正在编译机器代码" in begun
        assert "compiling machine code" in begun
        assert told in done
        assert result == f"3 {from_disk}"


def test_a_command_says_that_it_compiles_before_it_does_and_says_nothing_when_there_is_nothing_to_compile(
    tmp_path: Path,
) -> None:
    program = """
import sys
import click
from wenhen.cli import main

@click.command()
def adds():
    from adding import total
    click.echo(f"{total(1, 2)} {total(3, 4)}")

sys.stderr = sys.stdout
sys.modules["adds"] = sys.modules["__main__"]
main.COMMANDS["adds"] = main.CommandEntry("adds", "adds", "adds")
main.main(["adds"])
"""
    begun, result, done = run_adding(tmp_path, "cache", program).splitlines()
    assert "compiling machine code" in begun
    assert result == "3 7"
    assert "compiled and kept" in done
    assert run_adding(tmp_path, "cache", program) == "3 7\n"


def test_ctrl_c_ends_the_process_that_compiles_without_a_traceback(tmp_path: Path) -> None:
    child = subprocess.Popen(
        PRECOMPILE_COMMAND, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, stderr=subprocess.PIPE
    )
    while not list(tmp_path.rglob("*.nbc")):  # until it compiles
        assert child.poll() is None
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate()
    assert (child.returncode, said) == (-signal.SIGINT, b"")
