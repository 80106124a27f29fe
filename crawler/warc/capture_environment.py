"""Describe the capturing machine: its names, clock, resolver and proxies."""

import json
import platform
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.request import getproxies

from crawler.site_access import mask_url_password

ENVIRONMENT_URI: Final = "urn:wenhen:machine"  # names its record in a WARC file
_MAX_FILE_CHARACTERS: Final = 20_000  # characters that are read
_NTP_SECONDS: Final = 2.0
_NTP_EPOCH: Final = 2_208_988_800  # seconds from 1900 to 1970
_NTP_REQUEST: Final = b"\x23" + 47 * b"\0"  # NTP version 4, mode client (RFC 5905)


def describe_environment(
    *,
    software: str,
    proxies: Sequence[str] = (),
    host_map: Mapping[str, str] | None = None,
    time_servers: Sequence[str] = (),
    public_address: str = "",
) -> bytes:
    """Return the capture environment as JSON.

    proxies: of the site, told without passwords. host_map: names with other addresses than the resolver's.
    public_address: from a setting.
    """
    state = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "software": software,
        "host": socket.gethostname(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "public_address": public_address or None,
        "proxies": {
            "site": [mask_url_password(proxy) for proxy in proxies],
            "environment": {name: mask_url_password(url) for name, url in sorted(getproxies().items())},
        },
        "host_map": dict(host_map or {}),
        "hosts_file": _read_file("/etc/hosts"),
        "resolver": _read_file("/etc/resolv.conf"),
        "clock": {
            "synchronised": _is_clock_synchronised(),
            "time_servers": [{"server": time_server, **_clock_offset(time_server)} for time_server in time_servers],
        },
    }
    return json.dumps(state, ensure_ascii=False, indent=2).encode() + b"\n"


def _read_file(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8", "replace")[:_MAX_FILE_CHARACTERS]
    except OSError:
        return None


def _is_clock_synchronised() -> bool | None:
    """Return whether systemd's time service has set the clock since the start, or None without one."""
    folder = Path("/run/systemd/timesync")
    return (folder / "synchronized").exists() if folder.is_dir() else None


def _clock_offset(server: str) -> dict[str, Any]:
    """Return how many seconds the server's clock is ahead of ours, by one question (RFC 5905, section 8)."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(server, 123, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as asking:
            asking.settimeout(_NTP_SECONDS)
            sent = time.time()
            asking.sendto(_NTP_REQUEST, address)
            answer = asking.recv(512)
            came = time.time()
        received, transmitted = (_ntp_time(answer, offset) for offset in (32, 40))
    except (OSError, struct.error) as error:
        return {"error": str(error) or type(error).__name__}
    return {"offset_seconds": round(((received - sent) + (transmitted - came)) / 2, 4)}


def _ntp_time(answer: bytes, offset: int) -> float:
    seconds, fraction = struct.unpack_from("!II", answer, offset)
    return float(seconds - _NTP_EPOCH + fraction / 2**32)
