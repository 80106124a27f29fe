"""`wenhen idf`: what words are worth in the user's own field."""

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from store.errors import BadInput
from wenhen.cli.shared.dictionaries import dictionary_option
from wenhen.cli.shared.files import NewFile, writing
from wenhen.cli.shared.output import Advance, err, progress
from wenhen.cli.shared.unstored_texts import Texts


@click.group()
def idf() -> None:
    """Weights of words (IDF) for the schemes that weigh words."""


@idf.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--out", "-o", required=True, type=NewFile(), help="The table: a word, a space and its weight a line.")
@dictionary_option
def build(paths: tuple[str, ...], out: Path, dictionaries: tuple[Path, ...]) -> None:
    """Learn the weights of words from one's own corpus: files and folders in the formats of `works import`.

    The table is for `wenhen compare --idf`, and has the form of jieba's own. Status 1 when something could not be read;
    the table is made of the rest. Needs no server.
    """
    from fingerprinter.schemes.words.weights import learn
    from fingerprinter.schemes.words.words import cutter
    from services.texts.dictionaries import read_dictionaries

    segment = cutter(read_dictionaries(dictionaries))
    texts = Texts(paths)
    with progress("学习 learning") as advance:
        corpus = _Corpus(texts, out, advance, segment)
        weights = learn(out.stem, corpus)
    if not weights.table:
        raise BadInput("lab.no_words")
    with writing(out):
        weights.save(out)
    err().print(f"{out}: {len(weights.table)} 词 words, {corpus.count} 篇 texts")
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")


class _Corpus:
    """The words of each text, but of the table that an earlier run left among them."""

    def __init__(self, texts: Texts, table: Path, advance: Advance, segment: Callable[[str], tuple[str, ...]]) -> None:
        self._texts, self._table, self._advance = texts, str(table.absolute()), advance
        self._segment = segment
        self.count = 0

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        from fingerprinter.schemes.words.text import SchemeText

        for text in self._texts:
            if text.origin != self._table:
                self.count += 1
                self._advance(self.count, self.count)
                yield SchemeText(text.text, segment=self._segment).words
