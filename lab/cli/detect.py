"""`wenhen detect`: a suite of known copies through the path of production."""

import json
from pathlib import Path

import click

from wenhen.cli.shared.files import NewFile, writing
from wenhen.cli.shared.opening import settings_of
from wenhen.cli.shared.output import err, progress


@click.command()
@click.argument("suite", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--out", "-o", required=True, type=NewFile(), help="Detections, JSON lines.")
@click.option("--suspicions", is_flag=True, help="Write works that a text may be told after, too.")
@click.pass_context
def detect(ctx: click.Context, suite: Path, out: Path, suspicions: bool) -> None:
    """Look every text of SUITE/suspects.jsonl {id, text} up among the works of SUITE/library.jsonl {id, title, text}.

    Runs the path of production (normalise, fingerprint, Redis index, rank, align) on servers that it starts and
    throws away, and writes one line a copied
    passage: {suspect, source, suspect_start, suspect_end, source_start, source_end, score}, offsets in code points. A
    suspicion has "suspicion": true beside these.
    """
    from lab.detecting import detect as run
    from lab.detecting import load_library
    from wenhen.processes.throwaway_product import throwaway_app

    settings = settings_of(ctx)
    matcher = settings.matcher.model_copy(update={"suspicions": suspicions})
    with throwaway_app(settings.model_copy(update={"matcher": matcher})) as app:
        with progress("作品入库 library") as advance:
            works = load_library(app, suite, advance)
        written = 0
        with progress("检索 suspects") as advance, writing(out), out.open("w", encoding="utf-8") as lines:
            for detection in run(app, suite, advance):
                lines.write(json.dumps(detection, ensure_ascii=False) + "\n")
                written += 1
    err().print(f"{out}: {written} passages, {works} works")
