"""`wenhen fingerprint`: what a text becomes before it is compared."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wenhen.cli.shared.output import json_option, plain, print_json_line, print_table
from wenhen.cli.shared.unstored_texts import Texts

if TYPE_CHECKING:
    from services.texts.shown_fingerprints import Likeness, ShownFingerprint

_AUTO = "auto"
_SHOWN = 400  # letters, and windows, of a text in the table; --json has all of them


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option("--window", default=_AUTO, show_default=True, help="Letters of a window, its granularity: 150, or auto.")
@click.option(
    "--overlap",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    help="Share of a window that the next one has too.",
)
@click.option(
    "--range",
    "highest",
    default=_AUTO,
    show_default=True,
    type=click.Choice([_AUTO, "1", "3", "7", "9"]),
    help="Highest digit: 9 for [0,9].",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON with your own `counts` by initial and their `total`, in place of Chinese at large.",
)
@json_option
def fingerprint(
    what: tuple[str, ...], window: str, overlap: float, highest: str, reference: Path | None, as_json: bool
) -> None:
    """Show what texts become: letters, frequency windows with their digits, each initial against its usual share, and
    the features that production makes. Two texts are made alike, and told how alike they are. auto goes by the length.

    WHAT are files and folders (the formats of `works import`) and - for standard input. Needs no server. Status 1 when
    something could not be read; the rest is shown.
    """
    from services.texts.shown_fingerprints import FingerprintSettings, reference_of, shown_fingerprint, side_by_side

    if window != _AUTO and not (window.isdecimal() and int(window)):
        raise click.BadParameter("is a number of letters from 1 on, or auto", param_hint="--window")
    settings = FingerprintSettings(
        window=None if window == _AUTO else int(window),
        overlap=overlap,
        highest=None if highest == _AUTO else int(highest),
        usual=reference_of(reference.read_bytes(), reference.name) if reference else None,
    )
    texts = Texts(what)
    read = list(texts)
    likeness = None
    if len(read) == 2:
        *made, likeness = side_by_side(read[0].text, read[1].text, settings)
    else:
        made = [shown_fingerprint(text.text, settings) for text in read]
    for text, one in zip(read, made, strict=True):
        if as_json:
            print_json_line({"id": text.id, "title": text.title} | plain(one) | _plain(likeness))
        else:
            _print(text.title, one)
    if likeness and not as_json:
        click.echo(f"相似 likeness: 窗口 windows {likeness.windows:.1%} · 特征 features {likeness.features:.1%}")
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")


def _plain(likeness: "Likeness | None") -> dict[str, object]:
    return {"likeness": plain(likeness)} if likeness else {}


def _print(title: str, one: "ShownFingerprint") -> None:
    more = "…" if len(one.letters) > _SHOWN else ""
    click.echo(f"{title}: {len(one.letters)} 字母 letters, {one.scheme}: {one.grams} + {one.frequencies} 特征 features")
    click.echo(one.letters[:_SHOWN] + more)
    rows = [(w.start, w.end, w.digits, "短 short" if w.short else "") for w in one.windows[:_SHOWN]]
    made = f"窗口 window {one.window} · 重叠 overlap {one.overlap:g} · 值域 range [0,{one.highest}]"
    print_table(("起 start", "止 end", "指纹 digits", ""), rows, title=made)
    click.echo(f"参考 reference: {one.reference}")
    heat = [(h.initial, h.count, h.share, h.usual, f"{h.deviation:+.1f}") for h in one.heat]
    print_table(("声母 initial", "次数 count", "比例 share", "常见 usual", "偏离 deviation"), heat)
