"""`wenhen api`: the description of the API, and a Python client made from it."""

import json
from pathlib import Path

import click


@click.group()
def api() -> None:
    """The API for programs: its description, and a Python client."""


@api.command()
def describe() -> None:
    """Print the description of the API in OpenAPI 3.1."""
    from dashboard.api import describe as described

    click.echo(json.dumps(described(), ensure_ascii=False, indent=2))


@api.command()
@click.argument("out", type=click.Path(path_type=Path))
def client(out: Path) -> None:
    """Generate a Python client of the API into a new folder, for `pip install FOLDER` (needs wenhen[client])."""
    from dashboard.api import describe as described
    from wenhen.api_client import write_client

    write_client(described(), out)
    click.echo(f"pip install {out}")
