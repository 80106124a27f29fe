"""Find verbatim passages with a suffix array over all texts (pydivsufsort)."""

import json
import sys
from pathlib import Path

import numpy as np
from pydivsufsort import divsufsort, kasai

MIN_COMMON_BYTES = 150  # bytes: 50 Chinese characters


def main(documents: Path, answer: Path) -> None:
    """Find documents with adjacent suffixes that share their first 50 characters."""
    with documents.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"].encode() for line in lines]
    joined = b"\0".join(texts)
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1  # positions of the zeros between texts
    suffixes = divsufsort(joined)
    owners = np.searchsorted(ends, suffixes)
    common = np.minimum(kasai(joined, suffixes), ends[owners] - suffixes)  # never across the end of a text
    alike = np.flatnonzero(common[:-1] >= MIN_COMMON_BYTES)
    first, second = owners[alike], owners[alike + 1]
    pairs = np.unique(np.sort(np.column_stack([first, second]), axis=1)[first != second], axis=0)
    outcome = {"groups": pairs.tolist(), "kept": suffixes.nbytes + len(joined)}
    answer.write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
