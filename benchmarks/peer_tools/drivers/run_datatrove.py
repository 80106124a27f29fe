"""Find similar documents with datatrove: MinHash in two steps, words segmented by jieba."""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupSignature
from datatrove.utils.typeshelper import Languages

PAIR_FORMAT = struct.Struct("<4I")  # file and document, twice


def main(documents: Path, answer: Path, folder: Path) -> None:
    """Use the tool's defaults: 14 buckets of 8 hashes, five words a shingle, one process."""
    config = MinhashConfig()
    signatures, pairs = folder / "signatures", folder / "pairs"
    step = MinhashDedupSignature(str(signatures), config, language=Languages.mandarin_chinese__hani)
    step.run(_read_documents(documents))
    for bucket in range(config.num_buckets):
        MinhashDedupBuckets(str(signatures), str(pairs), config=config).run(None, bucket, config.num_buckets)
    duplicates = {pair[1::2] for path in pairs.glob("*.dups") for pair in PAIR_FORMAT.iter_unpack(path.read_bytes())}
    kept = sum(path.stat().st_size for path in signatures.rglob("*.sig"))
    answer.write_text(json.dumps({"groups": sorted(duplicates), "kept": kept}), encoding="utf-8")


def _read_documents(documents: Path) -> Iterator[Document]:
    with documents.open(encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            yield Document(text=document["text"], id=str(document["id"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
