"""`wenhen detect`: a suite of known copies through the path of production."""

import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from wenhen.app import App
from wenhen.cli.opening import settings_of
from wenhen.cli.output import err, progress
from wenhen.settings import Settings


@click.command()
@click.argument("suite", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="Detections, JSON lines."
)
@click.pass_context
def detect(ctx: click.Context, suite: Path, out: Path) -> None:
    """Look every text of SUITE/suspects.jsonl {id, text} up among the works of SUITE/library.jsonl {id, title, text}.

    Runs the path of production (normalise, fingerprint, Redis index, rank, align) on servers that it starts and
    throws away, and writes one line a copied
    passage: {suspect, source, suspect_start, suspect_end, source_start, source_end, score}, offsets in code points.
    """
    from wenhen.detecting import detect as run
    from wenhen.detecting import load_library

    with ExitStack() as stack:
        app = _opened(settings_of(ctx), stack)
        with progress("作品入库 library") as advance:
            works = load_library(app, suite, advance)
        written = 0
        with progress("检索 suspects") as advance, out.open("w", encoding="utf-8") as lines:
            for detection in run(app, suite, advance):
                lines.write(json.dumps(detection, ensure_ascii=False) + "\n")
                written += 1
    err().print(f"{out}: {written} passages, {works} works")


def _opened(settings: Settings, stack: ExitStack) -> App:
    from wenhen.embedded import throwaway_servers
    from wenhen.wiring import open_app

    folder = Path(tempfile.mkdtemp(prefix="wenhen-detect-"))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    addresses = stack.enter_context(throwaway_servers())
    settings = settings.model_copy(
        update={
            "data": folder,
            "mongo": settings.mongo.model_copy(update={"url": addresses.mongo_url}),
            "redis": settings.redis.model_copy(update={"url": addresses.redis_url}),
            "index": settings.index.model_copy(update={"url": None, "cluster": False}),
        }
    )
    app = open_app(settings)
    stack.callback(app.store.close)
    return app
