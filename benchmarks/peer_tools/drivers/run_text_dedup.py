"""Find similar documents with text-dedup: its MinHash command, characters separated by spaces."""

import json
import sys
from collections import defaultdict
from pathlib import Path

from datasets import Dataset
from text_dedup import minhash


def main(documents: Path, answer: Path, folder: Path) -> None:
    """Use the tool's defaults: 250 permutations, five words a shingle, likeness .7, one process."""
    spaced = folder / "spaced.jsonl"
    with documents.open(encoding="utf-8") as lines, spaced.open("w", encoding="utf-8") as out:
        for document in map(json.loads, lines):
            out.write(json.dumps({"id": document["id"], "text": " ".join(document["text"])}) + "\n")
    given = {"path": "json", "data_files": spaced, "split": "train", "column": "text", "cache_dir": folder / "cache"}
    given |= {"output": folder / "output", "num_proc": 1}
    arguments = [word for name, value in given.items() for word in (f"--{name}", str(value))]
    minhash.main([*arguments, "--no-clean_cache"], standalone_mode=False)
    groups = defaultdict(list)
    for number in list(minhash.uf.parent):
        groups[minhash.uf.find(number)].append(number)
    outcome = {"groups": [group for group in groups.values() if len(group) > 1], "kept": _signature_bytes(folder)}
    answer.write_text(json.dumps(outcome), encoding="utf-8")


def _signature_bytes(folder: Path) -> int:
    """Return the bytes of the tool's file of signatures."""
    for path in folder.rglob("*.arrow"):
        if minhash.SIGNATURE_COLUMN in Dataset.from_file(str(path)).column_names:
            return path.stat().st_size
    return 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
