"""The option by which commands take words of the user's own."""

from pathlib import Path

import click

dictionary_option = click.option(
    "--dictionary",
    "dictionaries",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Words of your own, one a line, optionally with frequency and part of speech; may be given more than once.",
)
