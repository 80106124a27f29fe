"""A real Chromium locks its pages in as the crawlers' container lets it: by its seccomp profile, with no rights."""

import ctypes
import json
import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.rendering.browser import BROWSER_SWITCHES, browser_launcher, find_browser
from wenhen.kit.errors import SetupError

try:
    CHROMIUM = find_browser(None)
    SECCOMP = ctypes.CDLL("libseccomp.so.2")
except (SetupError, OSError) as error:
    pytest.skip(f"no browser, or no libseccomp, to test with: {error}", allow_module_level=True)

pytestmark = pytest.mark.browser

PROFILE = json.loads((Path(__file__).parents[3] / "docker/crawler-seccomp.json").read_text(encoding="utf-8"))
PAGE = "<p id=p></p><script>document.getElementById('p').textContent = ['ran', 1 + 1].join(' ')</script>"
NOBODY = pwd.getpwnam("nobody").pw_uid
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # of seccomp.h
DROP_FROM_BOUNDING_SET, NO_NEW_PRIVILEGES, CAPABILITIES = 24, 38, 41  # of prctl.h


def confine() -> None:
    """As Docker does before it starts a program: another user, no capabilities, no new privileges, the profile."""
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0:
        for capability in range(CAPABILITIES):
            libc.prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    SECCOMP.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(SECCOMP.seccomp_init(ctypes.c_uint32(ALLOW)))
    for rule in PROFILE["syscalls"]:
        for name in rule["names"]:
            number = SECCOMP.seccomp_syscall_resolve_name(name.encode())
            assert SECCOMP.seccomp_rule_add(rules, ctypes.c_uint32(REFUSE | rule["errnoRet"]), number, 0) == 0, name
    assert SECCOMP.seccomp_load(rules) == 0


def confined(*command: str) -> "subprocess.CompletedProcess[str]":
    """Run it so, with no home."""
    surroundings = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    return subprocess.run(
        command, preexec_fn=confine, capture_output=True, text=True, timeout=600, check=False, env=surroundings
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="for root alone")
def test_root_s_browser_gives_up_all_rights_before_it_begins(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as profile:
        asked = ("-c", "id -u; id -G; stat -c %U " + profile, "sh", f"--user-data-dir={profile}")
        told = subprocess.run(
            [browser_launcher("/bin/sh"), *asked], capture_output=True, text=True, timeout=600, check=True
        )
    assert told.stdout.split() == [str(NOBODY), str(pwd.getpwnam("nobody").pw_gid), "nobody"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that anybody may write to."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)  # the browser runs as another user
        yield Path(name)


@pytest.fixture(autouse=True)
def namespaces() -> None:
    """Chromium has no sandbox at all where the machine allows none."""
    if confined("unshare", "--user", "--map-root-user", "true").returncode:
        pytest.skip("this machine allows no user namespaces")


def test_chromium_starts_with_its_sandbox_and_runs_a_page(folder: Path) -> None:
    page = folder / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    switches = ("--headless", "--disable-gpu", f"--user-data-dir={folder}/profile", *BROWSER_SWITCHES)
    done = confined(CHROMIUM, *switches, "--dump-dom", page.as_uri())
    assert '<p id="p">ran 2</p>' in done.stdout, done.stderr[-2000:]


def test_who_becomes_root_of_a_namespace_can_still_mount_nothing() -> None:
    refused = confined("unshare", "--user", "--map-root-user", "--mount", "true")
    assert "Operation not permitted" in refused.stderr
