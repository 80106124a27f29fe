"""`wenhen group`: texts that share a long sentence, under one id."""

from pathlib import Path

import click

from wenhen.cli.shared.output import err, print_json_line
from wenhen.cli.shared.unstored_texts import Texts


@click.command()
@click.argument("what", metavar="FILE|DIR|-...", nargs=-1, required=True)
@click.option(
    "--sentences", default=5, show_default=True, type=click.IntRange(1, 100), help="Longest sentences of each text."
)
@click.option(
    "--hash",
    default="md5",
    show_default=True,
    type=click.Choice(["md5", "sha1", "blake2b", "farmhash", "cityhash"]),
    help="What sentences are hashed with.",
)
@click.option(
    "--keys",
    default="memory",
    show_default=True,
    type=click.Choice(["memory", "disk", "redis"]),
    help="Where the keys are kept meanwhile.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the groups in this file: texts of later runs join them, and ids stay.",
)
def group(what: tuple[str, ...], sentences: int, hash: str, keys: str, store: Path | None) -> None:
    """Group texts by nshash: those that share one of their longest sentences stand under the id of the first of them.

    WHAT are files and folders (the formats of `works import`) and - for standard input. A line a text, as JSON: {id,
    title, source, similar}; similar is null for a text that is too short to say. Without --store nothing is stored.
    Status 1 when something could not be read; the rest is grouped.
    """
    from fingerprinter.schemes.indexes.similar_ids import SimilarIds
    from fingerprinter.schemes.sentences import Nshash
    from fingerprinter.schemes.words.text import SchemeText
    from lab.compare.kept_groups import KeptGroups
    from lab.compare.stores import STORES

    scheme = Nshash(count=sentences, hash=hash)
    texts, read = Texts(what), []
    with KeptGroups(store) if store else STORES[keys]() as buckets:
        kept = buckets if isinstance(buckets, KeptGroups) else None
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
    found = set(names)
    err().print(f"{len(found)} 组 groups, {len(read)} 篇 texts, {groups.count(None)} 太短 too short")
    if texts.unreadable:
        raise click.ClickException(f"{texts.unreadable} could not be read")
