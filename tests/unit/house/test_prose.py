"""The documents are written in plain sentences: short ones, and few semicolons outside tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAX_WORDS_PER_SENTENCE = 18
MAX_SEMICOLONS_PER_100_SENTENCES = 10
MAX_WORDS_PER_SENTENCE_IN_ONE_FILE = 22
MAX_SEMICOLONS_PER_100_SENTENCES_IN_ONE_FILE = 20
MIN_WORDS_OF_A_PROSE_CELL = 8  # a shorter cell of a table is a label or a figure

CODE_BLOCK = re.compile(r"^( *)```.*?^\1```[ ]*$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
LIST_MARKER = re.compile(r"(?:[-*]|\d+\.)\s+")
CELL_BORDER = re.compile(r"(?<!\\)\|")
SENTENCE_END = re.compile(r"(?<=[.!?])[*)\"”]*\s+|(?<=。)")


@dataclass(frozen=True)
class Prose:
    """What the measured sentences of one or more documents add up to."""

    sentences: int
    words: int
    semicolons: int

    def __add__(self, other: "Prose") -> "Prose":
        return Prose(self.sentences + other.sentences, self.words + other.words, self.semicolons + other.semicolons)

    @property
    def words_per_sentence(self) -> float:
        return self.words / max(self.sentences, 1)

    @property
    def semicolons_per_100_sentences(self) -> float:
        return 100 * self.semicolons / max(self.sentences, 1)


def measure(markdown: str) -> Prose:
    """Count sentences, words and semicolons. A piece of code is one word, a link is its text.

    Code blocks, headings and images are left out. In a table only cells with some words count, and a semicolon ends an
    entry there.
    """
    prose = Prose(0, 0, 0)
    for is_cell, text in paragraphs(CODE_BLOCK.sub("", markdown)):
        pieces = text.split(";") if is_cell else [text]
        sentences = [one for piece in pieces for one in SENTENCE_END.split(piece) if re.search(r"\w", one)]
        words = sum(len(sentence.split()) for sentence in sentences)
        prose += Prose(len(sentences), words, 0 if is_cell else text.count(";"))
    return prose


def paragraphs(markdown: str) -> Iterator[tuple[bool, str]]:
    """Yield each paragraph, list item and wordy table cell, and whether it is a cell."""
    lines: list[str] = []
    for line in [*INLINE_CODE.sub("code", LINK.sub(r"\1", markdown)).splitlines(), ""]:
        text = line.strip()
        marker = LIST_MARKER.match(text)
        if lines and (marker or not text or text.startswith(("#", "|"))):
            yield False, " ".join(lines)
            lines = []
        if text.startswith("|"):
            cells = [cell.strip() for cell in CELL_BORDER.split(text)]
            yield from ((True, cell) for cell in cells if len(cell.split()) >= MIN_WORDS_OF_A_PROSE_CELL)
        elif text and not text.startswith("#"):
            lines.append(text[marker.end() :] if marker else text)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_the_sentences_of_a_document_are_short_and_hold_few_semicolons(document: Path) -> None:
    prose = measure(document.read_text("utf-8"))
    assert prose.words_per_sentence < MAX_WORDS_PER_SENTENCE_IN_ONE_FILE
    assert prose.semicolons_per_100_sentences < MAX_SEMICOLONS_PER_100_SENTENCES_IN_ONE_FILE


def test_the_sentences_of_all_documents_are_short_and_hold_few_semicolons() -> None:
    prose = sum((measure(document.read_text("utf-8")) for document in DOCUMENTS), Prose(0, 0, 0))
    assert prose.words_per_sentence < MAX_WORDS_PER_SENTENCE
    assert prose.semicolons_per_100_sentences < MAX_SEMICOLONS_PER_100_SENTENCES


def test_code_headings_and_short_cells_are_no_sentences() -> None:
    prose = measure(
        "# A; title\n\n```sh\na; b; c\n```\n\nUse `a; b` here; it works.\nSee [the page](x.md#y).\n\n| a; b | c |"
    )
    assert prose == Prose(sentences=2, words=8, semicolons=1)


def test_an_item_of_a_list_and_an_entry_of_a_wordy_cell_are_sentences() -> None:
    prose = measure("- One item\n- another item\n\n| a first entry of four; and a second entry of six |")
    assert prose == Prose(sentences=4, words=15, semicolons=0)


@pytest.mark.parametrize(
    "document", [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name
)
def test_no_trace_of_a_merge_stands_in_a_document(document: Path) -> None:
    assert not re.findall(r"^(?:<{7}|>{7}) .*", document.read_text("utf-8"), re.MULTILINE)
