"""Bytes as a file to be kept: no browser opens here what somebody sent."""

from io import BytesIO
from typing import Final

from flask import send_file
from werkzeug.wrappers import Response

BYTES: Final = "application/octet-stream"  # of what others wrote
WACZ: Final = "application/wacz"


def as_file(name: str, content: bytes, type: str = BYTES) -> Response:
    """The bytes under that name."""
    return send_file(BytesIO(content), mimetype=type, as_attachment=True, download_name=name)
