"""Measure initials, main-text extraction and alignment beside peers: `wenhen bench letters`, `extract`, `align`."""

import random
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.corpora import PAGE_HEADERS, generate_pages, generate_statute
from benchmarks.generator.writer import Writer
from benchmarks.measurement import best_milliseconds, cpu_seconds, pin_to_one_core, text_throughput
from benchmarks.report import BenchReport, Limit, datasketch_minhash, import_peer, rensa_minhash, split_shingles
from crawler.extraction.page import extract_html
from fingerprinter.alphabet import character_table
from fingerprinter.features.index_features import extract_features
from fingerprinter.initials.polyphones_and_variants import phrase_initials
from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.local_alignment import align_texts
from matcher.attribution.align_pair import align_pair

SLOW_PEER_PERIOD = 20  # texts, of which slow peers read one


def measure_letters(documents: int = 1000) -> BenchReport:
    """Measure million characters a second on texts of 1,000 characters and more."""
    report = BenchReport("letters")
    texts = [work.text for work in Writer(seed=7).works(documents)]
    with pin_to_one_core():
        _measure_our_letters(report, texts)
        _measure_letter_peers(report, texts)
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


def _measure_our_letters(report: BenchReport, texts: list[str]) -> None:
    read = {text: to_initials(text) for text in texts}
    phrase_initials(texts[0])  # loads tables
    made = sum(len(extract_features(letters)) for letters in read.values())
    report.figures |= {
        "raw text to offsets, letters and fingerprints": text_throughput(
            lambda text: extract_features(to_initials(text)), texts
        ),
        "raw text to offsets and letters": text_throughput(to_initials, texts),
        "fingerprints from ready letters": text_throughput(lambda text: extract_features(read[text]), texts),
        "true initials by phrase": text_throughput(phrase_initials, texts),
        "fingerprints per 1,000 characters": 1000 * made / sum(map(len, texts)),
    }


def _measure_letter_peers(report: BenchReport, texts: list[str]) -> None:
    import jieba
    from pypinyin import Style, lazy_pinyin

    first_letters = partial(lazy_pinyin, style=Style.FIRST_LETTER)
    jieba.setLogLevel("WARNING")
    jieba.initialize()
    codes = character_table().codes
    points = {text: np.frombuffer(text.encode("utf-32-le"), np.uint32) for text in texts}
    few = texts[::SLOW_PEER_PERIOD]
    report.peers |= {
        "memcpy": text_throughput(lambda text: points[text].copy(), texts),
        "bare table look-up": text_throughput(
            lambda text: codes[np.frombuffer(text.encode("utf-32-le"), np.uint32)], texts
        ),
        "pypinyin first letters": text_throughput(first_letters, few, 2),
        "jieba, then pypinyin": text_throughput(lambda text: first_letters(list(jieba.cut(text))), few, 2),
    }
    if rensa := import_peer("rensa", report.absent):
        pieces = {text: split_shingles(text) for text in texts}
        report.peers["rensa, text to MinHash"] = text_throughput(
            lambda text: rensa_minhash(rensa, split_shingles(text)), texts
        )
        report.peers["rensa, ready shingles"] = text_throughput(lambda text: rensa_minhash(rensa, pieces[text]), texts)
    if datasketch := import_peer("datasketch", report.absent):
        report.peers["datasketch, text to MinHash"] = text_throughput(
            lambda text: datasketch_minhash(datasketch, text), few, 2
        )
    if simhash := import_peer("simhash", report.absent):
        report.peers["simhash, text to 64 bits"] = text_throughput(
            lambda text: simhash.Simhash(split_shingles(text)), few, 2
        )


PAGE_URL = "http://pages.bench.test/2026/0301/1.html"
EXTRACTION_SEED = 37
CHAPTER_CHARACTERS = 40_000  # characters
CONTENTS_LINKS = 1_000  # links of a contents list
THREAD_POSTS = 150  # posts of a thread
LARGE_PAGE_PERIOD = 40  # pages of the demo's templates for each large page of a kind
EXTRACTION_ROUNDS = 3
MIN_EXTRACTION_SPEEDUP = 2.5  # ratio to trafilatura's pages a second


