"""The wiring opens the product without what only some commands need."""

import subprocess
import sys

MODULES = "wenhen.runtime.wiring, wenhen.works.commands, wenhen.runtime.processes.crawl_process"
STARTED = f"import sys, {MODULES}; print('numba' in sys.modules)"


def test_what_looks_nothing_up_starts_without_the_compiled_code_of_the_index() -> None:
    told = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"
