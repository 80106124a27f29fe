"""`wenhen completion`: commands and options completed by the Tab key."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what SHELL has to read for Tab to complete commands and options.

    Once: `eval "$(wenhen completion bash)"`; for good: the same line in ~/.bashrc (zsh: ~/.zshrc; fish:
    `wenhen completion fish > ~/.config/fish/completions/wenhen.fish`).
    """
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "wenhen", "_WENHEN_COMPLETE").source())