def measure_extraction(pages: int = 200, folders: Sequence[Path] = ()) -> BenchReport:
    """Measure pages a second of processor time. pages: of the demo's templates. folders: of page files, each a kind
    of its own.
    """
    report = BenchReport("extract")
    trafilatura = import_peer("trafilatura", report.absent)
    kinds = _generate_page_kinds(pages) | {folder.name: _read_page_files(folder) for folder in folders}
    with pin_to_one_core():
        report.rows += [_extraction_row(kind, bodies, trafilatura) for kind, bodies in kinds.items()]
    if trafilatura:
        report.limits += [
            Limit(f"{row['kind']}: pages/s / trafilatura's", row["times"], least=MIN_EXTRACTION_SPEEDUP)
            for row in report.rows
        ]
    return report


def _generate_page_kinds(count: int) -> dict[str, list[bytes]]:
    """Return pages by their main content."""
    texts = [work.text for work in Writer(seed=EXTRACTION_SEED).works(ceil(count / LARGE_PAGE_PERIOD))]
    return {
        "templates": [page.body for page in generate_pages(count, count)],
        "long text": [_page_html("<br><br>".join(_cut_pieces(text, CHAPTER_CHARACTERS, 80))) for text in texts],
        "contents": [
            _page_html("".join(map(_chapter_html, _cut_pieces(text, 12 * CONTENTS_LINKS, 12)))) for text in texts
        ],
        "posts": [_page_html("".join(map(_post_html, _cut_pieces(text, 120 * THREAD_POSTS, 120)))) for text in texts],
    }


def _extraction_row(kind: str, pages: Sequence[bytes], trafilatura: Any | None) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "pages": len(pages), "KB": sum(map(len, pages)) / len(pages) / 1000}
    row["ours"] = _pages_per_second(lambda body: extract_html(body, PAGE_HEADERS, PAGE_URL), pages, EXTRACTION_ROUNDS)
    if trafilatura:
        row["trafilatura"] = _pages_per_second(trafilatura.extract, pages, 1)
        row["times"] = row["ours"] / row["trafilatura"]
    return row


def _pages_per_second(read: Callable[[bytes], object], pages: Sequence[bytes], rounds: int) -> float:
    read(pages[0])  # the first run loads tables
    return len(pages) / min(cpu_seconds(lambda: [read(body) for body in pages]) for _ in range(rounds))


def _read_page_files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]


