"""`wenhen segment`: the words of texts."""

from pathlib import Path

import click

from wenhen.cli.shared.dictionaries import dictionary_option
from wenhen.cli.shared.output import print_json_line
from wenhen.cli.shared.unstored_texts import Texts


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
@click.option("--words-only", is_flag=True, help="Leave punctuation and white space out.")
def segment(what: tuple[str, ...], mode: str, dictionaries: tuple[Path, ...], words_only: bool) -> None:
    """Print the words of texts as JSON lines, {id, title, source, words} each.

    WHAT are files and folders (the formats of `works import`) and - for standard input. The words of the mode exact,
    joined, are the text. Needs no server. Status 1 when something could not be read; the rest is printed.
    """
    from services.texts.segment import Mode, Segmenter, is_word

    segmenter = Segmenter(dictionaries)
    texts = Texts(what)
    for text in texts:
        words = segmenter.cut(text.text, Mode(mode))
        kept = [word for word in words if is_word(word)] if words_only else words
        print_json_line({"id": text.id, "title": text.title, "source": text.origin, "words": kept})
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")
