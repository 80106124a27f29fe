"""Find similar documents with datasketch: MinHash LSH in memory, shingles of five characters."""

import json
import pickle
import sys
from pathlib import Path

from datasketch import MinHash, MinHashLSH

PERMUTATIONS = 128
MIN_SIMILARITY = 0.5
SHINGLE_CHARACTERS = 5


def main(documents: Path, answer: Path) -> None:
    """Look each document up among those before it, and insert it."""
    lsh = MinHashLSH(threshold=MIN_SIMILARITY, num_perm=PERMUTATIONS)
    groups = []
    with documents.open(encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            made = MinHash(num_perm=PERMUTATIONS)
            text = document["text"]
            made.update_batch(
                [
                    text[start : start + SHINGLE_CHARACTERS].encode()
                    for start in range(max(1, len(text) - SHINGLE_CHARACTERS + 1))
                ]
            )
            groups += [[document["id"], other] for other in lsh.query(made)]
            lsh.insert(document["id"], made)
    answer.write_text(json.dumps({"groups": groups, "kept": len(pickle.dumps(lsh))}), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
