"""A frozen library brought near: mapped where it lies on this machine, else copied here once."""

import json
import os
import shutil
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from filelock import FileLock
from platformdirs import user_cache_path

from pipeline.bulk.freeze import Frozen, Progress, freeze
from pipeline.bulk.frozen_library import FrozenLibrary
from pipeline.context import Context
from store.errors import BadInput, NotFound
from wenhen.bulk import files

MANIFEST: Final = "manifest.json"  # written last: the names of the others with their sizes and digests
CACHE: Final = "WENHEN_BULK_CACHE"  # folder for copies


def freeze_to(context: Context, url: str, progress: Progress | None = None) -> Frozen:
    """Freeze the library to an address. Raises DiskFull, Unavailable."""
    folder = Path(mkdtemp(prefix="wenhen-bulk-"))
    try:
        frozen = freeze(context, folder, progress)
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        for name in names:
            files.send(str(folder / name), files.joined(url, name))
        told = {name: [(folder / name).stat().st_size, _digest(folder / name)] for name in names}
        files.write(files.joined(url, MANIFEST), json.dumps(told).encode())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return frozen


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def digest_of(url: str) -> str:
    """What tells this library from any other. Raises NotFound."""
    try:
        return sha256(files.read(files.joined(url, MANIFEST))).hexdigest()
    except NotFound as error:
        raise NotFound("bulk.no_library", url=url) from error


@lru_cache(1)
def near_library(url: str, digest: str) -> FrozenLibrary:
    """The library at this address, which is opened once a process."""
    here = files.local_path(url)
    return FrozenLibrary(Path(here) if here is not None else _copied(url, digest))


def _copied(url: str, digest: str) -> Path:
    """The copy of this machine, made by the first who asks."""
    cache = Path(os.environ.get(CACHE) or user_cache_path("wenhen") / "bulk")
    cache.mkdir(parents=True, exist_ok=True)
    whole = cache / digest
    with FileLock(cache / f"{digest}.lock"):
        if not whole.exists():
            coming = cache / f"{digest}.coming"
            shutil.rmtree(coming, ignore_errors=True)
            for name, (size, content) in json.loads(files.read(files.joined(url, MANIFEST))).items():
                if not (coming / name).resolve().is_relative_to(coming.resolve()):
                    raise BadInput("bulk.copy_damaged", url=url, name=name)
                (coming / name).parent.mkdir(parents=True, exist_ok=True)
                files.bring(files.joined(url, name), str(coming / name))
                if (coming / name).stat().st_size != size or _digest(coming / name) != content:
                    raise BadInput("bulk.copy_damaged", url=url, name=name)
            coming.rename(whole)
    return whole
