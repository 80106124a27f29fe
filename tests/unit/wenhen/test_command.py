"""The command: every part has help, is documented, and ends with the right status."""

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from wenhen.cli.console import HOST_NAME, format_cell
from wenhen.cli.main import main

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = README + (ROOT / "docs" / "command.md").read_text(encoding="utf-8")


def every_command(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += every_command(command, (*path, name))
        else:
            found.append(((*path, name), command))
    return found


COMMANDS = every_command(main)


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_every_command_explains_itself_and_is_documented(path: tuple[str, ...], command: click.Command) -> None:
    result = CliRunner().invoke(main, [*path, "--help"])
    assert result.exit_code == 0
    assert command.help
    assert f"`wenhen {' '.join(path)}" in DOCUMENTS


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_every_command_has_examples_that_can_be_typed(
    path: tuple[str, ...], command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        "sites.csv",
        "works.csv",
        "委托书.pdf",
        "cookies.txt",
        "articles.jsonl",
        "潮汐簿.epub",
        "新书.txt",
        "suspicious.html",
        "case.wacz",
        "公证书.pdf",
        "roots.pem",
    ):
        Path(name).touch()
    for name in ("novels", "pages", "submissions", "new", "backups/today"):
        Path(name).mkdir(parents=True)
    _, examples = CliRunner().invoke(main, [*path, "--help"]).stdout.split("Examples:")
    for line in examples.strip().splitlines():
        _, *words = shlex.split(line)
        words = words[2:] if words[0] == "--data" else words
        assert tuple(words[: len(path)]) == path
        command.make_context(path[-1], words[len(path) :])  # fails where it is wrong usage


def test_tab_completes_commands_for_a_shell_that_reads_what_is_printed() -> None:
    printed = CliRunner().invoke(main, ["completion", "bash"]).stdout
    assert "_WENHEN_COMPLETE=bash_complete" in printed


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_every_option_is_explained(path: tuple[str, ...], command: click.Command) -> None:
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{' '.join(path)} {option.opts[0]}"


def test_wrong_usage_ends_with_status_2() -> None:
    assert CliRunner().invoke(main, ["works", "import"]).exit_code == 2
    assert CliRunner().invoke(main, ["no-such-command"]).exit_code == 2
    assert CliRunner().invoke(main, ["cases", "list", "--since", "0001-01-01"]).exit_code == 2


def test_a_file_that_could_not_be_written_in_the_end_is_refused_before_the_work_begins(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere" / "file")
    for command in (["compare", str(tmp_path), "--chart", nowhere], ["detect", str(tmp_path), "--out", nowhere]):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 2
        assert "There is no folder" in result.stderr


def test_a_refusal_is_one_line_that_says_why_and_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENHEN_DASHBOARD_PORT", "many")
    result = CliRunner().invoke(main, ["works", "list"])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: setting dashboard.port")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("share", "shown"), [(0.997, "99.7%"), (0.9999, "99.9%"), (1.0, "100%"), (0.0, "0.0%")])
def test_a_table_shows_shares_as_screens_do_never_rounded_up_to_the_whole(share: float, shown: str) -> None:
    assert str(format_cell(share)) == shown


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("书库.test", "xn--1jq370b.test"),
        ("https://Copies.example:8080/a", "copies.example"),
        ("a_b.example", "a_b.example"),
    ],
)
def test_a_host_is_named_as_people_write_it(written: str, host: str) -> None:
    assert HOST_NAME.convert(written, None, None) == host
