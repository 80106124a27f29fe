"""What servers refuse to the application's own user, and to strangers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pymongo
import redis
from pymongo.errors import OperationFailure
from redis.exceptions import AuthenticationError, NoPermissionError

AS_MASTER = ("CONFIG GET *", "FLUSHALL", "ACL LIST", "SHUTDOWN", "KEYS *")


def taken_by_servers(mongo_url: str, redis_url: str) -> list[str]:
    """What is not refused and should be; each tried. The addresses are the application's own."""
    with pymongo.MongoClient[dict[str, Any]](mongo_url) as client, redis.Redis.from_url(redis_url) as queues:
        as_master: dict[str, Callable[[], object]] = {
            "another database": lambda: client.other.things.insert_one({}),
            "a user who may do more": lambda: client.wenhen.command("createUser", "x", pwd="x", roles=["root"]),
            "the end of MongoDB": lambda: client.admin.command("shutdown"),
            **{command: partial(queues.execute_command, *command.split()) for command in AS_MASTER},
        }
        taken = [what for what, ask in as_master.items() if not _refused(ask)]
        where = queues.connection_pool.connection_kwargs
    place = {"unix_socket_path": where["path"]} if "path" in where else {"host": where["host"], "port": where["port"]}
    with redis.Redis(**place) as stranger, redis.Redis(**place, username="health", password="none") as health:
        assert health.ping()
        further = {"a stranger": stranger.ping, "health, reading": lambda: health.get("a")}
        return taken + [what for what, ask in further.items() if not _refused(ask)]


def _refused(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except (OperationFailure, NoPermissionError, AuthenticationError):
        return True
    return False
