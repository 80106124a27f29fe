"""`wenhen compare`: which fingerprint serves these texts?"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from store.errors import BadInput
from wenhen.cli.shared.dictionaries import dictionary_option
from wenhen.cli.shared.files import NewFile, writing
from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import err, json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from fingerprinter.schemes.scheme import Scheme
    from lab.compare.measure import Result


@click.command()
@click.argument("what", metavar="SUITE|FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--schemes", "names", metavar="NAME,…", help="Only these; their names stand in the table.")
@click.option("--sample", default=100, show_default=True, type=click.IntRange(1), help="Texts of a folder to disguise.")
@click.option("--seed", default=1, show_default=True, help="Of the disguises: the same one makes the same copies.")
@click.option(
    "--keys",
    default="memory",
    show_default=True,
    type=click.Choice(["memory", "disk", "redis"]),
    help="Where look-ups by key keep their keys.",
)
@click.option(
    "--hash",
    default="md5",
    show_default=True,
    type=click.Choice(["md5", "sha1", "blake2b", "farmhash", "cityhash"]),
    help="Of checksum, simhash, longest-sentence and nshash.",
)
@click.option(
    "--idf",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A table of words' weights (word, space, number a line) instead of the general one.",
)
@dictionary_option
@click.option(
    "--size-within",
    default=0.0,
    type=click.FloatRange(0),
    help="Only works at most so many times longer or shorter than the suspect; 0 for all.",
)
@click.option("--same-category", is_flag=True, help="Only works of the suspect's category, where both are known.")
@click.option("--window", default=150, show_default=True, type=click.IntRange(1), help="Letters of a frequency window.")
@click.option(
    "--overlap",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    help="Share of a frequency window that the next one has too.",
)
@click.option(
    "--range",
    "highest",
    default="3",
    show_default=True,
    type=click.Choice(["1", "3", "7", "9"]),
    help="Highest digit of a frequency window.",
)
@click.option("--chart", type=NewFile(), help="Also draw the results, as SVG.")
@json_option
@click.pass_context
def compare(
    ctx: click.Context,
    what: Path,
    names: str | None,
    sample: int,
    seed: int,
    keys: str,
    hash: str,
    idf: Path | None,
    dictionaries: tuple[Path, ...],
    size_within: float,
    same_category: bool,
    window: int,
    overlap: float,
    highest: str,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Put texts through every fingerprint scheme, each with its own index, and say what each finds and costs.

    A SUITE is a folder with library.jsonl {id, text}, suspects.jsonl {id, text}, both with an optional category, and
    truth.jsonl {suspect, source, kind}. Of any other FOLDER (the formats of `works import`) every fifth text is held
    out as one that copies nothing, and copies of the others are disguised on the fly. Nothing is stored.
    """
    from lab.compare.chart import save_chart
    from lab.compare.measure import measure
    from lab.compare.stores import STORES
    from lab.compare.trial import read_trial
    from matcher.ranking.size_and_kind import Narrowing

    segment, narrowing = _cutter(dictionaries), Narrowing(size_within, same_category)
    known = _schemes(settings_of(ctx).matcher.open_score, idf, hash, window, overlap, int(highest))
    schemes = _chosen(known, names)
    trial = read_trial(what, sample=sample, seed=seed)
    for reason in trial.refused:
        err().print(reason, style="red", markup=False)
    with STORES[keys]() as buckets, progress("比较 schemes") as advance:
        results = list(measure(trial, schemes, buckets, advance, narrowing, segment))
    if as_json:
        print_json(results)
    else:
        _print(results)
    if chart:
        with writing(chart):
            save_chart(results, chart)


def _cutter(dictionaries: Sequence[Path]) -> Callable[[str], tuple[str, ...]]:
    from fingerprinter.schemes.words.words import cutter
    from services.texts.dictionaries import read_dictionaries

    return cutter(read_dictionaries(dictionaries))


def _schemes(
    open_score: float, weights: Path | None, hash: str, window: int, overlap: float, highest: int
) -> "Sequence[Scheme]":
    """All of the field's, and the product's whole path. weights: a table of words' weights; the last three are of a
    frequency window.
    """
    from fingerprinter.schemes.frequency_windows import FrequencyWindows
    from fingerprinter.schemes.registry import all_schemes
    from fingerprinter.schemes.words.weights import load
    from lab.compare.whole_path import WholePath

    whole, frequency = WholePath(open_score), FrequencyWindows(window=window, overlap=overlap, highest=highest)
    return [*all_schemes(load(weights) if weights else None, hash, frequency), whole]


def _chosen(schemes: "Sequence[Scheme]", names: str | None) -> "Sequence[Scheme]":
    if names is None:
        return schemes
    by_name = {scheme.name: scheme for scheme in schemes}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted or any(name not in by_name for name in wanted):
        raise BadInput("lab.no_scheme", name=repr(names), known=", ".join(by_name))
    return [by_name[name] for name in dict.fromkeys(wanted)]


def _print(results: "Sequence[Result]") -> None:
    print_table(
        (
            "方法 scheme",
            "找到 found",
            "准确 precision",
            "误报 accused",
            "太短 too short (篇 texts < 字 chars)",
            "指纹 each",
            "字节 bytes",
            "篇/秒 texts/s",
            "百万字/秒 Mchar/s",
            "比对 compared",
            "查询 query",
        ),
        [
            (
                result.scheme,
                f"{result.total.found}/{result.total.pairs} {result.total.share:.1%}",
                "–" if result.precision is None else f"{result.precision:.1%}",
                f"{result.accused}/{result.negatives}",
                f"{result.unanswered} < {result.least}",
                f"{result.fingerprints_a_document:.0f}",
                f"{result.bytes_a_document:.0f}",
                f"{result.texts_a_second:.0f}",
                f"{result.million_characters_a_second:.2f}",
                f"{result.comparisons:.1f} / {result.documents}",
                f"{result.query_ms:.3f} ms",
            )
            for result in results
        ],
    )
    kinds = list(results[0].by_kind)
    if len(kinds) > 1:
        rows = [(result.scheme, *(f"{kind.share:.0%}" for kind in result.by_kind.values())) for result in results]
        print_table(("找到 found", *kinds), rows)
