"""Bytes as a file to be kept: no browser opens here what somebody sent."""

import re
from io import BytesIO
from typing import Final
from urllib.parse import quote

from flask import send_file
from werkzeug.wrappers import Response

BYTES: Final = "application/octet-stream"  # of what others wrote
WACZ: Final = "application/wacz"
_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9]+")


def as_file(name: str, content: bytes, type: str = BYTES) -> Response:
    """The bytes under that name; for programs that know no other characters than ASCII (curl --remote-header-name), one
    that begins with ours: what is left of 文痕-案件-1.csv would look like an option.
    """
    answer = send_file(BytesIO(content), mimetype=type, as_attachment=True, download_name=name)
    if not name.isascii():
        stem, dot, ending = name.rpartition(".")
        plain = _NOT_PLAIN.sub("-", f"wenhen-{stem}").strip("-") + dot + _NOT_PLAIN.sub("", ending)
        names = {"filename": plain, "filename*": f"UTF-8''{quote(name, safe='')}"}
        answer.headers.set("Content-Disposition", "attachment", **names)
    return answer
