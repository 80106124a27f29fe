"""Compare schemes, detect, group, weigh and cut words: `wenhen compare`, `detect`, `group`, `idf`, `segment`."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wenhen.cli.console import (
    AdvanceCallback,
    InputTexts,
    NewFile,
    command_settings,
    dictionary_option,
    json_option,
    print_json,
    print_json_line,
    print_table,
    progress_bar,
    report_write_errors,
    shortest_option,
    stderr_console,
    wants_json,
    with_shortest,
)
from wenhen.kit.errors import BadInput, message
from wenhen.kit.plugins import SCHEMES, find_plugins

if TYPE_CHECKING:
    from fingerprinter.schemes.scheme import Scheme
    from wenhen.comparison.measurement import SchemeResult


KEYS_CHOICE = click.Choice(["memory", "disk", "redis"])
HASH_CHOICE = click.Choice(["md5", "sha1", "blake2b", "farmhash", "cityhash"])


@click.command()
@click.argument("what", metavar="SUITE|FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--schemes", "names", metavar="NAME,…", help="Only the schemes with these names.")
@click.option("--sample", default=100, show_default=True, type=click.IntRange(1), help="Texts of a folder to disguise.")
@click.option(
    "--seed", default=1, show_default=True, help="Seed of the disguises. The same seed makes the same copies."
)
@click.option(
    "--keys", default="memory", show_default=True, type=KEYS_CHOICE, help="Where look-ups by key store their keys."
)
@click.option(
    "--hash",
    default="md5",
    show_default=True,
    type=HASH_CHOICE,
    help="Hash function of checksum, simhash, longest-sentence and nshash.",
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
    help="Only works at most this many times longer or shorter than the suspect. 0: all.",
)
@click.option("--same-category", is_flag=True, help="Only works of the suspect's category, where both are known.")
@click.option(
    "--window", default=150, show_default=True, type=click.IntRange(1), help="Length of a frequency window in letters."
)
@click.option(
    "--overlap",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    help="Overlap of neighbouring frequency windows, as a share of a window.",
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
) -> None:
    """Put texts through every fingerprint scheme, each with its own index, and say what each finds and costs.

    A SUITE is a folder with library.jsonl {id, text}, suspects.jsonl {id, text}, both with an optional category, and
    truth.jsonl {suspect, source, kind}. Of any other FOLDER (the formats of `works import`) every fifth text is held
    out as one that copies nothing, and copies of the others are disguised on the fly. Nothing is stored.
    """
    from matcher.retrieval.candidates import CandidateFilter
    from wenhen.comparison.bucket_stores import BUCKET_STORES
    from wenhen.comparison.measurement import measure_schemes, save_chart
    from wenhen.comparison.trial import read_trial

    segment, narrowing = _load_segmenter(dictionaries), CandidateFilter(size_within, same_category)
    known = _build_schemes(command_settings(ctx).matcher.open_score, idf, hash, window, overlap, int(highest))
    schemes = _select_schemes(known, names)
    trial = read_trial(what, sample=sample, seed=seed)
    for reason in trial.refused:
        stderr_console().print(reason, style="red", markup=False)
    with BUCKET_STORES[keys]() as buckets, progress_bar("比较 schemes") as advance:
        results = list(measure_schemes(trial, schemes, buckets, advance, narrowing, segment))
    if wants_json():
        print_json(results)
    else:
        _print_results(results)
    if chart:
        with report_write_errors(chart):
            save_chart(results, chart)


def _load_segmenter(dictionaries: Sequence[Path]) -> Callable[[str], tuple[str, ...]]:
    from fingerprinter.words.text import make_cutter
    from wenhen.texts.word_segmentation import read_dictionaries

    return make_cutter(read_dictionaries(dictionaries))


def _build_schemes(
    open_score: float, weights: Path | None, hash: str, window: int, overlap: float, highest: int
) -> "Sequence[Scheme]":
    """Return all fingerprint schemes, and the production pipeline as a scheme.

    weights: a table of word weights. window, overlap, highest: settings of the frequency windows.
    """
    from fingerprinter.schemes.registry import FrequencyWindows, all_schemes
    from wenhen.comparison.measurement import load_weight_table
    from wenhen.comparison.production_scheme import ProductionScheme

    whole, frequency = ProductionScheme(open_score), FrequencyWindows(window=window, overlap=overlap, highest=highest)
    own = [*all_schemes(load_weight_table(weights) if weights else None, hash, frequency), whole]
    return [*own, *_plugin_schemes({scheme.name for scheme in own})]


def _plugin_schemes(taken: "Collection[str]") -> "Iterator[Scheme]":
    """Yield the schemes of plug-ins. Broken ones, and those with a name that is taken, are reported and left out."""
    from fingerprinter.schemes.scheme import Scheme

    for plugin in find_plugins(SCHEMES):
        problem, scheme = plugin.problem, plugin.loaded
        if isinstance(scheme, Scheme) and scheme.name in taken:
            problem = message("plugins.taken", other="wenhen")
        if problem is not None:
            named = message("plugins.problem", name=plugin.name, distribution=plugin.distribution, problem=problem)
            stderr_console().print(str(named), style="red", markup=False, soft_wrap=True)
        elif isinstance(scheme, Scheme):
            yield scheme


def _select_schemes(schemes: "Sequence[Scheme]", names: str | None) -> "Sequence[Scheme]":
    if names is None:
        return schemes
    by_name = {scheme.name: scheme for scheme in schemes}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted or any(name not in by_name for name in wanted):
        raise BadInput("lab.no_scheme", name=repr(names), known=", ".join(by_name))
    return [by_name[name] for name in dict.fromkeys(wanted)]


def _print_results(results: "Sequence[SchemeResult]") -> None:
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


# `wenhen detect`: detect the copies of a suite with the production pipeline.


@click.command()
@click.argument("suite", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--out", "-o", required=True, type=NewFile(), help="Detections, JSON lines.")
@click.option("--suspicions", is_flag=True, help="Also write works that a text may paraphrase.")
@shortest_option
@click.pass_context
def detect(ctx: click.Context, suite: Path, out: Path, suspicions: bool, shortest: int | None) -> None:
    """Look every text of SUITE/suspects.jsonl {id, text} up among the works of SUITE/library.jsonl {id, title, text}.
    The lines of SUITE/common.jsonl, if it is there, are common texts, which accuse nobody.

    Runs the path of production (normalise, fingerprint, Redis index, rank, align) on servers that it starts and
    throws away, and writes one line a copied
    passage: {suspect, source, suspect_start, suspect_end, source_start, source_end, score}, offsets in code points. A
    suspicion has "suspicion": true beside these.
    """
    from wenhen.comparison.detection import detect_copies as run
    from wenhen.comparison.detection import load_suite_library
    from wenhen.runtime.wiring import throwaway_app

    settings = command_settings(ctx)
    if shortest is not None:
        settings = with_shortest(settings, shortest)
    matcher = settings.matcher.model_copy(update={"suspicions": suspicions})
    with throwaway_app(settings.model_copy(update={"matcher": matcher})) as app:
        with progress_bar("作品入库 library") as advance:
            works = load_suite_library(app, suite, advance)
        written = 0
        with (
            progress_bar("检索 suspects") as advance,
            report_write_errors(out),
            out.open("w", encoding="utf-8") as lines,
        ):
            for detection in run(app, suite, advance):
                lines.write(json.dumps(detection, ensure_ascii=False) + "\n")
                written += 1
    stderr_console().print(f"{out}: {written} passages, {works} works")


# `wenhen group`: give texts that share a long sentence the same id.


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--sentences",
    default=5,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Number of longest sentences of each text.",
)
@click.option("--hash", default="md5", show_default=True, type=HASH_CHOICE, help="Hash function of the sentences.")
@click.option(
    "--keys", default="memory", show_default=True, type=KEYS_CHOICE, help="Where the keys are stored during the run."
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that stores the groups. Texts of later runs join them, and ids stay.",
)
def group(what: tuple[str, ...], sentences: int, hash: str, keys: str, store: Path | None) -> None:
    """Group texts by nshash: those that share one of their longest sentences stand under the id of the first of them.

    WHAT are files and folders (the formats of `works import`) and - for standard input. A line a text, as JSON: {id,
    title, source, similar}; similar is null for a text that is too short to say. Without --store nothing is stored.
    Status 1 when something could not be read; the rest is grouped.
    """
    from fingerprinter.schemes.indexes import SimilarIds
    from fingerprinter.schemes.substrings import Nshash
    from fingerprinter.words.text import SchemeText
    from wenhen.comparison.bucket_stores import BUCKET_STORES, GroupFile

    scheme = Nshash(count=sentences, hash=hash)
    texts, read = InputTexts(what), []
    with GroupFile(store) if store else BUCKET_STORES[keys]() as buckets:
        kept = buckets if isinstance(buckets, GroupFile) else None
        similar = SimilarIds(buckets)
        for place, text in enumerate(texts):
            made = scheme.fingerprint(SchemeText(text.text))
            number = kept.number(text.id) if kept else place
            read.append((text.id, text.title, text.origin, None if made is None else number))
            if made is not None:
                similar.put(number, made.keys.tolist())
        groups = [None if number is None else similar.similar_id(number) for *_, number in read]
        names = {first: kept.id(first) if kept else read[first][0] for first in groups if first is not None}
    for (id, title, origin, _), first in zip(read, groups, strict=True):
        similar_to = None if first is None else names[first]
        print_json_line({"id": id, "title": title, "source": origin, "similar": similar_to})
    chosen = set(names)
    stderr_console().print(f"{len(chosen)} 组 groups, {len(read)} 篇 texts, {groups.count(None)} 太短 too short")
    texts.fail_on_unreadable()


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
    from wenhen.comparison.measurement import learn_weight_table

    segment = _load_segmenter(dictionaries)
    texts = InputTexts(paths)
    with progress_bar("学习 learning") as advance:
        corpus = _WordCorpus(texts, out, advance, segment)
        weights = learn_weight_table(out.stem, corpus)
    if not weights.table:
        raise BadInput("lab.no_words")
    with report_write_errors(out):
        weights.save(out)
    stderr_console().print(f"{out}: {len(weights.table)} 词 words, {corpus.count} 篇 texts")
    texts.fail_on_unreadable()


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
    texts.fail_on_unreadable()
