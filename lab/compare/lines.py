"""JSON lines with the fields that are asked for."""

import json
from pathlib import Path
from typing import Any

from store.errors import BadInput


def read_lines(path: Path, *fields: str) -> list[dict[str, Any]]:
    """The records of a file; BadInput names the file and the record that lacks one of the fields, as text."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except ValueError as error:
        raise BadInput("files.no_json_lines", path=path, error=error) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(field), str) for field in fields):
            raise BadInput("lab.fields_needed", path=path, number=number, fields=" and ".join(fields))
    return rows