def _cut_pieces(text: str, length: int, size: int) -> list[str]:
    text = (text * (length // len(text) + 1))[:length]
    return [text[start : start + size] for start in range(0, length, size)]


def _page_html(content: str) -> bytes:
    return f"<html><head><title>渡口</title></head><body><h1>渡口</h1><div>{content}</div></body></html>".encode()


def _chapter_html(words: str) -> str:
    return f'<li class="chapter"><a href="/book/{len(words)}.html" title="{words}">{words}</a></li>'


def _post_html(words: str) -> str:
    return (
        '<div class="post"><div class="author"><a href="/user/7">某人</a> 发表于 2026-03-01 09:11</div>'
        f'<div class="message">{words}</div><div class="bar"><a href="#">回复</a> <a href="#">举报</a></div></div>'
    )


# Alignment of two texts beside rapidfuzz and difflib, and its growth.


SHORT_CHARACTERS, LONG_CHARACTERS = 3_000, 100_000
EDITED_SHARE = 0.03  # share of characters that a copy changes
GROWTH_CHARACTERS = (16_000, 32_000, 64_000, 128_000, 256_000)  # characters of both texts, for growth
ALIGNMENT_ROUNDS = 3
MAX_GROWTH_EXPONENT = 1.3  # quadratic growth would be 2, and texts outgrow the caches


def measure_alignment(sizes: tuple[int, ...] = GROWTH_CHARACTERS) -> BenchReport:
    """Measure milliseconds of a copy, and the growth exponent on texts that are hard for an aligner."""
    report = BenchReport("align")
    rng = random.Random(5)
    work = _generate_prose(5, SHORT_CHARACTERS)
    page = edit_text(work, rng)
    other = _generate_prose(6, LONG_CHARACTERS - SHORT_CHARACTERS)
    book = other[: len(other) // 2] + page + other[len(other) // 2 :]
    with pin_to_one_core():
        for name, left in (("3k x 3k", page), ("100k x 3k", book)):
            _measure_alignment_peers(report, name, left, work)
        for name, text in _HARD_TEXT_PAIRS.items():
            report.figures[f"growth, {name}"] = _growth_exponent(text, sizes)
            report.figures[f"{name}, {sizes[-1]:,} characters each, ms"] = _alignment_milliseconds(*text(sizes[-1]))
    figures, peers = report.figures, report.peers
    report.limits += [
        Limit(
            f"rapidfuzz / ours, {name}", peers[f"rapidfuzz opcodes, {name}, ms"] / figures[f"{name}, ms"], least=least
        )
        for name, least in (("3k x 3k", 5), ("100k x 3k", 15))
    ]
    report.limits += [
        Limit(f"exponent of growth, {name}", figures[f"growth, {name}"], most=MAX_GROWTH_EXPONENT)
        for name in _HARD_TEXT_PAIRS
    ]
    return report


def edit_text(text: str, rng: random.Random, share: float = EDITED_SHARE) -> str:
    """Return a copy with this share of the characters replaced, removed or followed by another."""
    out = []
    for character in text:
        if rng.random() >= share:
            out.append(character)
        else:
            out.append(rng.choice(("", rng.choice(text), character + rng.choice(text))))
    return "".join(out)


def _measure_alignment_peers(report: BenchReport, name: str, page: str, work: str) -> None:
    report.figures[f"{name}, ms"] = _alignment_milliseconds(page, work)
    report.figures[f"{name}, letters and verdict as well, ms"] = best_milliseconds(
        lambda: align_pair(page, to_initials(page), work, to_initials(work))
    )
    report.peers[f"rapidfuzz opcodes, {name}, ms"] = best_milliseconds(
        lambda: Levenshtein.opcodes(page, work), ALIGNMENT_ROUNDS
    )
    report.peers[f"difflib, {name}, ms"] = best_milliseconds(
        lambda: SequenceMatcher(None, page, work, autojunk=False).get_opcodes(), 1
    )


def _alignment_milliseconds(page: str, work: str) -> float:
    """Return the milliseconds of an alignment from ready initials."""
    page_letters, work_letters = to_initials(page), to_initials(work)
    return best_milliseconds(lambda: align_texts(page, page_letters, work, work_letters), ALIGNMENT_ROUNDS)


def _growth_exponent(texts: Callable[[int], tuple[str, str]], sizes: tuple[int, ...]) -> float:
    """Return the exponent e of time ~ length ** e, fitted over the sizes."""
    times = [_alignment_milliseconds(*texts(size)) for size in sizes]
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def _generate_prose(seed: int, size: int) -> str:
    texts = Writer(seed).works(1 + size // 1000)
    return "".join(work.text for work in texts)[:size]


_HARD_TEXT_PAIRS: dict[str, Callable[[int], tuple[str, str]]] = {
    "a copy": lambda size: (edit_text(_generate_prose(5, size), random.Random(5)), _generate_prose(5, size)),
    "unrelated": lambda size: (_generate_prose(5, size), _generate_prose(6, size)),
    "one character": lambda size: ("啊" * size, "啊" * size),
    "one sentence": lambda size: (
        ("天下大势分久必合合久必分。" * size)[:size],
        ("天下大势分久必合合久必分，" * size)[:size],
    ),
    "a statute against statutes": lambda size: (generate_statute(1, size), generate_statute(2, size)),
}
