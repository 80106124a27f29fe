"""libcurl for mongod on systems that have none.

mongod links to ``libcurl.so.4``. The wheel of pycurl carries a libcurl under another name; a symbolic link with the
right name, and the wheel's folder for its own dependencies, in ``LD_LIBRARY_PATH`` make the loader take it.
"""

import os
from importlib.util import find_spec
from pathlib import Path

LIBRARY = "libcurl.so.4"


def wheel_libraries() -> Path | None:
    """The folder of shared libraries that pycurl's wheel brought, None where there is none (built from source)."""
    spec = find_spec("pycurl")
    if spec is None or spec.origin is None:
        return None
    for parent in list(Path(spec.origin).parents)[:2]:  # pycurl is a package, or one extension module
        if any((parent / "pycurl.libs").glob("libcurl-*.so.4*")):
            return parent / "pycurl.libs"
    return None


def loader_environment(shim: Path) -> dict[str, str] | None:
    """Environment variables with which mongod finds pycurl's libcurl, through a link made in the folder `shim`.

    None when there is no such libcurl.
    """
    libraries = wheel_libraries()
    if libraries is None:
        return None
    shim.mkdir(parents=True, exist_ok=True)
    link = shim / LIBRARY
    link.unlink(missing_ok=True)
    link.symlink_to(next(iter(sorted(libraries.glob("libcurl-*.so.4*")))))
    inherited = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": os.pathsep.join([str(shim), str(libraries), *([inherited] if inherited else [])])}
