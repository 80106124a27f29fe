"""Speed from raw text to letters and fingerprints."""

from functools import partial

import numpy as np

from fingerprinter.features.index_features import features
from fingerprinter.initials.initials_by_phrase import true_initials
from fingerprinter.normalize.character_table import character_table
from fingerprinter.normalize.read_letters import read_letters
from lab.bench.generator import Writer
from lab.bench.peers import datasketch_minhash, peer, rensa_minhash, shingles
from lab.bench.report import BenchReport, Limit
from lab.bench.timing import one_core, rate

SLOW_SHARE = 20  # slow peers read one text in so many


def measure(documents: int = 1000) -> BenchReport:
    """Rates in million characters a second, on texts of 1,000 characters and more."""
    report = BenchReport("letters")
    texts = [work.text for work in Writer(seed=7).works(documents)]
    with one_core():
        _ours(report, texts)
        _peers(report, texts)
    figures, peers = report.figures, report.peers
    raw = figures["raw text to offsets, letters and fingerprints"]
    report.limits += [
        Limit("raw text to fingerprints / pypinyin's first letters", raw / peers["pypinyin first letters"], least=240),
        Limit(
            "fingerprints from ready letters / bare table look-up",
            figures["fingerprints from ready letters"] / peers["bare table look-up"],
            least=0.25,
        ),
        Limit(
            "true initials / jieba with pypinyin",
            figures["true initials by phrase"] / peers["jieba, then pypinyin"],
            least=20,
        ),
    ]
    if "rensa, text to MinHash" in peers:
        report.limits.append(Limit("raw text to fingerprints / rensa", raw / peers["rensa, text to MinHash"], least=3))
    return report


def _ours(report: BenchReport, texts: list[str]) -> None:
    read = {text: read_letters(text) for text in texts}
    true_initials(texts[0])  # loads its tables
    made = sum(len(features(letters)) for letters in read.values())
    report.figures |= {
        "raw text to offsets, letters and fingerprints": rate(lambda text: features(read_letters(text)), texts),
        "raw text to offsets and letters": rate(read_letters, texts),
        "fingerprints from ready letters": rate(lambda text: features(read[text]), texts),
        "true initials by phrase": rate(true_initials, texts),
        "fingerprints per 1,000 characters": 1000 * made / sum(map(len, texts)),
    }


def _peers(report: BenchReport, texts: list[str]) -> None:
    import jieba
    from pypinyin import Style, lazy_pinyin

    first_letters = partial(lazy_pinyin, style=Style.FIRST_LETTER)
    jieba.setLogLevel("WARNING")
    jieba.initialize()
    codes = character_table().codes
    points = {text: np.frombuffer(text.encode("utf-32-le"), np.uint32) for text in texts}
    few = texts[::SLOW_SHARE]
    report.peers |= {
        "memcpy": rate(lambda text: points[text].copy(), texts),
        "bare table look-up": rate(lambda text: codes[np.frombuffer(text.encode("utf-32-le"), np.uint32)], texts),
        "pypinyin first letters": rate(first_letters, few, 2),
        "jieba, then pypinyin": rate(lambda text: first_letters(list(jieba.cut(text))), few, 2),
    }
    if rensa := peer("rensa", report.absent):
        pieces = {text: shingles(text) for text in texts}
        report.peers["rensa, text to MinHash"] = rate(lambda text: rensa_minhash(rensa, shingles(text)), texts)
        report.peers["rensa, ready shingles"] = rate(lambda text: rensa_minhash(rensa, pieces[text]), texts)
    if datasketch := peer("datasketch", report.absent):
        report.peers["datasketch, text to MinHash"] = rate(lambda text: datasketch_minhash(datasketch, text), few, 2)
    if simhash := peer("simhash", report.absent):
        report.peers["simhash, text to 64 bits"] = rate(lambda text: simhash.Simhash(shingles(text)), few, 2)
