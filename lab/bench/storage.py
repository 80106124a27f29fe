"""What a library takes in MongoDB, bytes of each collection and of each of its indexes, a work; and what the bodies of
captured pages take there, beside gzip.
"""

import gzip
from collections.abc import Iterator
from typing import Any

from pymongo import MongoClient

from lab.bench.chain.pages import chain_pages
from lab.bench.generator import GeneratedWork, Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport, Limit
from wenhen.wiring import App

SEED = 17
MOST = 3_500  # bytes a work of 1,000 characters and more, all in
PAGES = 2_000  # captured, of which a quarter come twice
WORKS = 900  # that a tenth of them copy from
MOST_OF_GZIP = 1.1  # of the bytes that gzip makes of each different body, entries and indexes included


def measure(app: App, works: int, progress: Progress | None = None) -> BenchReport:
    """So many generated works, stored and fingerprinted; `app` is empty before. Bytes are those of files, flushed."""
    report = BenchReport("storage")
    characters = 0

    def counted() -> Iterator[GeneratedWork]:
        nonlocal characters
        for work in Writer(SEED).works(works):
            characters += len(work.text)
            yield work

    store_works(app, counted(), works, progress)
    tell_library(app, works, report)
    report.figures["characters a work"] = characters / works
    return report


def tell_library(app: App, works: int, report: BenchReport) -> None:
    """What the works take that the store holds; there is nothing else in it."""
    report.rows = _by_collection(app, works)
    total = sum(row["files"] + row["indexes"] for row in report.rows)
    report.figures |= {"works": works, "bytes a work": total}
    report.limits.append(Limit("bytes a work", total, most=MOST))


def measure_bodies(app: App) -> BenchReport:
    """Bodies of generated pages in MongoDB; `app` is empty before."""
    report = BenchReport("storage of bodies")
    bodies = [page.body for page in chain_pages(PAGES, WORKS)]
    for some in (bodies, bodies[: PAGES // 4]):
        app.store.blobs.put_all(some)
    taken = sum(
        row["files"] + row["indexes"] for row in _by_collection(app, 1) if row["collection"].startswith("blobs.")
    )
    least = sum(len(gzip.compress(body)) for body in set(bodies))
    report.figures |= {"pages": PAGES, "different bodies": len(set(bodies)), "bytes a page by gzip": least / PAGES}
    report.limits.append(Limit("bytes of bodies / gzip's of each different one", taken / least, most=MOST_OF_GZIP))
    return report


def _by_collection(app: App, works: int) -> list[dict[str, Any]]:
    """Bytes a work of each collection's documents before compression, of its file, and of its indexes, one by one."""
    with MongoClient[dict[str, Any]](app.settings.mongo.url) as client:
        database = client[app.settings.mongo.database]
        client.admin.command("fsync")  # a checkpoint; what is only in the cache has no size in the files yet
        rows = []
        for name in sorted(database.list_collection_names()):
            told = database.command("collStats", name)
            indexes = sorted(told["indexSizes"].items(), key=lambda one: -one[1])
            if told["count"]:
                rows.append(
                    {
                        "collection": name,
                        "documents": told["size"] / works,
                        "files": told["storageSize"] / works,
                        "indexes": told["totalIndexSize"] / works,
                        "each": ", ".join(f"{index} {size / works:.0f}" for index, size in indexes),
                    }
                )
    return rows
