"""Score main text on public sets of pages with gold text, beside trafilatura.

Nothing is fetched. A set is a checkout of its repository. Its layout tells which one it is:

- mozilla/readability: `test/test-pages/NAME/source.html` and `expected.html`
- codelucas/newspaper and AndyTheFactory/newspaper4k: `tests/data/html/NAME.html`, and `NAME.txt` in `text` or `txt`
- adbar/trafilatura: `tests/evaldata.json` with snippets that a text must have and must not have
- GeneralNewsExtractor: `tests/SITE/NUMBER.html` without gold
- a suite of pages: `html/NAME` and `gold.jsonl`
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from selectolax.lexbor import LexborHTMLParser

from benchmarks.report import BenchReport, Limit, import_peer
from crawler.extraction.page import extract_html
from crawler.extraction.page_lines import extract_blocks

MIN_LANGUAGE_PAGES = 3  # of a set, for a row of their own
MIN_LEAD = -0.01  # how far below the peer a row may stand
LOST_SHARE = 0.5  # share of the peer's text below which a page is lost
FLOOD_RATIO = 4.0  # times the peer's text above which it is flooded
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
_SPACES: Final = re.compile(r"\s+")

ReadText = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page of a set. text: all of its main text, where the set has it. wanted, unwanted: pieces of it, or of what
    stands beside it.
    """

    name: str
    body: bytes
    text: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageScore:
    """How well a page was read. A set without gold has none."""

    precision: float
    recall: float
    f1: float


def measure_public_pages(folders: Sequence[Path]) -> BenchReport:
    """Return F1 by tokens for every set and every language in it, ours beside trafilatura's.

    The snippets of trafilatura's own set are counted over all pages. A set without gold is counted by pages that one of
    the two lost, or flooded with other text, as the other's text says.
    """
    report = BenchReport("pages")
    trafilatura = import_peer("trafilatura", report.absent)
    read_peer = _trafilatura_reader(trafilatura) if trafilatura else None
    for folder in folders:
        pages = list(read_set(folder))
        ours = [read_ours(page.body) for page in pages]
        peer = [read_peer(page.body) for page in pages] if read_peer else None
        report.rows += _set_rows(folder.name, pages, ours, peer)
    report.limits += [
        Limit(f"{row['set']} {row['language']}: F1 - trafilatura's", row["F1"] - row["peer F1"], least=MIN_LEAD)
        for row in report.rows
        if row["F1"] is not None and row["peer F1"] is not None
    ]
    return report


def read_ours(body: bytes) -> str:
    """Return the main text as the product reads it."""
    return extract_html(body, (), "").text


def _trafilatura_reader(trafilatura: Any) -> ReadText:
    """Return its reader with the settings of its own evaluation."""

    def read(body: bytes) -> str:
        return trafilatura.extract(body, include_comments=False, include_tables=True, include_formatting=False) or ""

    return read


# The sets.


def read_set(folder: Path) -> Iterator[GoldPage]:
    """Yield the pages of a set. Raises `click.BadParameter` where the layout is of none that is known."""
    for names, read in (
        (("test/test-pages", "test-pages"), _readability_pages),
        (("tests/evaldata.json",), _snippet_pages),
        (("tests/data/html",), _newspaper_pages),
        (("gold.jsonl",), _suite_pages),
        (("gne", "tests/163"), _plain_pages),
    ):
        if any((folder / name).exists() for name in names):
            yield from read(folder)
            return
    raise click.BadParameter(f"{folder} has the layout of no set of pages. Give the folder of a checkout")


def _readability_pages(folder: Path) -> Iterator[GoldPage]:
    for expected in sorted(folder.rglob("test-pages/*/expected.html")):
        tree = LexborHTMLParser(expected.read_bytes())
        text = "\n".join(line.text for line in extract_blocks(tree).lines)
        yield GoldPage(expected.parent.name, (expected.parent / "source.html").read_bytes(), text)


def _newspaper_pages(folder: Path) -> Iterator[GoldPage]:
    data = folder / "tests" / "data"
    for path in sorted((data / "html").glob("*.html")):
        texts = [data / name / f"{path.stem}.txt" for name in ("text", "txt")]
        for text in texts:
            if text.exists() and (gold := text.read_text(encoding="utf-8", errors="replace")).strip():
                yield GoldPage(path.stem, path.read_bytes(), gold)


def _snippet_pages(folder: Path) -> Iterator[GoldPage]:
    rows = json.loads((folder / "tests" / "evaldata.json").read_text(encoding="utf-8"))
    for row in rows.values():
        for path in (folder / "tests" / place / row["file"] for place in ("cache", "eval")):
            if path.exists():
                yield GoldPage(path.name, path.read_bytes(), wanted=tuple(row["with"]), unwanted=tuple(row["without"]))
                break


