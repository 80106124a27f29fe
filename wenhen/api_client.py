"""A Python client of the API, generated from its description by openapi-python-client."""

import json
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from store.errors import SetupError
from wenhen.child_environment import python

PACKAGE: Final = "wenhen_client"
_GENERATOR: Final = "openapi_python_client"
_FILES: Final = (
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/wacz",
)  # content types that are handed on as they come


def write_client(description: Mapping[str, Any], out: Path) -> None:
    """Write the package into this folder, which must not be there yet. SetupError: it is, or the generator is missing,
    or cannot do it.
    """
    if find_spec(_GENERATOR) is None:
        raise SetupError("api.no_generator")
    if out.exists():
        raise SetupError("api.there_already", path=str(out))
    with TemporaryDirectory() as folder:
        described, config = Path(folder, "openapi.json"), Path(folder, "config.json")
        described.write_text(json.dumps(description), encoding="utf-8")
        config.write_text(json.dumps(_config()), encoding="utf-8")
        done = subprocess.run(
            python(
                _GENERATOR,
                "generate",
                "--meta",
                "setup",
                "--path",
                str(described),
                "--config",
                str(config),
                "--output-path",
                str(out),
            ),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SetupError("api.not_generated", error=(done.stderr or done.stdout).strip()[-2000:])


def _config() -> dict[str, object]:
    return {
        "project_name_override": PACKAGE.replace("_", "-"),
        "package_name_override": PACKAGE,
        "post_hooks": [],
        "content_type_overrides": dict.fromkeys(_FILES, "application/octet-stream"),
    }
