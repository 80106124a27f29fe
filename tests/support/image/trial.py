"""Builds the image and runs every service of docker-compose.yml from it beside each other, on embedded servers with the
compose file's arguments: `python -m tests.support.image.trial`, as root. Prints what was seen as one JSON object.

Everything lies in memory and in namespaces of this process, and is gone with it.
"""

import ctypes
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pymongo

from tests.support.image.builder import ROOT, Builder
from tests.support.image.compose import compose
from tests.support.image.container import PATIENCE, Container
from tests.support.refusals import taken_by_servers
from wenhen.runtime.embedded.server_binaries import find_mongod, find_redis_server

NEW_MOUNTS, NEW_NETWORK = 0x00020000, 0x40000000  # of sched.h
ADDRESSES = {"mongo": "127.0.0.2", "redis": "127.0.0.3", "index": "127.0.0.4"}
SERVICES = [name for name, one in compose()["services"].items() if one.get("build") and name != "mongo-user"]
TEXT = "天亮以前，渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道，对岸的狗叫了三声。\n" * 30
CODE = "/tmp/machine-code"


def leave(kind: int) -> None:
    """Leave the machine's mounts, or its network, for ones of our own."""
    if ctypes.CDLL(None, use_errno=True).unshare(kind):
        raise OSError(ctypes.get_errno(), "no namespace of our own")


def raise_loopback() -> None:
    """A new network has its loopback down (SIOCSIFFLAGS: IFF_UP, IFF_RUNNING)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, 0x8914, struct.pack("16sh14x", b"lo", 0x41))


def wait_for(condition: Any, what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"in vain: {what}"
        time.sleep(0.5)


def start_servers(stack: ExitStack, folder: Path, services: dict[str, Any]) -> None:
    """MongoDB with users, both Redis by their very commands; each on the address that its name has."""
    secrets = folder / "secrets"
    found = find_mongod(folder / "shim")
    (folder / "mongo").mkdir()
    log = stack.enter_context((folder / "servers.log").open("ab"))
    mongod = subprocess.Popen(
        [
            str(found.path),
            "--auth",
            "--dbpath",
            str(folder / "mongo"),
            "--bind_ip",
            ADDRESSES["mongo"],
            "--port",
            "27017",
        ],
        env=dict(found.environment),
        stdout=log,
    )
    stack.callback(mongod.kill)
    for name in ("redis", "index"):
        (folder / name).mkdir()
        command = [word.replace("/run/secrets", str(secrets)) for word in services[name]["command"]]
        own = [*("--bind", ADDRESSES[name]), *("--dir", str(folder / name))]
        server = subprocess.Popen([str(find_redis_server().path), *command[1:], *own], stdout=log)
        stack.callback(server.kill)
    root = services["mongo"]["environment"]["MONGO_INITDB_ROOT_USERNAME"]
    password = (secrets / "mongo_root_password").read_text().strip()
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(
        ADDRESSES["mongo"], serverSelectionTimeoutMS=30_000
    )
    client.admin.command("createUser", root, pwd=password, roles=["root"])


def code_of(container: Container) -> set[str]:
    """The machine code that a service has."""
    return set(container.run(["find", CODE, "-name", "*.nbc"]).stdout.split())


def trial(folder: Path, arguments: dict[str, str]) -> dict[str, Any]:
    """Everything, from the build to the end; what was seen."""
    before = time.monotonic()
    images = Builder(folder / "layers", arguments).build()
    built = time.monotonic() - before
    leave(NEW_NETWORK)
    raise_loopback()
    subprocess.run([ROOT / "docker/make-secrets", folder / "secrets"], check=True)
    services = compose()["services"]
    hosts = folder / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{at} {name}\n" for name, at in ADDRESSES.items()))
    subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)
    (folder / "volumes").mkdir()
    with ExitStack() as stack:
        start_servers(stack, folder, services)
        user = Container("mongo-user", services["mongo-user"], images["wenhen"], folder, hosts)
        user.start()
        assert user.wait() == 0, user.said()
        running = {}
        for number, name in enumerate(SERVICES):
            service = services[name]
            # All share one network here, so the ports on which each tells of itself have to be apart.
            service["environment"]["WENHEN_METRICS_PORT"] = str(9464 if name == "metrics" else 9470 + number)
            running[name] = Container(name, service, images[service["build"]["target"]], folder, hosts)
            running[name].start()
            stack.callback(running[name].end)
        seen: dict[str, Any] = {"built_seconds": round(built), "well": {}, "wrote": {}, "commands": {}}
        for name, container in running.items():
            started = time.monotonic()
            container.wait_until_healthy()
            seen["well"][name] = round(time.monotonic() - started, 1)
            writing = container.run(["sh", "-c", "touch /opt/wenhen/x /var/lib/wenhen/x 2>/dev/null && echo wrote"])
            seen["wrote"][name] = "wrote" in writing.stdout
        warmed = {name: code_of(container) for name, container in running.items()}
        text = running["worker-text"]
        text.run(["sh", "-c", f"printf %s '{TEXT}' >/tmp/渡口.txt"])
        imported = text.run(["wenhen", "works", "import", "/tmp/渡口.txt"])
        seen["commands"]["import"] = [imported.returncode, imported.stderr[-800:]]
        store = pymongo.MongoClient[dict[str, Any]]((folder / "secrets/mongo_url").read_text().strip()).wenhen
        wait_for(lambda: store.works.count_documents({"progress.step": "done"}), "the work is looked up")
        scanned = text.run(["wenhen", "scan", "/tmp/渡口.txt"])
        seen["commands"]["scan"] = [scanned.returncode, scanned.stderr[-800:]]
        wait_for(lambda: store.marks.find_one({"_id": "clock:tick"}), "the clock ticks")
        doctor = text.run(["wenhen", "doctor", "--json"])
        seen["commands"]["doctor"] = [doctor.returncode, doctor.stderr[-800:]]
        metrics = running["metrics"].run(
            [
                "python",
                "-c",
                "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())",
            ]
        )
        seen["metrics"] = metrics.stdout
        seen["compiled"] = {name: sorted(code_of(one) - warmed[name]) for name, one in running.items()}
        seen["warmed"] = {name: len(codes) for name, codes in warmed.items()}
        urls = [(folder / "secrets" / name).read_text().strip() for name in ("mongo_url", "redis_url")]
        seen["taken"] = taken_by_servers(*urls)
        seen["said"] = {name: container.said() for name, container in running.items()}
        return seen


def main() -> None:
    """Print what was seen."""
    leave(NEW_MOUNTS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    folder = Path(tempfile.mkdtemp(prefix="wenhen-image-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(folder)], check=True)
    out = os.dup(1)
    os.dup2(2, 1)  # what pip and the servers say is no part of the report
    try:
        seen = trial(folder, dict(word.split("=", 1) for word in sys.argv[1:]))
        os.write(out, json.dumps(seen, ensure_ascii=False).encode())
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