def _suite_pages(folder: Path) -> Iterator[GoldPage]:
    for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield GoldPage(row["id"], (folder / "html" / row["id"]).read_bytes(), row["text"])


def _plain_pages(folder: Path) -> Iterator[GoldPage]:
    for path in sorted((folder / "tests").rglob("*.html")):
        yield GoldPage(path.relative_to(folder / "tests").as_posix(), path.read_bytes())


# The scores.


def split_tokens(text: str) -> Counter[str]:
    """Return the words of a text, and each character of writing without spaces, with their numbers.

    >>> sorted(split_tokens("The ferry, 渡口").items())
    [('ferry', 1), ('the', 1), ('口', 1), ('渡', 1)]
    """
    return Counter(_TOKEN.findall(text.lower()))


def score_tokens(text: str, gold: str) -> PageScore:
    """Score a page by the tokens that it shares with the gold text."""
    got, right = split_tokens(text), split_tokens(gold)
    both = (got & right).total()
    return _make_score(both, got.total() - both, right.total() - both)


def score_snippets(texts: Sequence[str], pages: Sequence[GoldPage]) -> PageScore:
    """Score all pages by the pieces that their texts hold."""
    right = wrong = missed = 0
    for text, page in zip(texts, pages, strict=True):
        plain = _SPACES.sub(" ", text)
        held = sum(_SPACES.sub(" ", piece).strip() in plain for piece in page.wanted)
        right, missed = right + held, missed + len(page.wanted) - held
        wrong += sum(_SPACES.sub(" ", piece).strip() in plain for piece in page.unwanted)
    return _make_score(right, wrong, missed)


def _make_score(right: int, wrong: int, missed: int) -> PageScore:
    if not right:
        return PageScore(0.0, 0.0, 0.0)
    precision, recall = right / (right + wrong), right / (right + missed)
    return PageScore(precision, recall, 2 * precision * recall / (precision + recall))


def _set_rows(
    name: str, pages: Sequence[GoldPage], ours: Sequence[str], peer: Sequence[str] | None
) -> Iterator[dict[str, Any]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        groups["all"].append(number)
        groups[page_language(page)].append(number)
    for language, places in sorted(groups.items()):
        if language == "all" or len(places) >= MIN_LANGUAGE_PAGES:
            chosen = [pages[place] for place in places]
            our_texts = [ours[place] for place in places]
            peer_texts = [peer[place] for place in places] if peer else None
            yield {"set": name, "language": language, "pages": len(places)} | _row_figures(
                chosen, our_texts, peer_texts
            )


def _row_figures(pages: Sequence[GoldPage], ours: Sequence[str], peer: Sequence[str] | None) -> dict[str, Any]:
    score = score_pages(pages, ours)
    peer_score = score_pages(pages, peer) if peer else None
    return {
        "precision": score and score.precision,
        "recall": score and score.recall,
        "F1": score and score.f1,
        "peer precision": peer_score and peer_score.precision,
        "peer recall": peer_score and peer_score.recall,
        "peer F1": peer_score and peer_score.f1,
        "lost": count_lost(ours, peer) if peer else None,
        "peer lost": count_lost(peer, ours) if peer else None,
        "flooded": count_flooded(ours, peer) if peer else None,
    }


def score_pages(pages: Sequence[GoldPage], texts: Sequence[str]) -> PageScore | None:
    """Return the mean over the pages, or the score of all snippets. None, where the set has no gold."""
    if any(page.wanted for page in pages):
        return score_snippets(texts, pages)
    scores = [score_tokens(text, page.text) for text, page in zip(texts, pages, strict=True) if page.text]
    if not scores:
        return None
    return PageScore(
        sum(score.precision for score in scores) / len(scores),
        sum(score.recall for score in scores) / len(scores),
        sum(score.f1 for score in scores) / len(scores),
    )


def count_lost(texts: Sequence[str], others: Sequence[str]) -> int:
    """Return how many texts miss most of what the other reader found."""
    pairs = [(split_tokens(text), split_tokens(other)) for text, other in zip(texts, others, strict=True)]
    return sum((got & right).total() < LOST_SHARE * right.total() for got, right in pairs)


def count_flooded(texts: Sequence[str], others: Sequence[str]) -> int:
    """Return how many texts are several times as long as what the other reader found, if it found something."""
    pairs = [
        (split_tokens(text).total(), split_tokens(other).total()) for text, other in zip(texts, others, strict=True)
    ]
    return sum(0 < FLOOD_RATIO * other < own for own, other in pairs)


def page_language(page: GoldPage) -> str:
    """Return the first letters of the language that a page states, else an empty text."""
    root = LexborHTMLParser(page.body).root
    stated = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root else ""
    return stated.strip().lower()[:2]
