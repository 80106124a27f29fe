"""Templates compiled once for all the apps of a test run: each test makes an app of its own."""

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class _Compiled(BytecodeCache):
    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def with_compiled_templates(app: Flask) -> Flask:
    """The app, which compiles no template that another has compiled before."""
    app.jinja_env.bytecode_cache = _COMPILED
    return app
