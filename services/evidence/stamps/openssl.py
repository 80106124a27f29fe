"""A second opinion on a time stamp, by the program `openssl`, where there is one."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime

SECONDS = 20
_ROOM = 60_000  # bytes that a pipe takes without a reader


def holds(answer: bytes, digest: bytes, at: datetime, path: Sequence[bytes]) -> bool:
    """Whether it verifies the answer as of that time. path: certificates in PEM, the signer's first, the root last."""
    program = shutil.which("openssl")
    if program is None or max(len(answer), sum(map(len, path))) > _ROOM:
        return False
    with ExitStack() as files:
        given, root, others = (
            files.enter_context(_readable(one)) for one in (answer, path[-1], b"".join(path[:-1]) or path[-1])
        )
        done = subprocess.run(
            [
                *(program, "ts", "-verify", "-digest", digest.hex(), "-in", f"/dev/fd/{given}"),
                *("-CAfile", f"/dev/fd/{root}", "-untrusted", f"/dev/fd/{others}"),
                *("-attime", str(int(at.timestamp())), "-partial_chain"),
            ],
            pass_fds=(given, root, others),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    return done.returncode == 0


@contextmanager
def _readable(content: bytes) -> Iterator[int]:
    """A file that is nowhere: who asks may not be allowed to write any."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(content)
        yield reading
    finally:
        os.close(reading)
