"""Run the fuzzer: `python -m benchmarks.fuzz INPUTS [FIRST]`. Exit with status 1 on a failure."""

import os
import sys
from collections import Counter

from benchmarks.fuzz.harness import corpus_files, run_fuzz, try_input

PROGRESS_INPUTS = 100_000  # inputs between progress lines


def main(inputs: int, first: int = 0) -> int:
    """Try the corpus and generated inputs, and print the results."""
    faults = [fault for target, file in corpus_files() if (fault := try_input(target, file.read_bytes(), file.name)[0])]
    counts: Counter[str] = Counter()
    slowest, memory = 0.0, 0
    for target, part in run_fuzz(inputs, os.cpu_count() or 1, first):
        counts[target] += part.count
        slowest, memory = max(slowest, part.slowest), max(memory, part.memory)
        faults += part.faults
        if counts.total() // PROGRESS_INPUTS > (counts.total() - part.count) // PROGRESS_INPUTS:
            print(f"{counts.total():,} inputs", flush=True)
        for fault in part.faults:
            print(f"{fault.target} {fault.number}: {fault.what}", flush=True)
    print(f"{counts.total():,} inputs through {len(counts)} readers: {len(faults)} faults; ", end="")
    print(f"the slowest took {slowest:.2f} s, a process {memory} MB at the most")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
