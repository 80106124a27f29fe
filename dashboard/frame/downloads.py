"""Foreign bytes as a file to be kept: no browser opens them here."""

from io import BytesIO

from flask import send_file
from werkzeug.wrappers import Response

BYTES = "application/octet-stream"


def as_file(name: str, content: bytes) -> Response:
    """The bytes under that name."""
    return send_file(BytesIO(content), mimetype=BYTES, as_attachment=True, download_name=name)
