"""Segment texts into words, and learn word weights: `wenhen segment`, `wenhen idf`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from wenhen.cli.console import (
    AdvanceCallback,
    InputTexts,
    NewFile,
    dictionary_option,
    print_json_line,
    progress_bar,
    report_write_errors,
    stderr_console,
)
from wenhen.kit.errors import BadInput

# `wenhen idf`: learn word weights from the user's own texts.


@click.group()
def idf() -> None:
    """Weights of words (IDF) for the schemes that weigh words."""


@idf.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--out", "-o", required=True, type=NewFile(), help="File of the table: on each line a word, a space and its weight."
)
@dictionary_option
def build(paths: tuple[str, ...], out: Path, dictionaries: tuple[Path, ...]) -> None:
    """Learn the weights of words from one's own corpus: files and folders in the formats of `works import`.

    The table is for `wenhen compare --idf`, and has the form of jieba's own. Status 1 when something could not be read;
    the table is made of the rest. Needs no server.
    """
    from fingerprinter.words.text import make_cutter
    from wenhen.comparison.measurement import learn_weight_table
    from wenhen.texts.word_segmentation import read_dictionaries

    segment = make_cutter(read_dictionaries(dictionaries))
    texts = InputTexts(paths)
    with progress_bar("学习 learning") as advance:
        corpus = _WordCorpus(texts, out, advance, segment)
        weights = learn_weight_table(out.stem, corpus)
    if not weights.table:
        raise BadInput("lab.no_words")
    with report_write_errors(out):
        weights.save(out)
    stderr_console().print(f"{out}: {len(weights.table)} 词 words, {corpus.count} 篇 texts")
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")


class _WordCorpus:
    """The words of each text, without the table file that an earlier run left among the texts."""

    def __init__(
        self, texts: InputTexts, table: Path, advance: AdvanceCallback, segment: Callable[[str], tuple[str, ...]]
    ) -> None:
        self._texts, self._table, self._advance = texts, str(table.absolute()), advance
        self._segment = segment
        self.count = 0

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        from fingerprinter.words.text import SchemeText

        for text in self._texts:
            if text.origin != self._table:
                self.count += 1
                self._advance(self.count, self.count)
                yield SchemeText(text.text, segment=self._segment).words


# `wenhen segment`: cut texts into words.


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--mode",
    default="exact",
    show_default=True,
    type=click.Choice(["exact", "full", "search"]),
    help="exact: each character in one word; full: every word of the dictionary; search: long words also by parts.",
)
@dictionary_option
@click.option("--words-only", is_flag=True, help="Leave out punctuation and white space.")
def segment(what: tuple[str, ...], mode: str, dictionaries: tuple[Path, ...], words_only: bool) -> None:
    """Print the words of texts as JSON lines, {id, title, source, words} each.

    WHAT are files and folders (the formats of `works import`) and - for standard input. The words of the mode exact,
    joined, are the text. Needs no server. Status 1 when something could not be read; the rest is printed.
    """
    from wenhen.texts.word_segmentation import SegmentMode, WordSegmenter, is_word

    segmenter = WordSegmenter(dictionaries)
    texts = InputTexts(what)
    for text in texts:
        words = segmenter.cut(text.text, SegmentMode(mode))
        kept = [word for word in words if is_word(word)] if words_only else words
        print_json_line({"id": text.id, "title": text.title, "source": text.origin, "words": kept})
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")
